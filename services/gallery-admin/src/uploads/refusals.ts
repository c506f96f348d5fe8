import { Failure } from '@pressroom/common/failures/failure';
import { isRefusal } from '../buckets/store-fault.ts';
import { isNameRefused, NAME_REFUSED } from '../store-names.ts';

const NO_UPLOAD = 'the upload does not exist: it was completed or aborted, or uploadId and key do not match';

/** A part has changed since it was checked, or the store requires every part (Ceph). */
const PARTS_REFUSED = 'parts: the store rejects them; list the parts again and name every uploaded part';

/** The failure for an upload that is not open. */
export function noUpload(cause?: unknown): Failure {
  return new Failure('missing', NO_UPLOAD, { code: 'upload_not_found', cause });
}

/** Runs `ask` about an upload that should be open, and explains S3's refusals. */
export async function explained<T>(ask: Promise<T>): Promise<T> {
  try {
    return await ask;
  } catch (error) {
    throw failureOf(error) ?? error;
  }
}

function failureOf(error: unknown): Failure | undefined {
  // Ceph answers NoSuchKey to a list of parts.
  if (isRefusal(error, 'NoSuchUpload') || isRefusal(error, 'NoSuchKey')) return noUpload(error);
  if (isRefusal(error, 'EntityTooSmall')) {
    return new Failure('refused', 'parts: only the last part may be smaller than 5 MiB');
  }
  if (isRefusal(error, 'InvalidPart')) return new Failure('refused', PARTS_REFUSED);
  if (isNameRefused(error)) return new Failure('refused', NAME_REFUSED);
  return undefined;
}

/**
 * Like {@link explained}, for requests about parts: an upload whose key or id the store rejects is not open.
 */
export async function explainedByParts<T>(ask: Promise<T>): Promise<T> {
  return explained(
    ask.catch((error: unknown) => {
      throw isNameRefused(error) ? noUpload(error) : error;
    }),
  );
}
