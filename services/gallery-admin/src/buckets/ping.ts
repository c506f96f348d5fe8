import { HeadBucketCommand } from '@aws-sdk/client-s3';
import type { Bucket } from './bucket.ts';
import { isStoreFault, statusOf } from './store-fault.ts';

/** How long the store may take to answer a ping, in ms. */
const TIMEOUT_MS = 2000;

/** How long an answer shows that the store is there, in ms: probes ask more often, and asking costs CPU. */
const ANSWERED_MS = 60_000;

/** Asks whether the store of a bucket answers, for `/readyz` and the metrics. */
export class StorePing {
  readonly #now: () => number;
  /** The bucket whose store answered last, and when. */
  #answered: { bucket: Bucket; at: number } | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Resolves if the store of `bucket` has given any answer in the last minute: a wrong key is fixed in the
   * settings. Otherwise, or if the bucket's keys cannot be decrypted, rejects with the error.
   */
  async ping(active: Promise<Bucket>): Promise<void> {
    const bucket = await active;
    const at = this.#now();
    const { bucket: known, at: since } = this.#answered ?? {};
    if (known === bucket && since !== undefined && at - since < ANSWERED_MS) return;
    this.#answered = undefined;
    await ask(bucket);
    this.#answered = { bucket, at };
  }
}

async function ask({ name, s3 }: Bucket): Promise<void> {
  try {
    await s3.send(new HeadBucketCommand({ Bucket: name }), { abortSignal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    const status = isStoreFault(error) ? statusOf(error) : undefined;
    if (status === undefined || status >= 500) throw error;
  }
}
