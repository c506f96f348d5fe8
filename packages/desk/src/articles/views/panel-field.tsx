import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { OpenArticle } from '../state/open-article.ts';
import { FieldProblem } from './field-problem.tsx';

interface PanelFieldProps {
  label: string;
  hint?: ComponentChildren;
  open: OpenArticle;
  member: string;
  children: (props: { id: string; 'aria-describedby': string; 'aria-invalid': boolean }) => ComponentChildren;
}

/** A field with its label, what it is for, and what is wrong with it. */
export function PanelField({ label, hint, open, member, children }: PanelFieldProps) {
  const id = useId();
  const isWrong = open.problem.value?.fields.some(({ field }) => field.split('.')[0] === member) === true;
  return (
    <div class="field" data-member={member}>
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': `${id}-hint`, 'aria-invalid': isWrong })}
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
      <FieldProblem open={open} member={member} />
    </div>
  );
}
