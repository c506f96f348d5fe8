import { Problem } from '@pressroom/common/problems/problem';
import { isStoreFault } from '../buckets/store-fault.ts';
import type { Obstacle } from './destination.ts';

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

/** 400: something stands where the sources should go; nothing was changed. */
export function destinationConflict(obstacles: readonly Obstacle[]): Problem {
  const reasons = obstacles.map(({ reason, paths }) => `${reason}: ${named(paths)}`);
  const detail = `${reasons.join('; ')}; nothing was changed`;
  return new Problem(400, 'destination_conflict', detail);
}

/** 500: the operation stopped in between; `detail` says what was done, what not, and how to go on. */
export function operationIncomplete(detail: string, cause?: unknown): Problem {
  return new Problem(500, 'operation_incomplete', detail, { cause });
}

/** Why an object could not be dealt with, for the person who asked: S3's error code, or that no answer came. */
export function reasonOf(error: unknown): string {
  if (error instanceof ObjectChanged) return error.message;
  if (!isStoreFault(error)) return 'an internal error';
  return error.$metadata.httpStatusCode === undefined ? 'the object store did not answer' : error.name;
}

/** An object is not what it was when the operation looked at it: somebody else works in the bucket. */
export class ObjectChanged extends Error {}

/** The failure of one object, with its key. */
export class ObjectFailure extends Error {
  readonly key: string;

  constructor(key: string, cause: unknown) {
    super(`${JSON.stringify(key)} failed: ${reasonOf(cause)}`, { cause });
    this.key = key;
  }
}
