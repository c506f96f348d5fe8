import { useState } from 'preact/hooks';
import { asProblem } from '../../shared/api/problem.ts';
import type { Role } from '../../shared/state/me.ts';
import { Button } from '../../shared/views/button.tsx';
import { FormModal } from '../../shared/views/form-modal.tsx';
import { usePeople } from '../people-context.ts';
import type { ShownLink } from './link-dialog.tsx';
import { reasonOf } from './words.ts';

/** What people are at the desk, from most to least. */
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
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      const invitation = await api.add({ name: name.trim(), email: email.trim(), role });
      onInvited({ name: name.trim(), ...invitation });
    } catch (error) {
      setProblem(reasonOf(asProblem(error), say));
      setBusy(false);
    }
  };
  return (
    <FormModal say={say} title={say('invite')} onClose={onClose}>
      <form class="form" onSubmit={submit}>
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
        <p class="form-problem" role="alert">
          {problem}
        </p>
        <div class="modal-buttons">
          <Button onClick={onClose}>{say('cancel')}</Button>
          <button type="submit" class="button primary" disabled={isBusy}>
            <span>{say('inviteButton')}</span>
          </button>
        </div>
      </form>
    </FormModal>
  );
}
