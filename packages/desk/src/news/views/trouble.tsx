import type { ApiProblem } from '../../shared/api/problem.ts';
import { visible } from '../../shared/text/visible.ts';
import { Button } from '../../shared/views/button.tsx';
import { Icon } from '../../shared/views/icon.tsx';
import { useNews } from '../news-context.ts';
import type { Say } from '../text/texts.ts';

/** What a problem means for the person at the page. */
export function troubleWords({ status, code, message }: ApiProblem, say: Say): string {
  if (status === 0) return say('unreachable');
  if (code === 'not_configured') return say('notConfigured');
  if (status === 412) return say('changedMeanwhile');
  if ([502, 503, 504].includes(status)) return `${say('newsroomAway')} (${visible(message)})`;
  return visible(message);
}

/** A problem in the place of what could not be loaded. */
export function Trouble({ problem, onRetry }: { problem: ApiProblem; onRetry: () => void }) {
  const { say } = useNews().texts;
  return (
    <div class="empty" role="alert">
      <Icon name="alert" size={28} />
      <p class="empty-title">{troubleWords(problem, say)}</p>
      {problem.code === 'not_configured' && <p class="hint">{say('notConfiguredHint')}</p>}
      <Button icon="retry" onClick={onRetry}>
        {say('tryAgain')}
      </Button>
    </div>
  );
}

/** In the place of what is being loaded. */
export function Loading() {
  const { say } = useNews().texts;
  return (
    <div class="empty" role="status">
      <span class="spinner" />
      <span class="unseen">{say('loading')}</span>
    </div>
  );
}
