import type { Invitation } from '../api/people.ts';
import { usePeople } from '../people-context.ts';
import { CopyDialog } from './copy-dialog.tsx';

/** A link, and for whom it is. */
export interface ShownLink extends Invitation {
  readonly name: string;
}

/** Shows the link with which somebody chooses a password. */
export function LinkDialog({ link, onClose }: { link: ShownLink; onClose: () => void }) {
  const { address, texts } = usePeople();
  const { say } = texts;
  const { name, token, expiresAt, mailed } = link;
  return (
    <CopyDialog
      title={say('linkTitle', { name })}
      hint={texts.sentences(
        say('linkHint'),
        say('invitedUntil', { date: texts.date(Date.parse(expiresAt)) }),
      )}
      label={say('link')}
      value={`${new URL('desk/invitation', address.base).href}#${token}`}
      button={say('copyLink')}
      onClose={onClose}
    >
      {mailed !== undefined && (
        <p class={mailed ? 'form-good' : 'form-problem'} role="status">
          {say(mailed ? 'linkMailed' : 'linkNotMailed')}
        </p>
      )}
    </CopyDialog>
  );
}
