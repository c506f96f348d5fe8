/** One MiB, in bytes. */
const MIB = 2 ** 20;

/** Parts of one multipart upload, as S3 limits them. */
export const MAX_PARTS = 10_000;

/** The smallest part but the last, in bytes. */
export const MIN_PART_SIZE = 5 * MIB;

/** The largest part, in bytes. */
export const MAX_PART_SIZE = 5 * 1024 * MIB;

/** The default part size, in bytes (`docs/spec/gallery-admin.md`, "Limits"). */
export const DEFAULT_PART_SIZE = 32 * MIB;

/** The largest object, in bytes: 5 TiB. */
export const MAX_SIZE = 5 * 2 ** 40;

/** How an object is divided into parts. */
export interface PartPlan {
  /** Size of every part but the last, in bytes. */
  partSize: number;
  partCount: number;
}

/**
 * Cuts `size` bytes into parts of `wanted` bytes, or of more whole MiB if that would be over 10,000 parts.
 */
export function planParts(size: number, wanted: number): PartPlan {
  const needed = Math.ceil(size / MAX_PARTS / MIB) * MIB;
  const partSize = size > wanted * MAX_PARTS ? needed : wanted;
  return { partSize, partCount: Math.ceil(size / partSize) };
}
