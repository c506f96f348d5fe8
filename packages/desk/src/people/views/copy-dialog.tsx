import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import { usePeople } from '../people-context.ts';

interface CopyDialogProps {
  title: string;
  hint: string;
  label: string;
  value: string;
  /** The label of the button that copies it. */
  button: string;
  /** More words, above the hint. */
  children?: ComponentChildren;
  onClose: () => void;
}

/** Shows what nobody can see later, to be copied. */
export function CopyDialog({ title, hint, label, value, button, children, onClose }: CopyDialogProps) {
  const { say } = usePeople().texts;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [isCopied, setCopied] = useState<boolean>();
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => setCopied(true),
      () => {
        field.current?.select();
        setCopied(false);
      },
    );
  return (
    <Modal title={title} onClose={onClose}>
      {children}
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
      <div class="field">
        <label for={id}>{label}</label>
        <input
          ref={field}
          id={id}
          readOnly
          value={value}
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
          {button}
        </Button>
      </div>
    </Modal>
  );
}
