import type { ItemsQuery } from './schema.ts';

const HOUR_MS = 60 * 60 * 1000;

/** The lengths of the windows, in ms. */
const LENGTH_MS = { '24h': 24 * HOUR_MS, '7d': 7 * 24 * HOUR_MS };

/**
 * How long a page may be served without a new query, in ms: an item dated in the future enters the window
 * without a write, and a page cannot tell when.
 */
const LONGEST_SHOWN_MS = 5000;

/**
 * The window of a query at a given time: an item is in it from its own time until it is as old as the window
 * is long.
 */
export class Window {
  readonly #lengthMs: number;
  readonly #now: Date;

  constructor({ window }: Pick<ItemsQuery, 'window'>, now: Date) {
    this.#lengthMs = LENGTH_MS[window];
    this.#now = now;
  }

  /** The end of the window: the given time itself. */
  get through(): Date {
    return this.#now;
  }

  /** The start of the window: items of this time have just left it, newer ones have not. */
  get after(): Date {
    return new Date(this.#now.getTime() - this.#lengthMs);
  }

  /** Whether items of `time` have left the window. */
  hasLeft(time: Date): boolean {
    return time <= this.after;
  }

  /**
   * Until when a page that depends on items of these times stays valid: until the first of them leaves.
   */
  expiryOf(times: readonly Date[]): Date {
    const leaving = times.map((time) => time.getTime() + this.#lengthMs);
    return new Date(Math.min(this.#now.getTime() + LONGEST_SHOWN_MS, ...leaving));
  }
}
