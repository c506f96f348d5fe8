import { setTimeout as pass } from 'node:timers/promises';
import { isDatabaseAway } from '@pressroom/common/database/database';
import { backoffSeconds } from '@pressroom/common/database/leases';
import type { Logger } from '@pressroom/common/log/logging';
import pLimit from 'p-limit';

const BACKOFF = { firstSeconds: 5, mostSeconds: 600 };

interface JobSlotsOptions {
  /** The kind of work, for the log. */
  kind: string;
  /** Jobs that run at once. */
  most: number;
  /** Called when a piece of work has done something: there may be more. */
  onDone: () => void;
  /** Aborted when work is to be given up. */
  signal: AbortSignal;
  log: Logger;
}

/** The running jobs of one kind, each by its key. */
export class JobSlots<Key extends string | number> {
  readonly #options: JobSlotsOptions;
  readonly #inHand = new Map<Key, Promise<void>>();
  /** Failures in a row. */
  #failures = 0;
  #pausedUntil = 0;

  constructor(options: JobSlotsOptions) {
    this.#options = options;
  }

  /** Number of jobs that may begin: none for a while after a failure, which may befall all of them. */
  get free(): number {
    return performance.now() < this.#pausedUntil ? 0 : this.#options.most - this.#inHand.size;
  }

  /** Keys of the running jobs. */
  get keys(): Key[] {
    return [...this.#inHand.keys()];
  }

  /**
   * Begins a piece of work, which returns true if it has done something. Its errors are only logged: work
   * that needs to keep them does so itself.
   */
  begin(key: Key, work: (signal: AbortSignal) => Promise<boolean>): void {
    if (this.#inHand.has(key)) return;
    this.#inHand.set(key, this.#carryOut(key, work));
  }

  async ended(): Promise<void> {
    await Promise.all(this.#inHand.values());
  }

  async #carryOut(key: Key, work: (signal: AbortSignal) => Promise<boolean>): Promise<void> {
    const { onDone, signal } = this.#options;
    let hasWorked = false;
    try {
      hasWorked = await work(signal);
      this.#failures = 0;
    } catch (error) {
      if (!signal.aborted) this.#failed(key, error);
    }
    this.#inHand.delete(key);
    if (hasWorked) onDone();
  }

  #failed(key: Key, error: unknown): void {
    const { kind, log } = this.#options;
    log.warn({ kind, key, err: error }, isDatabaseAway(error) ? 'database_away' : 'work_failed');
    const now = performance.now();
    // Jobs that began beside the failed one often fail with it.
    if (now < this.#pausedUntil) return;
    this.#failures += 1;
    this.#pausedUntil = now + backoffSeconds(BACKOFF, this.#failures) * 1000;
  }
}

/** The longest rest, in ms: a standstill, such as a database that was away, is not a load. */
const MAX_REST_MS = 5000;

/** The clock of {@link Throttle}; tests replace it. */
interface PaceClock {
  /** The time since any moment, in ms. */
  now: () => number;
  /** Lets `ms` pass, or fewer if the signal is aborted. */
  rest: (ms: number, signal: AbortSignal) => Promise<void>;
}

const SYSTEM_CLOCK: PaceClock = {
  now: () => performance.now(),
  rest: async (ms, signal) => {
    await pass(ms, undefined, { signal, ref: false }).catch(() => undefined);
  },
};

/**
 * Lets one piece of work run at a time, and rests after each so that work takes only a share of the time, 5 s
 * at most. A busy database or machine slows work down, and so makes the rests longer.
 */
export class Throttle {
  readonly #turn = pLimit(1);
  readonly #restsPerWork: number;
  readonly #clock: PaceClock;
  readonly #hurry = new AbortController();

  /** `share` is above 0; with 1 there are no rests. */
  constructor(share: number, clock = SYSTEM_CLOCK) {
    this.#restsPerWork = 1 / share - 1;
    this.#clock = clock;
  }

  /** Runs `work` when it is its turn. Only those whose turn is next wait for the rest after it. */
  take<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      void this.#turn(async () => {
        const began = this.#clock.now();
        try {
          resolve(await work());
        } catch (error) {
          reject(error);
          return;
        }
        await this.#rest((this.#clock.now() - began) * this.#restsPerWork);
      });
    });
  }

  /** Ends the rest, and all later ones: for a worker that stops. */
  hurry(): void {
    this.#hurry.abort();
  }

  async #rest(ms: number): Promise<void> {
    const { signal } = this.#hurry;
    if (ms > 0 && !signal.aborted) await this.#clock.rest(Math.min(ms, MAX_REST_MS), signal);
  }
}
