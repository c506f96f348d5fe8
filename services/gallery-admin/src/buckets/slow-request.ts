import { setTimeout as pause } from 'node:timers/promises';
import { HeadBucketCommand } from '@aws-sdk/client-s3';
import type { Bucket } from './bucket.ts';
import { isStoreFault } from './store-fault.ts';

/** How often the store is pinged, in ms. */
const CHECK_MS = 2000;

/** How long a ping may take, in ms: a store that hangs is given up on within 10 s. */
const ANSWER_MS = 5000;

/** The store no longer answers; looks like a request that got no answer. */
class StoreSilent extends Error {
  readonly $metadata = {};
  override readonly name = 'TimeoutError';
}

/** Options for a slow request. */
export interface SlowRequestOptions {
  abortSignal: AbortSignal;
  /** In ms. */
  requestTimeout: number;
}

/**
 * Sends a request that may take minutes, such as assembling an object, and waits as long as the store answers
 * other requests. A store that hangs is given up on within 10 s, however long the work may take.
 */
export async function slowRequest<T>(
  bucket: Bucket,
  requestTimeout: number,
  send: (options: SlowRequestOptions) => Promise<T>,
): Promise<T> {
  const silent = new AbortController();
  const answered = new AbortController();
  const watching = watch(bucket, answered.signal).catch((error) => silent.abort(error));
  try {
    return await send({ abortSignal: silent.signal, requestTimeout });
  } catch (error) {
    throw silent.signal.aborted ? new StoreSilent('the store stopped answering', { cause: error }) : error;
  } finally {
    answered.abort();
    await watching;
  }
}

/** Resolves when `answered` is aborted; rejects if the store stops answering before that. */
async function watch({ name, s3 }: Bucket, answered: AbortSignal): Promise<void> {
  for (;;) {
    await pause(CHECK_MS, undefined, { signal: answered, ref: false }).catch(() => undefined);
    if (answered.aborted) return;
    const abortSignal = AbortSignal.any([answered, AbortSignal.timeout(ANSWER_MS)]);
    await s3.send(new HeadBucketCommand({ Bucket: name }), { abortSignal }).catch((error: unknown) => {
      // Any answer shows that the store is alive.
      const isAnswer = isStoreFault(error) && error.$metadata.httpStatusCode !== undefined;
      if (!isAnswer && !answered.aborted) throw error;
    });
  }
}
