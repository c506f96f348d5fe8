import { useId, useRef, useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { usePeople } from '../people-context.ts';

/** What nobody can see later. */
export interface ShownSecret {
  readonly title: string;
  readonly hint: string;
  readonly value: string;
}

/** Shows a key or a secret, to be copied. */
export function SecretDialog({ secret, onClose }: { secret: ShownSecret; onClose: () => void }) {
  const { say } = usePeople().texts;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [isCopied, setCopied] = useState<boolean>();
  const copy = () =>
    navigator.clipboard.writeText(secret.value).then(
      () => setCopied(true),
      () => {
        field.current?.select();
        setCopied(false);
      },
    );
  return (
    <Modal title={secret.title} onClose={onClose}>
      <p class="hint" id={`${id}-hint`}>
        {secret.hint}
      </p>
      <div class="field">
        <label for={id}>{say('shownOnce')}</label>
        <input
          ref={field}
          id={id}
          readOnly
          value={secret.value}
          aria-describedby={`${id}-hint`}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
      </div>
      <p class="form-good" role="status">
        {isCopied === true && say('copied')}
      </p>
      <p class="form-problem" role="alert">
        {isCopied === false && say('notCopied')}
      </p>
      <div class="modal-buttons">
        <Button onClick={onClose}>{say('close')}</Button>
        <Button kind="primary" icon="copy" onClick={() => void copy()}>
          {say('copyIt')}
        </Button>
      </div>
    </Modal>
  );
}
