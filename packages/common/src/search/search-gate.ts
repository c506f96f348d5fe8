import type { Kysely } from 'kysely';
import pLimit, { type LimitFunction } from 'p-limit';
import { Failure } from '../failures/failure.ts';

/** Limits how many searches run at once, so that they cannot take the whole database. */
export class SearchGate<Tables> {
  readonly #db: Kysely<Tables>;
  readonly #limit: LimitFunction;

  /** @param db where searches run: separate connections, with a time limit */
  constructor(db: Kysely<Tables>, most: number) {
    this.#db = db;
    this.#limit = pLimit(most);
  }

  /** Runs `search`. Throws a {@link Failure} if too many others are running. */
  async run<T>(search: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const { activeCount, pendingCount, concurrency } = this.#limit;
    if (activeCount + pendingCount >= concurrency) {
      throw new Failure('unavailable', 'too many searches are running; try again later');
    }
    return this.#limit(() => search(this.#db));
  }
}
