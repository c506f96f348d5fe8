import { useState } from 'preact/hooks';
import { asProblem } from '../../shared/api/problem.ts';
import { Button } from '../../shared/views/button.tsx';
import { Link } from '../../shared/views/link.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import type { Kind, Term } from '../api/organise.ts';
import { useOrganise } from '../organise-context.ts';
import { reasonOf } from './words.ts';

interface RemoveDialogProps {
  kind: Kind;
  term: Term;
  onClose: () => void;
  onRemoved: () => void;
  onMerge: () => void;
}

/** The parameters that narrow the list of articles to one term. */
const FILTERS: Readonly<Record<Kind, string>> = { categories: 'category', tags: 'tag', authors: 'author' };

/** The articles of one, at the desk. */
export function pathToArticles(kind: Kind, { slug }: Term): string {
  return `articles?${new URLSearchParams({ [FILTERS[kind]]: slug })}`;
}

/** Asks whether to delete one, or says why that cannot be, and what to do. */
export function RemoveDialog({ kind, term, onClose, onRemoved, onMerge }: RemoveDialogProps) {
  const { api, texts } = useOrganise();
  const { say } = texts;
  const { article_count: count, name } = term;
  const [problem, setProblem] = useState<string>();
  const [isUsed, setUsed] = useState(count > 0);
  const remove = async () => {
    try {
      await api.remove(kind, term.id);
      onRemoved();
    } catch (error) {
      const why = asProblem(error);
      setUsed(why.code.endsWith('_not_empty'));
      setProblem(reasonOf(why, say));
    }
  };
  return (
    <Modal title={say('removeTitle', { name })} onClose={onClose} look="small">
      {isUsed ? (
        <>
          {count > 0 && <p class="hint">{say('inUse', { count })}</p>}
          <p class="form-problem" role="alert">
            {problem}
          </p>
          <p class="hint">{say(kind === 'categories' ? 'inUse_categories' : 'inUse_others')}</p>
          <p>
            <Link to={pathToArticles(kind, term)}>{say('showAll')}</Link>
          </p>
        </>
      ) : (
        <>
          <p class="hint">{say('removeHint')}</p>
          <p class="form-problem" role="alert">
            {problem}
          </p>
        </>
      )}
      <div class="modal-buttons">
        <Button onClick={onClose} autofocus>
          {say(isUsed ? 'close' : 'cancel')}
        </Button>
        {isUsed && kind !== 'categories' && <Button onClick={onMerge}>{say('merge')}</Button>}
        {!isUsed && (
          <Button kind="danger" onClick={() => void remove()}>
            {say('delete')}
          </Button>
        )}
      </div>
    </Modal>
  );
}
