import { Failure } from '@pressroom/common/failures/failure';
import { isRefusal } from '../buckets/store-fault.ts';
import { isNameRefused, NAME_REFUSED } from '../store-names.ts';

const NO_UPLOAD =
  'there is no such upload: it was completed or aborted, or uploadId and key do not belong together';

/** A part changed since it was looked at; or the store is one that wants every part (Ceph). */
const PARTS_REFUSED =
  'parts: the store refuses them; list the parts again, and name every one that has arrived';

/** The failure for an upload that is not open. */
export function noUpload(cause?: unknown): Failure {
  return new Failure('missing', NO_UPLOAD, { code: 'upload_not_found', cause });
}

/** True for the failure {@link noUpload}. */
export function isNoUpload(error: unknown): boolean {
  return error instanceof Failure && error.code === 'upload_not_found';
}

/** Runs `ask` about an upload that is thought to be open, and says what S3's refusals mean. */
export async function explained<T>(ask: Promise<T>): Promise<T> {
  try {
    return await ask;
  } catch (error) {
    throw failureOf(error) ?? error;
  }
}

function failureOf(error: unknown): Failure | undefined {
  // Ceph calls it NoSuchKey when it is asked for the parts.
  if (isRefusal(error, 'NoSuchUpload') || isRefusal(error, 'NoSuchKey')) return noUpload(error);
  if (isRefusal(error, 'EntityTooSmall')) {
    return new Failure('refused', 'parts: only the last part may be below 5 MiB');
  }
  if (isRefusal(error, 'InvalidPart')) return new Failure('refused', PARTS_REFUSED);
  if (isNameRefused(error)) return new Failure('refused', NAME_REFUSED);
  return undefined;
}

/**
 * As {@link explained}, for a question about parts: an upload whose key or id the store refuses to look at is
 * not open.
 */
export async function explainedByParts<T>(ask: Promise<T>): Promise<T> {
  return explained(
    ask.catch((error: unknown) => {
      throw isNameRefused(error) ? noUpload(error) : error;
    }),
  );
}
