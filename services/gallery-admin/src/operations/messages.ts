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

/** What a message adds if paths of the request were named twice or lie inside others; else empty. */
export function foldedInWords(folded: number): string {
  if (folded === 0) return '';
  const paths = folded === 1 ? '1 path that was' : `${folded} paths that were`;
  return ` (${paths} named twice or inside another went with it)`;
}

/** The paths of a change, as they are logged. */
export function loggedPaths(paths: readonly string[]) {
  return { paths: paths.slice(0, MAX_NAMED), pathCount: paths.length };
}
