import type { ApiProblem } from '../api/problem.ts';
import type { passwordEn } from '../text/password-en.ts';
import type { Say, SharedTextName } from '../text/texts.ts';
import { problemWords } from './problem-view.tsx';

/** Why a password that somebody has chosen is not taken. */
export function newPasswordWords(
  problem: ApiProblem,
  say: Say<SharedTextName | keyof typeof passwordEn>,
): string {
  const refused = problem.fields.find(({ field }) => field === 'password');
  if (refused === undefined) return problemWords(problem, say);
  if (refused.code === 'too_personal') return say('passwordPersonal');
  return say(refused.code === 'too_common' ? 'passwordMostUsed' : 'passwordTooShort');
}
