import { setTimeout as pass } from 'node:timers/promises';
import pLimit from 'p-limit';

/** The longest rest, in ms: what stood still, such as a database that was away, is not a load. */
const MAX_REST_MS = 5000;

/** How {@link PacedTurns} tells the time; tests replace it. */
export interface PaceClock {
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
 * Lets one piece of work run at a time, and rests after each for as long as keeps work to a share of the
 * time, 5 s at most. What shares the database and its machine slows work down, and so makes the rests longer.
 */
export class PacedTurns {
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

  /** Ends the rest, and has no more of them: for a worker that is to stop. */
  hurry(): void {
    this.#hurry.abort();
  }

  async #rest(ms: number): Promise<void> {
    const { signal } = this.#hurry;
    if (ms > 0 && !signal.aborted) await this.#clock.rest(Math.min(ms, MAX_REST_MS), signal);
  }
}
