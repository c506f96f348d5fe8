import { isStoreFault } from '../buckets/store-fault.ts';
import { isNameRefused, NAME_REFUSED } from '../store-names.ts';
import { LockLost } from './exclusively.ts';

/** An object has changed since the operation looked at it: someone else is working in the bucket. */
export class ObjectChanged extends Error {}

/** The failure of one object, with its key. */
export class ObjectFailure extends Error {
  readonly key: string;

  constructor(key: string, cause: unknown) {
    super(`${JSON.stringify(key)} failed: ${reasonOf(cause)}`, { cause });
    this.key = key;
  }
}

/** Why an object could not be processed, for the user: S3's error code, or that no answer came. */
export function reasonOf(error: unknown): string {
  if (error instanceof ObjectChanged || error instanceof LockLost) return error.message;
  if (isNameRefused(error)) return NAME_REFUSED;
  if (!isStoreFault(error)) return 'an internal error';
  return error.$metadata.httpStatusCode === undefined ? 'the object store did not answer' : error.name;
}
