import type { Bucket } from '../buckets/bucket.ts';
import { isStoreFault } from '../buckets/store-fault.ts';

/** How large objects are copied. */
export interface CopyLimits {
  /** Larger objects are copied in parts: S3 copies at most 5 GiB in one request. */
  singleCopyBytes: number;
  /** Bytes of a part, raised if an object would have more than 10,000 parts. */
  partBytes: number;
}

/** S3's own limits: 5 GiB in one copy; parts of 1 GiB, several copied at a time. */
export const S3_COPY_LIMITS: CopyLimits = { singleCopyBytes: 5 * 2 ** 30, partBytes: 2 ** 30 };

/** The slowest copy speed tolerated, in bytes per millisecond (4 MiB/s), on top of {@link ANSWER_MS}. */
const SLOWEST_COPY = (4 * 2 ** 20) / 1000;

const ANSWER_MS = 15_000;

/** How long the store may take to copy `bytes`, in ms. */
export function copyTimeout(bytes: number): number {
  return ANSWER_MS + Math.ceil(bytes / SLOWEST_COPY);
}

/** The value of `x-amz-copy-source`: bucket and key, each segment percent-encoded. */
export function copySource(bucket: Bucket, key: string): string {
  return `${bucket.name}/${key.split('/').map(encodeURIComponent).join('/')}`;
}

/** Writes on condition that the target is free, or unconditionally in a store that does not support that. */
export async function ifFree<T>(write: (condition: { IfNoneMatch?: '*' }) => Promise<T>): Promise<T> {
  try {
    return await write({ IfNoneMatch: '*' });
  } catch (error) {
    if (!isStoreFault(error) || error.$metadata.httpStatusCode !== 501) throw error;
    return write({});
  }
}
