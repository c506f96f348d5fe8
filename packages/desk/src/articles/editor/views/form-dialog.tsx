import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../../../shared/views/button.tsx';
import { FormModal } from '../../../shared/views/form-modal.tsx';
import type { EditorTexts } from '../text/editor-texts.ts';

interface FormDialogProps {
  readonly title: string;
  readonly texts: EditorTexts;
  readonly onApply: () => void;
  readonly onClose: () => void;
  /** The label of the button that closes it. */
  readonly closing?: string;
  readonly buttons?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly isUnasked?: boolean;
}

export function FormDialog({
  texts: { say },
  onApply,
  onClose,
  closing = say('cancel'),
  buttons,
  children,
  ...modal
}: FormDialogProps) {
  return (
    <FormModal say={say} onClose={onClose} {...modal}>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onApply();
        }}
      >
        {children}
        <div class="modal-buttons">
          {buttons}
          <Button onClick={onClose}>{closing}</Button>
          <Button kind="primary" type="submit">
            {say('editorApply')}
          </Button>
        </div>
      </form>
    </FormModal>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly hint?: string;
  readonly problem?: string | undefined;
  readonly required?: boolean;
}

/** A text of a form, with what is wrong with it below. */
export function Field({ label, value, onValue, hint, problem, required = false }: FieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (problem !== undefined) input.current?.focus();
  }, [problem]);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        ref={input}
        id={id}
        value={value}
        dir="auto"
        required={required}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-hint ${id}-problem`}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <span class="hint" id={`${id}-hint`}>
        {hint}
      </span>
      <span class="form-problem" id={`${id}-problem`} role="alert">
        {problem}
      </span>
    </div>
  );
}
