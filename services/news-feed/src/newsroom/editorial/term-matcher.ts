const HAN = /\p{Script=Han}/u;

/** How much a term in the title counts; in the summary it counts once. */
const TITLE = 2;

/** A function that says whether a text has a term: English as whole words, Chinese anywhere, in any case. */
export function termFinder(term: string): (text: string) => boolean {
  if (HAN.test(term)) return (text) => text.includes(term);
  const escaped = term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+');
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
