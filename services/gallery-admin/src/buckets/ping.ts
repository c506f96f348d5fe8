import { HeadBucketCommand } from '@aws-sdk/client-s3';
import type { Bucket } from './bucket.ts';
import { isStoreFault, statusOf } from './store-fault.ts';

/** How long the store may take to answer a ping, in ms. */
const TIMEOUT_MS = 2000;

/**
 * Resolves when the store of `bucket` gives any answer: a wrong key is fixed in the settings. Otherwise, or
 * if the bucket's keys cannot be decrypted, rejects with the error. For `/readyz` and the metrics.
 */
export async function pingStore(bucket: Promise<Bucket>): Promise<void> {
  const { name, s3 } = await bucket;
  try {
    await s3.send(new HeadBucketCommand({ Bucket: name }), { abortSignal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    const status = isStoreFault(error) ? statusOf(error) : undefined;
    if (status === undefined || status >= 500) throw error;
  }
}
