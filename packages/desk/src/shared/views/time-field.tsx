import { useId, useState } from 'preact/hooks';
import type { FieldProblem } from '../api/problem.ts';
import { useDesk } from '../desk.ts';
import { faultWords } from './problem-view.tsx';

interface TimeFieldProps {
  label: string;
  /** Such as `2026-11-25T18:00`; empty for none, also while only a part of it is typed. */
  value: string;
  fault?: FieldProblem | undefined;
  required?: boolean;
  autofocus?: boolean;
  onChange: (value: string) => void;
}

/** A day and a time. It says itself, when its form is sent, that they are missing or typed in part. */
export function TimeField({ label, value, fault, onChange, ...attributes }: TimeFieldProps) {
  const { say } = useDesk().texts;
  const id = useId();
  const [isMissing, setMissing] = useState(false);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...attributes}
        id={id}
        type="datetime-local"
        value={value}
        aria-invalid={isMissing || fault !== undefined}
        aria-describedby={`${id}-about`}
        onInput={({ currentTarget }) => {
          setMissing(false);
          onChange(currentTarget.value);
        }}
        onInvalid={(event) => {
          event.preventDefault();
          setMissing(true);
          event.currentTarget.focus();
        }}
      />
      <p class="form-problem" role="alert" id={`${id}-about`}>
        {isMissing ? say('timeMissing') : fault !== undefined && faultWords(fault, say)}
      </p>
    </div>
  );
}
