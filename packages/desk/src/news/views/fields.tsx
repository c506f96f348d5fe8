import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { CheckField } from '../../shared/views/check-field.tsx';
import type { Term } from '../api/types.ts';
import type { Say } from '../text/texts.ts';

interface FieldProps {
  label: string;
  value: string;
  onValue: (value: string) => void;
  hint?: string;
  problem?: string | undefined;
}

export function TextField({
  label,
  value,
  onValue,
  hint,
  problem,
  ...rest
}: FieldProps & { type?: string; placeholder?: string; autofocus?: boolean; inputMode?: 'decimal' | 'url' }) {
  const id = useId();
  return (
    <FieldFrame id={id} label={label} hint={hint} problem={problem}>
      <input
        {...rest}
        id={id}
        value={value}
        autocomplete="off"
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-about`}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    </FieldFrame>
  );
}

export function TextArea({
  label,
  value,
  onValue,
  hint,
  problem,
  rows = 4,
  isCode = false,
}: FieldProps & { rows?: number; isCode?: boolean }) {
  const id = useId();
  return (
    <FieldFrame id={id} label={label} hint={hint} problem={problem}>
      <textarea
        id={id}
        class={isCode ? 'code' : undefined}
        rows={rows}
        value={value}
        spellcheck={!isCode}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-about`}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    </FieldFrame>
  );
}

/** A choice of one among several: values, and how people see them. */
export type Choices = readonly (readonly [value: string, label: string])[];

export function selectChoices(say: Say): Choices {
  const least = [50, 60, 70, 80, 90].map(
    (score) => [`score>=${score}`, say('select_score', { score })] as const,
  );
  return [['auto', say('select_auto')], ['all', say('select_all')], ['none', say('select_none')], ...least];
}

/** Categories or directions to choose from; with `chosen`, former categories only if it is one. */
export function termChoices(terms: readonly Term[] = [], chosen?: string): Choices {
  const offered = terms.filter(({ isFormer, name }) => !isFormer || chosen === undefined || name === chosen);
  return offered.map(({ name, label }) => [name, label] as const);
}

export function SelectField({ label, value, onValue, hint, choices }: FieldProps & { choices: Choices }) {
  const id = useId();
  return (
    <FieldFrame id={id} label={label} hint={hint}>
      <Select id={id} value={value} onValue={onValue} choices={choices} describedBy={`${id}-about`} />
    </FieldFrame>
  );
}

interface SelectProps {
  value: string;
  onValue: (value: string) => void;
  choices: Choices;
  id?: string;
  label?: string;
  describedBy?: string;
}

/** The browser's own choice of one among several; a value that is not among them is shown, too. */
export function Select({ value, onValue, choices, id, label, describedBy }: SelectProps) {
  const all = choices.some(([known]) => known === value) ? choices : [...choices, [value, value] as const];
  return (
    <select
      id={id}
      aria-label={label}
      aria-describedby={describedBy}
      value={value}
      onChange={({ currentTarget }) => onValue(currentTarget.value)}
    >
      {all.map(([one, text]) => (
        <option key={one} value={one} selected={one === value}>
          {text}
        </option>
      ))}
    </select>
  );
}

export function CheckList({
  label,
  chosen,
  choices,
  onChosen,
}: {
  label: string;
  chosen: readonly string[];
  choices: Choices;
  onChosen: (chosen: readonly string[]) => void;
}) {
  return (
    <fieldset class="check-list">
      <legend>{label}</legend>
      {choices.map(([name, text]) => (
        <CheckField
          key={name}
          label={text}
          checked={chosen.includes(name)}
          onChecked={(checked) =>
            onChosen(
              choices.map(([one]) => one).filter((one) => (one === name ? checked : chosen.includes(one))),
            )
          }
        />
      ))}
    </fieldset>
  );
}

interface FrameProps {
  id: string;
  label: string;
  hint: string | undefined;
  problem?: string | undefined;
  children: ComponentChildren;
}

function FieldFrame({ id, label, hint, problem, children }: FrameProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      <div id={`${id}-about`}>
        {problem !== undefined && <p class="form-problem">{problem}</p>}
        {hint !== undefined && <p class="hint">{hint}</p>}
      </div>
    </div>
  );
}
