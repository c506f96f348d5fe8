import type { ApiProblem } from '../../shared/api/problem.ts';
import { problemWords } from '../../shared/views/problem-view.tsx';
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
};

/** Why something was not done. */
export function reasonOf(problem: ApiProblem, say: Say): string {
  const field = problem.fields[0]?.field.split('.')[0] ?? '';
  const name = CODES[problem.code] ?? FIELDS[field];
  return name === undefined ? problemWords(problem, say) : say(name);
}
