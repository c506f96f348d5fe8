import { isRefusal } from './buckets/store-fault.ts';

/**
 * S3's error codes for a name that a store cannot keep, although S3 allows it. MinIO keeps objects as files:
 * each segment has at most 255 bytes, and none is empty, `.` or `..`.
 */
const NAME_CODES: readonly string[] = [
  'KeyTooLongError',
  'XMinioInvalidObjectName',
  'XMinioInvalidResourceName',
  'XMinioParentIsObject',
];

/** What {@link isNameRefused} means to whoever chose the name. */
export const NAME_REFUSED =
  'the store does not take this name; MinIO takes at most 255 bytes between two "/", no empty, "." or ".." segment, and' +
  ' no folder that has the name of a file';

/** True for a store's refusal of an object's name: it keeps nothing under it. */
export function isNameRefused(error: unknown): boolean {
  return NAME_CODES.some((code) => isRefusal(error, code));
}
