import { Failure } from '@pressroom/common/failures/failure';
import { LRUCache } from 'lru-cache';

/** The bounds of a {@link FairQueue}. */
export interface FairQueueLimits {
  /** Pieces of work that run at once. */
  concurrency: number;
  /** Pieces that may wait, over all owners. */
  waiting: number;
  /** Owners that may wait beyond `waiting`, each with a first piece. */
  owners: number;
}

/** A piece of work that waits for its turn. */
interface Waiting {
  owner: string;
  /** How many pieces of this owner come before it. */
  round: number;
  start: () => void;
}

/** Owners whose pieces are remembered, and for how long, in ms. */
const REMEMBERED = { max: 10_000, ttl: 15 * 60_000 };

/**
 * Runs work for many owners, a few pieces at a time. The owner served least comes first, so one who queues a
 * hundred pieces delays others only by the piece that is running. Work is refused before it waits, never
 * afterwards.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #served = new LRUCache<string, number>(REMEMBERED);
  /** By round, and within a round in the order of arrival. */
  readonly #waiting: Waiting[] = [];
  #running = 0;
  /** Who waits until nothing runs and nothing waits. */
  #idleListeners: (() => void)[] = [];

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  /**
   * Runs `work` when it is its turn. Fails with `unavailable`, without running it, if too many are already
   * waiting.
   */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    await this.#turn(owner);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#startNext();
    }
  }

  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleListeners.push(resolve));
  }

  #turn(owner: string): Promise<void> | undefined {
    if (this.#running < this.#limits.concurrency) return this.#begin(owner);
    const own = this.#waiting.filter((piece) => piece.owner === owner).length;
    const { waiting, owners } = this.#limits;
    if (this.#waiting.length >= (own === 0 ? waiting + owners : waiting)) {
      throw new Failure('unavailable', 'too many logins at once; try again');
    }
    const round = (this.#served.get(owner) ?? 0) + own;
    return new Promise((start) => {
      const later = this.#waiting.findIndex((piece) => piece.round > round);
      this.#waiting.splice(later === -1 ? this.#waiting.length : later, 0, { owner, round, start });
    });
  }

  #begin(owner: string): undefined {
    this.#running += 1;
    this.#served.set(owner, (this.#served.get(owner) ?? 0) + 1);
  }

  #startNext(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) {
      this.#begin(next.owner);
      next.start();
    } else if (this.#running === 0) {
      for (const listener of this.#idleListeners.splice(0)) listener();
    }
  }
}
