import type { ItemsQuery } from './schema.ts';

const HOUR_MS = 60 * 60 * 1000;

/** The lengths of the windows, in ms. */
const LENGTH_MS = { '24h': 24 * HOUR_MS, '7d': 7 * 24 * HOUR_MS };

/**
 * How long a page may be shown without another look, in ms: an item that is dated into the future comes into
 * the window by itself, and no page says when.
 */
const LONGEST_SHOWN_MS = 5000;

/**
 * The window of a query at a moment: an item is in it from the time that it bears until it is as old as the
 * window is long.
 */
export class Window {
  readonly #lengthMs: number;
  readonly #now: Date;

  constructor({ window }: Pick<ItemsQuery, 'window'>, now: Date) {
    this.#lengthMs = LENGTH_MS[window];
    this.#now = now;
  }

  /** The moment itself: nothing newer is in the window. */
  get through(): Date {
    return this.#now;
  }

  /** What is of this time has just left the window; all that is newer has not. */
  get after(): Date {
    return new Date(this.#now.getTime() - this.#lengthMs);
  }

  /** Whether something of `time` has left the window. */
  hasLeft(time: Date): boolean {
    return time <= this.after;
  }

  /**
   * Until when a page that depends on items of these times stays as it is: the first of them to leave ends
   * it.
   */
  expiryOf(times: readonly Date[]): Date {
    const leaving = times.map((time) => time.getTime() + this.#lengthMs);
    return new Date(Math.min(this.#now.getTime() + LONGEST_SHOWN_MS, ...leaving));
  }
}
