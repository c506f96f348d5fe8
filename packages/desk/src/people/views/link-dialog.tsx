import { useId, useRef, useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { Modal } from '../../shared/views/modal.tsx';
import type { Invitation } from '../api/people.ts';
import { usePeople } from '../people-context.ts';

/** A link, and for whom it is. */
export interface ShownLink extends Invitation {
  readonly name: string;
}

/** Shows the link with which somebody chooses a password: nobody can see it later. */
export function LinkDialog({ link, onClose }: { link: ShownLink; onClose: () => void }) {
  const { address, texts } = usePeople();
  const { say } = texts;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [isCopied, setCopied] = useState<boolean>();
  const url = `${new URL('desk/invitation', address.base).href}#${link.token}`;
  const copy = () =>
    navigator.clipboard.writeText(url).then(
      () => setCopied(true),
      () => {
        field.current?.select();
        setCopied(false);
      },
    );
  return (
    <Modal title={say('linkTitle', { name: link.name })} onClose={onClose}>
      {link.mailed !== undefined && (
        <p class={link.mailed ? 'form-good' : 'form-problem'} role="status">
          {say(link.mailed ? 'linkMailed' : 'linkNotMailed')}
        </p>
      )}
      <p class="hint">{say('linkHint')}</p>
      <div class="field">
        <label for={id}>{say('link')}</label>
        <input
          ref={field}
          id={id}
          readOnly
          value={url}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <p class="hint">{say('invitedUntil', { date: texts.date(Date.parse(link.expiresAt)) })}</p>
      </div>
      <p class="form-good" role="status">
        {isCopied === true && say('linkCopied')}
      </p>
      <p class="form-problem" role="alert">
        {isCopied === false && say('linkNotCopied')}
      </p>
      <div class="modal-buttons">
        <Button onClick={onClose}>{say('close')}</Button>
        <Button kind="primary" icon="copy" onClick={() => void copy()}>
          {say('copyLink')}
        </Button>
      </div>
    </Modal>
  );
}
