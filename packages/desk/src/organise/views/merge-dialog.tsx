import { useEffect, useId, useState } from 'preact/hooks';
import { SubmitDialog } from '../../shared/views/submit-dialog.tsx';
import type { Kind, Term } from '../api/organise.ts';
import { useOrganise } from '../organise-context.ts';
import { TYPING_MS } from './listing.tsx';
import { reasonOf } from './words.ts';

interface MergeDialogProps {
  kind: Exclude<Kind, 'categories'>;
  term: Term;
  onClose: () => void;
  onMerged: () => void;
}

/** Asks into which tag or author another goes, and what that means. */
export function MergeDialog({ kind, term, onClose, onMerged }: MergeDialogProps) {
  const { api, texts } = useOrganise();
  const { say } = texts;
  const id = useId();
  const [name, setName] = useState('');
  const [known, setKnown] = useState<readonly Term[]>([]);
  const [moved, setMoved] = useState(0);
  useEffect(() => {
    const timer = setTimeout(
      () =>
        void api.list(kind, name.trim(), 1).then(
          ({ terms }) => setKnown(terms),
          () => undefined,
        ),
      name === '' ? 0 : TYPING_MS,
    );
    return () => clearTimeout(timer);
  }, [api, kind, name]);
  const merge = async () => {
    const { terms } = await api.list(kind, name.trim(), 1);
    const into = named(terms, name.trim());
    if (into === undefined) return say('noSuch', { name: name.trim() });
    if (into.id === term.id) return say('sameOne');
    for (let total = 0, isComplete = false; !isComplete; ) {
      const step = await api.merge(kind, term.id, into.id);
      total += step.moved;
      isComplete = step.isComplete;
      setMoved(total);
    }
    onMerged();
    return undefined;
  };
  return (
    <SubmitDialog
      say={say}
      title={say('mergeTitle', { name: term.name })}
      button={say('mergeButton')}
      isDangerous
      onSubmit={merge}
      reasonOf={(problem) => reasonOf(problem, say)}
      onClose={onClose}
    >
      <p class="hint">{say('mergeHint', { name: term.name, count: term.article_count })}</p>
      <div class="field">
        <label for={id}>{say('mergeInto')}</label>
        <input
          id={id}
          value={name}
          required
          autofocus
          list={`${id}-names`}
          autocomplete="off"
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <datalist id={`${id}-names`}>
          {known
            .filter((one) => one.id !== term.id)
            .map((one) => (
              <option key={one.id} value={one.name} />
            ))}
        </datalist>
      </div>
      <p class="form-good" role="status">
        {moved > 0 && say('merging', { count: moved })}
      </p>
    </SubmitDialog>
  );
}

/** The one of this name, else of this address. */
function named(terms: readonly Term[], name: string): Term | undefined {
  const wanted = name.toLowerCase();
  return terms.find((one) => one.name.toLowerCase() === wanted) ?? terms.find(({ slug }) => slug === wanted);
}
