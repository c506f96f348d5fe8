import { useState } from 'preact/hooks';
import type { Role } from '../../shared/state/me.ts';
import { SubmitDialog } from '../../shared/views/submit-dialog.tsx';
import { usePeople } from '../people-context.ts';
import type { ShownLink } from './link-dialog.tsx';
import { reasonOf } from './words.ts';

/** From most to least powerful. */
export const ROLES: readonly Role[] = ['owner', 'editor', 'writer', 'photographer', 'reader'];

interface InviteDialogProps {
  onClose: () => void;
  onInvited: (link: ShownLink) => void;
}

/** Asks who is to work at the desk, and as what. */
export function InviteDialog({ onClose, onInvited }: InviteDialogProps) {
  const { api, texts } = usePeople();
  const { say } = texts;
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('writer');
  const submit = async () => {
    const invitation = await api.add({ name: name.trim(), email: email.trim(), role });
    onInvited({ name: name.trim(), ...invitation });
    return undefined;
  };
  return (
    <SubmitDialog
      say={say}
      title={say('new_people')}
      button={say('inviteButton')}
      onSubmit={submit}
      reasonOf={(problem) => reasonOf(problem, say)}
      onClose={onClose}
    >
      <label class="field">
        <span>{say('name')}</span>
        <input
          value={name}
          required
          autofocus
          autocomplete="off"
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <label class="field">
        <span>{say('email')}</span>
        <input
          type="email"
          value={email}
          required
          autocomplete="off"
          onInput={({ currentTarget }) => setEmail(currentTarget.value)}
        />
      </label>
      <fieldset class="people-roles">
        <legend>{say('role')}</legend>
        {ROLES.map((one) => (
          <label key={one} class="people-role">
            <input type="radio" name="role" checked={one === role} onChange={() => setRole(one)} />
            <span>
              <strong>{say(`role_${one}`)}</strong>
              <span class="hint">{say(`may_${one}`)}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </SubmitDialog>
  );
}
