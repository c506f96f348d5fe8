import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../api/problem.ts';
import type { Say } from '../text/texts.ts';
import { Button } from './button.tsx';
import { FormModal } from './form-modal.tsx';

interface SubmitDialogProps {
  say: Say;
  title: string;
  look?: string;
  /** The labels of the button that submits, and of the one that closes. */
  button: string;
  closing?: string;
  isDangerous?: boolean;
  /** Does what the form asks for; returns why it was not done, or throws it. */
  onSubmit: () => Promise<string | undefined>;
  /** Why something that was thrown was not done, in the words of the section. */
  reasonOf: (problem: ApiProblem) => string;
  onClose: () => void;
  children: ComponentChildren;
}

/** A dialog with a form that is sent: once at a time, and what is wrong stands above its buttons. */
export function SubmitDialog({
  say,
  title,
  look,
  button,
  closing = say('cancel'),
  isDangerous = false,
  onSubmit,
  reasonOf,
  onClose,
  children,
}: SubmitDialogProps) {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    setProblem(await onSubmit().catch((error: unknown) => reasonOf(asProblem(error))));
    setBusy(false);
  };
  return (
    <FormModal say={say} title={title} onClose={onClose} {...(look !== undefined && { look })}>
      <form class="form" onSubmit={submit}>
        {children}
        <p class="form-problem" role="alert">
          {problem}
        </p>
        <div class="modal-buttons">
          <Button onClick={onClose}>{closing}</Button>
          <Button kind={isDangerous ? 'danger' : 'primary'} type="submit" disabled={isBusy}>
            {button}
          </Button>
        </div>
      </form>
    </FormModal>
  );
}
