import { Button } from '../../shared/views/button.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { useApp } from '../app-context.ts';
import { differing, type FieldName, type Fields, textOf } from '../state/fields.ts';
import type { Conflict, OpenArticle } from '../state/open-article.ts';
import type { TextName } from '../text/texts.ts';
import { Differences } from './differences.tsx';

const LABELS: Readonly<Record<FieldName, TextName>> = {
  title: 'title',
  content: 'text',
  excerpt: 'excerpt',
  category: 'category',
  tags: 'tags',
  authors: 'authors',
  slug: 'slug',
  featuredImage: 'featuredImage',
  altText: 'altText',
  metaTitle: 'metaTitle',
  metaDescription: 'metaDescription',
};

/** Shows what two people have made of an article side by side; nothing is saved before one decides. */
export function ConflictDialog({
  open,
  conflict,
  onClose,
}: {
  open: OpenArticle;
  conflict: Conflict;
  onClose: () => void;
}) {
  const { terms, texts } = useApp();
  const { say } = texts;
  const { theirs, who = say('somebody'), at } = conflict;
  const mine = open.fields.value;
  const words = (fields: Fields, field: FieldName): string => {
    if (field === 'content') return textOf(fields.content);
    if (field === 'category')
      return terms.categories.value.find(({ id }) => id === fields.category)?.name ?? '';
    return [fields[field]].flat().join(', ');
  };
  return (
    <Modal isUnasked title={say('conflictTitle', { who })} onClose={onClose} look="broad">
      <p class="hint">{say('conflictHint', { date: Number.isNaN(at) ? '' : texts.date(at) })}</p>
      <div class="conflict">
        {differing(theirs, mine).map((field) => (
          <section key={field} aria-label={say(LABELS[field])}>
            <h3>{say(LABELS[field])}</h3>
            <div class="conflict-sides">
              <div>
                <h4>{say('yours')}</h4>
                <Differences before={words(theirs, field)} after={words(mine, field)} />
              </div>
              <div>
                <h4>{say('theirs')}</h4>
                <p class="differences" dir="auto">
                  {words(theirs, field)}
                </p>
              </div>
            </div>
          </section>
        ))}
      </div>
      <div class="modal-buttons">
        <Button kind="quiet" onClick={onClose}>
          {say('goOnWriting')}
        </Button>
        <Button onClick={() => void open.resolve('theirs')}>{say('takeTheirs')}</Button>
        <Button kind="primary" onClick={() => void open.resolve('mine')}>
          {say('keepYours')}
        </Button>
      </div>
    </Modal>
  );
}
