import { useId, useState } from 'preact/hooks';
import { useDesk } from '../desk.ts';

interface PasswordFieldProps {
  label: string;
  value: string;
  onValue: (value: string) => void;
  autocomplete: 'new-password' | 'current-password';
  hint?: string;
}

/** A password, which can be looked at while it is typed. */
export function PasswordField({ label, value, onValue, autocomplete, hint }: PasswordFieldProps) {
  const { say } = useDesk().texts;
  const id = useId();
  const [isShown, setShown] = useState(false);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <span class="field-line">
        <input
          id={id}
          type={isShown ? 'text' : 'password'}
          value={value}
          required
          autocomplete={autocomplete}
          autocapitalize="none"
          spellcheck={false}
          aria-describedby={`${id}-about`}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
        <button
          type="button"
          class="button plain"
          aria-pressed={isShown}
          aria-controls={id}
          onClick={() => setShown(!isShown)}
        >
          <span>{say('show')}</span>
        </button>
      </span>
      <p class="hint" id={`${id}-about`}>
        {hint}
      </p>
    </div>
  );
}
