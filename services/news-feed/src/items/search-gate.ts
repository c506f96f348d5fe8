import { temporarilyUnavailable } from '@pressroom/common/problems/problem';

/** When a client that was turned away may try again, in seconds. */
const RETRY_AFTER_S = 1;

/** Lets so many searches run at once and turns the others away, so that they cannot take the whole database. */
export class SearchGate {
  readonly #most: number;
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs `search`. Throws 503 with `Retry-After` while too many others run. */
  async run<T>(search: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) {
      throw temporarilyUnavailable('too many searches are running; try again', RETRY_AFTER_S);
    }
    this.#running += 1;
    try {
      return await search();
    } finally {
      this.#running -= 1;
    }
  }
}
