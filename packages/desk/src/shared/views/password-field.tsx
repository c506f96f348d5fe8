import { useId, useState } from 'preact/hooks';

interface PasswordFieldProps {
  label: string;
  /** The name of the button that shows what is typed. */
  show: string;
  value: string;
  onValue: (value: string) => void;
  autocomplete: 'new-password' | 'current-password';
  hint?: string;
}

/** A password, which can be looked at while it is typed. */
export function PasswordField({ label, show, value, onValue, autocomplete, hint }: PasswordFieldProps) {
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
          <span>{show}</span>
        </button>
      </span>
      <p class="hint" id={`${id}-about`}>
        {hint}
      </p>
    </div>
  );
}
