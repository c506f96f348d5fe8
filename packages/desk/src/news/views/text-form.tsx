import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { Button } from '../../shared/views/button.tsx';
import type { Tagged } from '../api/types.ts';
import { useNews } from '../news-context.ts';
import { Conflict } from './conflict.tsx';
import { TextArea } from './fields.tsx';
import { troubleWords } from './trouble.tsx';

interface TextFormProps {
  label: string;
  rows: number;
  hint: string | undefined;
  before: Tagged<string | null>;
  /** Reads the text that somebody else has saved in between. */
  read: () => Promise<Tagged<string | null>>;
  /** Saves the text, null for none, as it was when `etag` was read. */
  write: (text: string | null, etag: string | null) => Promise<void>;
  /** Shows what somebody else has saved. */
  onReread: () => void;
  children?: ComponentChildren;
}

/** A text that is saved by itself, where it has been changed. */
export function TextForm({ label, rows, hint, before, read, write, onReread, children }: TextFormProps) {
  const { say } = useNews().texts;
  const [text, setText] = useState(before.value ?? '');
  const [problem, setProblem] = useState<ApiProblem>();
  const [theirs, setTheirs] = useState<Tagged<string | null>>();
  const save = async (etag: string | null) => {
    setProblem(undefined);
    setTheirs(undefined);
    try {
      await write(text.trim() === '' ? null : text, etag);
    } catch (error) {
      const found = asProblem(error);
      if (found.status === 412) setTheirs(await read().catch(() => undefined));
      setProblem(found);
    }
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void save(before.etag);
      }}
    >
      <TextArea label={label} rows={rows} value={text} onValue={setText} hint={hint} />
      {children}
      <p class="form-problem" role="alert">
        {problem !== undefined && theirs === undefined && troubleWords(problem, say)}
      </p>
      {text !== (before.value ?? '') && (
        <div class="modal-buttons">
          <Button onClick={() => setText(before.value ?? '')}>{say('cancel')}</Button>
          <button type="submit" class="button primary">
            <span>{say('save')}</span>
          </button>
        </div>
      )}
      {theirs !== undefined && (
        <Conflict
          rows={[{ label, theirs: theirs.value ?? '', mine: text }]}
          onTheirs={onReread}
          onMine={() => void save(theirs.etag)}
          onClose={() => setTheirs(undefined)}
        />
      )}
    </form>
  );
}
