import type { ApiProblem } from '../api/problem.ts';
import type { Say } from '../text/texts.ts';
import { problemWords } from './problem-view.tsx';

/** Why a password that somebody has chosen is not taken. */
export function newPasswordWords(problem: ApiProblem, say: Say): string {
  const refused = problem.fields.find(({ field }) => field === 'password');
  if (refused === undefined) return problemWords(problem, say);
  return say(/most used/.test(refused.message) ? 'passwordMostUsed' : 'passwordTooShort');
}
