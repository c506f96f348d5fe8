import { isRefusal } from './buckets/store-fault.ts';

/**
 * S3's error codes for a name that a store does not accept, although S3 allows it. MinIO stores objects as
 * files: each segment has at most 255 bytes, and none is empty, `.` or `..`.
 */
const NAME_CODES: readonly string[] = [
  'KeyTooLongError',
  'XMinioInvalidObjectName',
  'XMinioInvalidResourceName',
  'XMinioParentIsObject',
  // versitygw refuses a path that leads out of its bucket without a code, so the SDK names the status.
  '400',
];

/** The message for {@link isNameRefused}, for the user who chose the name. */
export const NAME_REFUSED =
  'the store does not accept this name; MinIO allows at most 255 bytes between two "/", no empty, "." or ".." segment, and' +
  ' no folder with the same name as a file';

/** True if a store refuses an object's name, so that nothing can exist under it. */
export function isNameRefused(error: unknown): boolean {
  return NAME_CODES.some((code) => isRefusal(error, code));
}
