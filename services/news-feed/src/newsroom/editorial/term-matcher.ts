/** Scripts without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** How much a term in the title counts; in the summary it counts once. */
const TITLE = 2;

/**
 * A function that says whether a text has a term, in any case: Chinese and Japanese anywhere, others as whole
 * words with an optional `s`; a `*` stands for any letters.
 */
export function termFinder(term: string): (text: string) => boolean {
  if (UNSPACED.test(term)) return (text) => text.includes(term);
  const escaped = term
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '\\p{L}*')
    .replace(/\s+/g, '\\s+');
  const pattern = new RegExp(`(?<![\\p{Script=Latin}\\d])${escaped}s?(?![\\p{Script=Latin}\\d])`, 'iu');
  return (text) => pattern.test(text);
}

/** A function that adds up the weights of the terms that a title and a summary have. */
export function weigher(
  terms: Readonly<Record<string, number>>,
): (title: string, summary: string) => { sum: number; found: string[] } {
  const finders = Object.entries(terms).map(([term, weight]) => ({ term, weight, has: termFinder(term) }));
  return (title, summary) => {
    const hits = finders.flatMap(({ term, weight, has }) => {
      if (has(title)) return [{ term, points: weight * TITLE }];
      return has(summary) ? [{ term, points: weight }] : [];
    });
    return {
      sum: hits.reduce((total, { points }) => total + points, 0),
      found: hits.map(({ term }) => term),
    };
  };
}
