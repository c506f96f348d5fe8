/** The most paths that a message names. */
export const MAX_NAMED = 20;

/** Names paths in a message, the first twenty of them. */
export function named(paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_NAMED).map((path) => JSON.stringify(path));
  return shown.join(', ') + (paths.length > MAX_NAMED ? ' and more' : '');
}

/** `1 object`, `2 objects`. */
export function objects(count: number): string {
  return count === 1 ? '1 object' : `${count} objects`;
}

/** What a message adds when paths of the request were repeated or lie in others: ` (2 of 5 paths …)`, or nothing. */
export function foldedInWords(folded: number, paths: number): string {
  if (folded === 0) return '';
  const were = folded === 1 ? 'was' : 'were';
  return ` (${folded} of ${paths} paths ${were} repeated or inside another, and ${were} taken once)`;
}
