import { Button } from '../../shared/views/button.tsx';
import type { Edit } from '../api/types.ts';
import { useNews } from '../news-context.ts';
import type { TextName } from '../text/texts.ts';
import { LABELS } from './item-form.tsx';
import { valueWords } from './value-words.ts';

/** The members that people know by another name. */
const MEMBERS: Readonly<Record<string, TextName>> = {
  ...LABELS,
  selected: 'isSelected',
  withdrawnAt: 'isWithdrawn',
  story: 'story',
  authors: 'authors',
  tags: 'tags',
  enclosures: 'enclosures',
  digest: 'digest',
  digestBy: 'digestBy',
  mergedInto: 'mergedInto',
  hotPlace: 'hotPlace',
};

/** The change; one made by other means than the desk names only its author. */
const ACTIONS: Readonly<Record<string, TextName>> = {
  'item add': 'did_itemAdd',
  'item edit': 'did_itemEdit',
  'item select': 'isSelected',
  'item deselect': 'did_itemDeselect',
  'item withdraw': 'isWithdrawn',
  'item restore': 'did_itemRestore',
  'story merge': 'did_storyMerge',
  'story split': 'did_storySplit',
  'story digest': 'did_storyDigest',
  'story note': 'did_storyNote',
  'story place': 'did_storyPlace',
  import: 'did_import',
  undo: 'did_undo',
};

/** Edits, the newest first, each with its undo. */
export function HistoryView({
  history,
  onUndo,
}: {
  history: readonly Edit[];
  onUndo: (edit: number) => void;
}) {
  const news = useNews();
  const { me, texts } = news;
  const { say } = texts;
  if (history.length === 0) return null;
  return (
    <section class="history">
      <h3>{say('history')}</h3>
      <ol>
        {history.map(({ edit, at, actor, program, action, undoneBy, changes }) => (
          <li key={edit} class={undoneBy === null ? undefined : 'undone'}>
            <div class="history-words">
              <p class="hint">
                {[
                  actor ?? program,
                  texts.date(Date.parse(at)),
                  ...(ACTIONS[action] === undefined ? [] : [say(ACTIONS[action])]),
                ].join(' · ')}
              </p>
              {changes
                .filter(({ member }) => member !== 'digestUpdatedAt')
                .map(({ member, before, after }) => (
                  <p key={member} class="change">
                    <span class="change-member">{say(MEMBERS[member] ?? 'otherMember')}</span>{' '}
                    <del>{valueWords(member, before, news)}</del> <ins>{valueWords(member, after, news)}</ins>
                  </p>
                ))}
            </div>
            {undoneBy === null && me.may('edit') && (
              <Button
                kind="quiet"
                icon="undo"
                aria-label={say('undoEdit', { edit })}
                onClick={() => onUndo(edit)}
              >
                {say('undo')}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
