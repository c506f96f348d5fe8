import type { ComponentChildren } from 'preact';
import type { ApiProblem } from '../api/problem.ts';
import { useDesk } from '../desk.ts';
import type { Say } from '../text/texts.ts';
import { visible } from '../text/visible.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** What a problem means for the person at the page. */
export function problemWords({ status, message }: ApiProblem, say: Say): string {
  if (status === 0) return say('unreachable');
  if (status === 502 || status === 503 || status === 504)
    return `${say('storeUnavailable')} (${visible(message)})`;
  return visible(message);
}

interface ProblemProps {
  problem: ApiProblem;
  /** What it means, where the section has its own words for it. */
  words?: string | undefined;
  /** What to do about it. */
  hint?: string | undefined;
  onRetry: () => void;
  /** What else may help. */
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
