import type { ComponentChildren } from 'preact';
import { type ApiProblem, asProblem, type FieldProblem } from '../api/problem.ts';
import { useDesk } from '../desk.ts';
import type { Say, SharedTextName } from '../text/texts.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** The sentence for what a service that cannot answer now waits for. */
const PASSING: Readonly<Record<string, SharedTextName>> = {
  key_refused: 'keyRefused',
  object_store: 'storeUnavailable',
  database: 'databaseAway',
  busy: 'serviceBusy',
};

/** The codes whose sentences other views say as well. */
const CODES: Readonly<Record<string, SharedTextName>> = {
  role_forbids: 'roleForbids',
  insufficient_scope: 'roleForbids',
  second_factor_setup_required: 'setUpNeeded',
  second_factor_wrong: 'wrongCode',
  wrong_code: 'wrongCode',
};

/** Explains a problem to the person at the page; sections name their service in `serviceAway`. */
export function problemWords(problem: ApiProblem, say: Say): string {
  const { code, fields, passes, requestId, status } = problem;
  if (code === 'unexpected') return say('unexpected');
  if (status === 0) return say(navigator.onLine ? 'unreachable' : 'offline');
  const coded = CODES[code];
  if (coded !== undefined) return say(coded);
  if (passes) return passingWords(problem, say);
  if (fields.length > 0) return [...new Set(fields.map((fault) => namedFault(fault, say)))].join(' ');
  return firstOf([`problem_${code}`, 'problem_unknown'], say, { id: requestId || '–' });
}

function passingWords({ code, reason = '', status }: ApiProblem, say: Say): string {
  const known = PASSING[reason];
  if (known !== undefined) return say(known);
  if (status === 504) return say('tookTooLong');
  // An answer that is no problem document comes from a proxy in front of the desk.
  if (code === 'unexpected_answer') return say('unreachable');
  if (code.endsWith('_unavailable') && code !== 'temporarily_unavailable') return say('serviceAway');
  return say('notNow');
}

/** A field's fault, as a sentence to stand beside it. */
export function faultWords({ field, code, limit }: FieldProblem, say: Say): string {
  const member = memberOf(field);
  const index = /\.(\d+)$/.exec(field)?.[1];
  const values = {
    ...(index !== undefined && { number: Number(index) + 1 }),
    ...(limit !== undefined && { limit }),
  };
  const names = [`${member}_${code}`, member, code, 'invalid'].flatMap((rule) =>
    [...Object.keys(values).map((value) => `${rule}_${value}`), rule].map((name) => `fault_${name}`),
  );
  // An address that was tried: why it could not be read, rather than how it is written.
  const tried = code.startsWith('source_') ? [`problem_${code}`, 'problem_source_unreadable'] : [];
  return firstOf([...tried, ...names], say, values);
}

/** The same with the name of the field, to stand away from it. */
function namedFault(fault: FieldProblem, say: Say): string {
  const name = `field_${memberOf(fault.field)}`;
  const field = say(name as SharedTextName);
  return field === name
    ? faultWords(fault, say)
    : say('labelled', { label: field, value: faultWords(fault, say) });
}

/** The member that a field is or is in, such as `tags` for `tags.1` and `bucket.endpoint`. */
function memberOf(field: string): string {
  return field.split('.').findLast((part) => !/^\d+$/.test(part)) ?? '';
}

/** The first of these texts that there is. */
function firstOf(names: readonly string[], say: Say, values: Record<string, string | number>): string {
  for (const name of names) {
    const text = say(name as SharedTextName, values);
    if (text !== name) return text;
  }
  return say('refused');
}

export function errorWords(error: unknown, say: Say): string {
  return problemWords(asProblem(error), say);
}

interface ProblemProps {
  problem: ApiProblem;
  /** The section's own words for the problem, if it has any. */
  words?: string | undefined;
  hint?: string | undefined;
  onRetry: () => void;
  children?: ComponentChildren;
}

/** A problem in the place of what could not be loaded. */
export function ProblemView({ problem, words, hint, onRetry, children }: ProblemProps) {
  const { say } = useDesk().texts;
  return (
    <div class="empty" role="alert">
      <Icon name="alert" size={28} />
      <p class="empty-title">{words ?? problemWords(problem, say)}</p>
      {hint !== undefined && <p class="hint">{hint}</p>}
      <Button icon="retry" onClick={onRetry}>
        {say('tryAgain')}
      </Button>
      {children}
    </div>
  );
}
