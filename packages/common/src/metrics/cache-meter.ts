import type { Meter } from './meter.ts';

/** How often a cache was asked since the process started. */
export interface CacheCounts {
  /** Answers from memory. */
  readonly hits: number;
  /** Answers that had to be made. */
  readonly misses: number;
}

/** The answers that a cache had and those that it did not have. */
export function cacheMeter(cache: CacheCounts): Meter {
  return {
    name: 'cache_answers_total',
    help: 'Answers that may be cached, by whether they were',
    kind: 'counter',
    labels: ['result'],
    read: () => [
      { labels: { result: 'hit' }, value: cache.hits },
      { labels: { result: 'miss' }, value: cache.misses },
    ],
  };
}
