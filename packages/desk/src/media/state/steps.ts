import { isInTrash } from '../trash.ts';
import { nameOf, parentOf } from './place.ts';

/** A name that a path gets at its destination. */
interface NewName {
  readonly path: string;
  readonly name: string;
}

/** A request that the gallery carries out in the background. */
export type Step =
  | { readonly action: 'delete'; readonly paths: readonly string[]; readonly trash: boolean }
  | {
      readonly action: 'restore';
      readonly paths: readonly string[];
      /** Names for those that do not get theirs back. */
      readonly names?: readonly NewName[] | undefined;
    }
  | {
      readonly action: 'copy' | 'move';
      readonly paths: readonly string[];
      readonly dest: string;
      /** Names at the destination for those that do not keep theirs. */
      readonly names?: readonly NewName[] | undefined;
    }
  | { readonly action: 'rename'; readonly path: string; readonly name: string };

/** The most paths in one request. */
const AT_ONCE = 1000;

/**
 * Deletes files and folders, however many: for good what is in the trash, and anything else without `trash`.
 */
export function deletionOf(paths: readonly string[], trash = !paths.some(isInTrash)): Step[] {
  return chunksOf(paths).map((some) => ({ action: 'delete', paths: some, trash }));
}

/** Brings files and folders back from the trash, however many. */
export function restorationOf(paths: readonly string[], names: ReadonlyMap<string, string>): Step[] {
  return chunksOf(paths).map((some) => ({ action: 'restore', paths: some, ...namesOf(some, names) }));
}

/** Copies or moves files and folders to the folder `dest`, however many. */
export function transferOf(
  action: 'copy' | 'move',
  paths: readonly string[],
  dest: string,
  names: ReadonlyMap<string, string> = new Map(),
): Step[] {
  return chunksOf(paths).map((some) => ({ action, paths: some, dest, ...namesOf(some, names) }));
}

function namesOf(paths: readonly string[], names: ReadonlyMap<string, string>): { names?: NewName[] } {
  const given = paths.flatMap((path) => {
    const name = names.get(path);
    return name === undefined ? [] : [{ path, name }];
  });
  return given.length > 0 ? { names: given } : {};
}

/** What steps move: where it is, to where it goes; folders end with `/`. */
export function movedBy(steps: readonly Step[]): Map<string, string> {
  const moved = steps.flatMap((step): [string, string][] => {
    if (step.action === 'rename') return [[step.path, pathIn(parentOf(step.path), step.name, step.path)]];
    if (step.action !== 'move') return [];
    const names = new Map(step.names?.map(({ path, name }) => [path, name]));
    return step.paths.map((path) => [path, pathIn(step.dest, names.get(path) ?? nameOf(path), path)]);
  });
  return new Map(moved);
}

function pathIn(folder: string, name: string, path: string): string {
  return `${folder}${name}${path.endsWith('/') ? '/' : ''}`;
}

/** The paths at which nothing is left after a step. */
export function goneAfter(step: Step): readonly string[] {
  if (step.action === 'copy') return [];
  return step.action === 'rename' ? [step.path] : step.paths;
}

function chunksOf(paths: readonly string[]): string[][] {
  const count = Math.ceil(paths.length / AT_ONCE);
  return Array.from({ length: count }, (_, index) => paths.slice(index * AT_ONCE, (index + 1) * AT_ONCE));
}
