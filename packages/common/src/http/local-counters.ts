import type { FastifyRateLimitStore } from '@fastify/rate-limit';
import LocalStore from '@fastify/rate-limit/store/LocalStore.js';

/** If the clock goes back further than this, in ms, the open windows are given up. */
const SET_BACK_MS = 1000;

/**
 * Counters in the memory of this process. Windows begin at a time of day: when the clock is set back an hour,
 * they would last an hour longer, so all counts begin again.
 */
export class LocalCounters implements FastifyRateLimitStore {
  readonly #entries: number;
  #store: FastifyRateLimitStore;
  #latest = 0;

  /** @param entries how many counters are kept; the least recent are dropped first */
  constructor(entries: number) {
    this.#entries = entries;
    this.#store = this.#empty();
  }

  /** Counts one request of `key`; see `@fastify/rate-limit`, "Custom store". */
  incr: FastifyRateLimitStore['incr'] = (key, callback, windowMs, max) => {
    const now = Date.now();
    if (now < this.#latest - SET_BACK_MS) this.#store = this.#empty();
    this.#latest = now;
    this.#store.incr(key, callback, windowMs, max);
  };

  child(): this {
    return this;
  }

  #empty(): FastifyRateLimitStore {
    return new LocalStore(false, false, this.#entries);
  }
}
