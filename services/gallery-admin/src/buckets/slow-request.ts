import { setTimeout as pause } from 'node:timers/promises';
import { HeadBucketCommand } from '@aws-sdk/client-s3';
import type { Bucket } from './bucket.ts';
import { isStoreFault } from './store-fault.ts';

/** How often the store is asked whether it is still there, in ms. */
const CHECK_MS = 2000;

/** How long it may take to say so, in ms: a store that hangs is given up within 10 s. */
const ANSWER_MS = 5000;

/** The store answers nothing any more; looks like a request that got no answer. */
class StoreSilent extends Error {
  readonly $metadata = {};
  override readonly name = 'TimeoutError';
}

/** What a slow request is sent with. */
export interface SlowRequestOptions {
  abortSignal: AbortSignal;
  /** In ms. */
  requestTimeout: number;
}

/**
 * Sends a request that may take minutes, such as putting an object together, for as long as the store answers
 * other requests. One that hangs is given up within 10 s, however long the work may take.
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
    throw silent.signal.aborted ? new StoreSilent('the store has fallen silent', { cause: error }) : error;
  } finally {
    answered.abort();
    await watching;
  }
}

/** Resolves when `answered` is aborted; rejects when the store answers nothing before that. */
async function watch({ name, s3 }: Bucket, answered: AbortSignal): Promise<void> {
  for (;;) {
    await pause(CHECK_MS, undefined, { signal: answered, ref: false }).catch(() => undefined);
    if (answered.aborted) return;
    const abortSignal = AbortSignal.any([answered, AbortSignal.timeout(ANSWER_MS)]);
    await s3.send(new HeadBucketCommand({ Bucket: name }), { abortSignal }).catch((error: unknown) => {
      // Whatever it answers, it is there.
      const isAnswer = isStoreFault(error) && error.$metadata.httpStatusCode !== undefined;
      if (!isAnswer && !answered.aborted) throw error;
    });
  }
}
