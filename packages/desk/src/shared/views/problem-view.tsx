import type { ComponentChildren } from 'preact';
import { ApiProblem } from '../api/problem.ts';
import { useDesk } from '../desk.ts';
import type { Say, SharedTextName } from '../text/texts.ts';
import { visible } from '../text/visible.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** By what the details of a service that cannot answer now are known, and the sentence for each. */
const PASSING: readonly (readonly [detail: RegExp, text: SharedTextName])[] = [
  [/DESK_KEY/, 'keyRefused'],
  [/object store/, 'storeUnavailable'],
  [/database/, 'databaseAway'],
  [/overloaded|too (?:busy|many)|are running/, 'serviceBusy'],
];

/** Sentences for what the service refuses by a code. */
const CODES: Readonly<Record<string, SharedTextName>> = {
  role_forbids: 'roleForbids',
  insufficient_scope: 'roleForbids',
  confirmation_required: 'confirmationNeeded',
  second_factor_setup_required: 'setUpNeeded',
  second_factor_wrong: 'wrongCode',
  wrong_code: 'wrongCode',
  passkey_refused: 'passkeyRefused',
  passkey_cancelled: 'passkeyCancelled',
  passkey_taken: 'passkeyTaken',
  factor_kept: 'factorKept',
};

/** What a problem means for the person at the page; sections name their service in `serviceAway`. */
export function problemWords({ code, message, passes, status }: ApiProblem, say: Say): string {
  if (status === 0) return say(navigator.onLine ? 'unreachable' : 'offline');
  const coded = CODES[code];
  if (coded !== undefined) return say(coded);
  if (!passes) return visible(message);
  const known = PASSING.find(([detail]) => detail.test(message));
  if (known !== undefined) return say(known[1]);
  if (status === 504) return say('tookTooLong');
  // An answer that is no problem document comes from a proxy in front of the desk.
  if (code === 'unexpected_answer') return say('unreachable');
  if (code.endsWith('_unavailable') && code !== 'temporarily_unavailable') return say('serviceAway');
  return `${say('notNow')} (${visible(message)})`;
}

export function errorWords(error: unknown, say: Say): string {
  if (error instanceof ApiProblem) return problemWords(error, say);
  return error instanceof Error ? error.message : String(error);
}

interface ProblemProps {
  problem: ApiProblem;
  /** What it means, where the section has its own words for it. */
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
