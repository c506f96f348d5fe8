import { Failure } from '@pressroom/common/failures/failure';

/** Limits how many searches run at once, so that they cannot take the whole database. */
export class SearchGate {
  readonly #most: number;
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs `search`. Throws a {@link Failure} if too many others are running. */
  async run<T>(search: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) {
      throw new Failure('unavailable', 'too many searches are running; try again later');
    }
    this.#running += 1;
    try {
      return await search();
    } finally {
      this.#running -= 1;
    }
  }
}
