import { Failure } from '@pressroom/common/failures/failure';
import { named } from './messages.ts';

/** What a path in a request names: one object, or a folder with everything in it. */
export interface Source {
  kind: 'object' | 'folder';
  /** The key, or the prefix of the folder's keys, which ends with `/`. */
  path: string;
}

/** A source and its destination. */
export interface Transfer {
  source: Source;
  /** The key, or the folder's new prefix. */
  target: string;
  /** Until everything has been copied: nothing that is missing at the source has been moved by us. */
  copying?: true;
}

/** A reason why sources cannot go where they should, with the paths that are in the way. */
export interface Obstacle {
  reason: string;
  paths: string[];
}

/**
 * The destination of `source` in the folder `dest` (a prefix, empty for the root), under its last name unless
 * another is given.
 */
export function targetOf({ kind, path }: Source, dest: string, name: string = lastName(path)): string {
  return kind === 'folder' && !name.endsWith('/') ? `${dest}${name}/` : `${dest}${name}`;
}

/** The last segment of a path; that of a folder includes its `/`. */
export function lastName(path: string): string {
  return path.slice(parentOf(path).length);
}

/** The folder that a path lies in, as a prefix; empty for the root. */
export function parentOf(path: string): string {
  return path.slice(0, path.replace(/\/$/, '').lastIndexOf('/') + 1);
}

/** Where a source goes: its key or prefix there. */
export type Placing = (source: Source) => string;

/** Plans the transfer of every source; one that is named twice is transferred once. */
export function planTransfers(sources: readonly Source[], placing: Placing): Transfer[] {
  const distinct = new Map(sources.map((source) => [source.path, source]));
  return [...distinct.values()].map((source) => ({ source, target: placing(source) }));
}

/** The reasons, independent of the bucket's content, why `transfers` cannot start. */
export function plannedObstacles(transfers: readonly Transfer[]): Obstacle[] {
  const onto = transfers.filter(({ source, target }) => source.path === target);
  const into = transfers.filter(
    ({ source, target }) =>
      source.kind === 'folder' && source.path !== target && target.startsWith(source.path),
  );
  const obstacles = [
    { reason: 'the destination is the source itself', paths: onto.map(({ target }) => target) },
    { reason: 'the destination is inside the source', paths: into.map(({ source }) => source.path) },
    { reason: 'two sources would have the same destination', paths: repeatedTargets(transfers) },
  ];
  return obstacles.filter(({ paths }) => paths.length > 0);
}

/** The failure for obstacles at the destinations; nothing was changed. */
export function destinationConflict(obstacles: readonly Obstacle[]): Failure {
  const reasons = obstacles.map(({ reason, paths }) => `${reason}: ${named(paths)}`);
  const code = 'destination_conflict';
  return new Failure('refused', `${reasons.join('; ')}; nothing was changed`, { code });
}

function repeatedTargets(transfers: readonly Transfer[]): string[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { target } of transfers) (seen.has(target) ? repeated : seen).add(target);
  return [...repeated];
}
