import type { ApiProblem } from '../../shared/api/problem.ts';
import { faultWords, problemWords } from '../../shared/views/problem-view.tsx';
import type { Say, TextName } from '../text/texts.ts';

const CODES: Readonly<Record<string, TextName>> = {
  slug_taken: 'addressTaken',
  not_found: 'termGone',
  category_not_empty: 'stillUsed',
  tag_not_empty: 'stillUsed',
  author_not_empty: 'stillUsed',
};

const FIELDS: Readonly<Record<string, TextName>> = {
  name: 'nameWrong',
  slug: 'addressWrong',
  description: 'descriptionWrong',
  bio: 'bioWrong',
  picture: 'pictureWrong',
  links: 'linksWrong',
  from: 'fromWrong',
  to: 'toWrong',
};

/** Why something was not done. */
export function reasonOf(problem: ApiProblem, say: Say): string {
  const [fault] = problem.fields;
  // The shared words say what to do about a circle.
  if (fault?.code === 'redirect_loop') return faultWords(fault, say);
  const name = CODES[problem.code] ?? FIELDS[fault?.field.split('.')[0] ?? ''];
  return name === undefined ? problemWords(problem, say) : say(name);
}
