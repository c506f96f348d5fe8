import type { ApiProblem } from '../../shared/api/problem.ts';
import { Loading } from '../../shared/views/loading.tsx';
import { ProblemView, problemWords } from '../../shared/views/problem-view.tsx';
import { useNews } from '../news-context.ts';
import type { Say } from '../text/texts.ts';
import type { Asked } from './use-answer.ts';

/** Explains a problem to the person at the page. */
export function troubleWords(problem: ApiProblem, say: Say): string {
  if (problem.code === 'not_configured') return say('notConfigured');
  return problem.status === 412 ? say('changedMeanwhile') : problemWords(problem, say);
}

/** A problem in the place of what could not be loaded. */
export function Trouble({ problem, onRetry }: { problem: ApiProblem; onRetry: () => void }) {
  const { say } = useNews().texts;
  const hint = problem.code === 'not_configured' ? say('notConfiguredHint') : undefined;
  return <ProblemView problem={problem} words={troubleWords(problem, say)} hint={hint} onRetry={onRetry} />;
}

/** In the place of what was asked for and is not there: it is being loaded, or could not be. */
export function Waiting({ asked: { problem, again } }: { asked: Asked<unknown> }) {
  return problem === undefined ? <Loading /> : <Trouble problem={problem} onRetry={again} />;
}
