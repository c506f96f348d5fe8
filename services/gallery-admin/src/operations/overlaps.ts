import type { Source } from './destination.ts';

/** The sources of a request without those that others contain. */
export interface FoldedSources {
  /** Each once, and none inside another. */
  sources: Source[];
  /** How many were left out. */
  folded: number;
}

/** Drops paths that are named twice or lie in a folder that is named itself, which is taken whole anyway. */
export function foldOverlaps(named: readonly Source[]): FoldedSources {
  const distinct = [...new Map(named.map((source) => [source.path, source])).values()];
  const folders = new Set(distinct.filter(({ kind }) => kind === 'folder').map(({ path }) => path));
  const sources = distinct.filter(({ path }) => !enclosing(path).some((folder) => folders.has(folder)));
  return { sources, folded: named.length - sources.length };
}

/**
 * The prefixes of the folders that `path` lies in, the outermost first: `a/`, `a/b/` for `a/b/c` and for
 * `a/b/c/`.
 */
export function enclosing(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf('/'); at >= 0 && at < path.length - 1; at = path.indexOf('/', at + 1)) {
    folders.push(path.slice(0, at + 1));
  }
  return folders;
}
