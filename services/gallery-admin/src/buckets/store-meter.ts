import type { S3Client } from '@aws-sdk/client-s3';
import type { Meter } from '@pressroom/common/metrics/meter';

/** Counts the requests to object stores and how long they took. */
export class StoreMeter {
  #answered = 0;
  #failed = 0;
  #seconds = 0;

  /** Counts what `s3` sends from now on. A request that the SDK repeats counts each time. */
  watch(s3: S3Client): void {
    s3.middlewareStack.add(
      (next) => async (args) => {
        const sent = performance.now();
        try {
          const answer = await next(args);
          this.#answered += 1;
          return answer;
        } catch (error) {
          this.#failed += 1;
          throw error;
        } finally {
          this.#seconds += (performance.now() - sent) / 1000;
        }
      },
      { step: 'finalizeRequest', priority: 'low', name: 'meter' },
    );
  }

  /** Requests by result, and the time that they took. */
  meters(): Meter[] {
    return [
      {
        name: 'object_store_requests_total',
        help: 'Requests to object stores; a refusal of the store counts as failed',
        kind: 'counter',
        labels: ['result'],
        read: () => [
          { labels: { result: 'answered' }, value: this.#answered },
          { labels: { result: 'failed' }, value: this.#failed },
        ],
      },
      {
        name: 'object_store_request_seconds_total',
        help: 'Time spent waiting for the answers of object stores',
        kind: 'counter',
        read: () => [{ value: this.#seconds }],
      },
    ];
  }
}
