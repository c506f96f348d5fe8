import type { ApiProblem } from '../../shared/api/problem.ts';
import { problemWords } from '../../shared/views/problem-view.tsx';
import type { Say } from '../text/texts.ts';

interface Origin {
  variable: string;
  isFixed: boolean;
  /** True if it was set at the desk. */
  isMade: boolean;
  environment: string | null;
}

/** Whether the desk or the server says what holds. */
export function originWords(say: Say, { variable, isFixed, isMade, environment }: Origin): string {
  if (isFixed) return say('siteFixed', { variable });
  if (!isMade) return say('siteOfServer', { variable });
  return environment === null ? say('siteSetHereAlone') : say('siteSetHere', { value: environment });
}

/** Why nothing was saved, but for what stands beside a field. */
export function refusalWords(problem: ApiProblem, say: Say): string {
  if (problem.code === 'precondition_failed') return say('siteChangedElsewhere');
  return problem.fields.length > 0 ? say('siteCheckFields') : problemWords(problem, say);
}
