import type { Kysely, KyselyPlugin } from 'kysely';
import pLimit, { type LimitFunction } from 'p-limit';
import { Failure } from '../failures/failure.ts';

/** How much of the database searches may take. */
export interface SearchLimits {
  /** The most searches at once, each on a connection of its own. */
  concurrency: number;
  /** The time limit of a search with all its statements, in ms. */
  timeoutMs: number;
}

/** Limits how many searches run at once and for how long, so that they cannot take the whole database. */
export class SearchGate<Tables> {
  readonly #db: Kysely<Tables>;
  readonly #limit: LimitFunction;
  readonly #timeoutMs: number;

  /** @param db where searches run: connections of their own, where a statement has the same time limit */
  constructor(db: Kysely<Tables>, { concurrency, timeoutMs }: SearchLimits) {
    this.#db = db;
    this.#limit = pLimit(concurrency);
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Runs `search`. Throws a {@link Failure} if too many others are running, or if it takes too long: it then
   * keeps its place until the statement in hand has ended, and begins no other.
   */
  async run<T>(search: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const { activeCount, pendingCount, concurrency } = this.#limit;
    if (activeCount + pendingCount >= concurrency) {
      throw new Failure('unavailable', 'too many searches are running; try again later');
    }
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Failure('unavailable', TOO_LONG)), this.#timeoutMs);
    const running = this.#limit(() => search(this.#db.withPlugin(until(late.signal))));
    const isLate = new Promise<never>((_, reject) => {
      late.signal.addEventListener('abort', () => reject(late.signal.reason));
    });
    return Promise.race([running, isLate]).finally(() => clearTimeout(timer));
  }
}

const TOO_LONG = 'the search took too long; use longer or fewer words, or a filter';

/** Throws after a statement that ends after the signal. */
function until(signal: AbortSignal): KyselyPlugin {
  return {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      signal.throwIfAborted();
      return result;
    },
  };
}
