import { Failure } from '@pressroom/common/failures/failure';
import pLimit, { type LimitFunction } from 'p-limit';

/** Limits how many searches run at once, so that they cannot take the whole database. */
export class SearchGate {
  readonly #limit: LimitFunction;

  constructor(most: number) {
    this.#limit = pLimit(most);
  }

  /** Runs `search`. Throws a {@link Failure} if too many others are running. */
  async run<T>(search: () => Promise<T>): Promise<T> {
    const { activeCount, pendingCount, concurrency } = this.#limit;
    if (activeCount + pendingCount >= concurrency) {
      throw new Failure('unavailable', 'too many searches are running; try again later');
    }
    return this.#limit(search);
  }
}
