import { LRUCache } from 'lru-cache';
import { Failure } from '../failures/failure.ts';

/** The bounds of a {@link FairQueue}. */
export interface FairQueueLimits {
  /** Pieces of work that run at once. */
  places: number;
  /** Most places of one owner; all if absent. */
  placesOfOne?: number;
  /** Limit of the pieces that wait; none if absent. */
  waiting?: {
    /** Pieces that may wait, over all owners. */
    pieces: number;
    /** Owners that may wait beyond them, each with a first piece. */
    owners: number;
    /** Most waiting pieces of one owner; all if absent. */
    piecesOfOne?: number;
    refusal: string;
  };
  /** For how long an owner's pieces count against it once nothing of it runs or waits, in ms. */
  rememberMs?: number;
}

/** A piece of work that waits for its turn. */
interface Waiting {
  owner: string;
  /** Pieces of a lower round come first. */
  round: number;
  start: () => void;
}

/** The most owners that are remembered. */
const OWNERS = 10_000;

/**
 * Runs work for many owners, a few pieces at a time. Owners take turns, and where they are remembered, the
 * one served least comes first: one who queues a hundred pieces delays others only by what is running. Work
 * is refused before it waits, never afterwards.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  /** The round of each owner's next piece. */
  readonly #rounds: LRUCache<string, number> | Map<string, number>;
  readonly #running = new Map<string, number>();
  /** Sorted by round, and within a round in the order of arrival. */
  readonly #waiting: Waiting[] = [];
  #count = 0;
  /** The latest round of which a piece has begun. */
  #latestRound = 0;
  /** Called when nothing runs and nothing waits. */
  #idleListeners: (() => void)[] = [];

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
    const { rememberMs: ttl } = limits;
    this.#rounds = ttl === undefined ? new Map() : new LRUCache({ max: OWNERS, ttl });
  }

  /**
   * Runs `work` when it is its turn. Fails with `unavailable`, without running it, if too many are already
   * waiting.
   */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    if (this.#count < this.#limits.places && this.#hasPlace(owner)) this.#begin(owner, this.#roundOf(owner));
    else await this.#wait(owner);
    try {
      return await work();
    } finally {
      this.#end(owner);
    }
  }

  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleListeners.push(resolve));
  }

  #hasPlace(owner: string): boolean {
    return (this.#running.get(owner) ?? 0) < (this.#limits.placesOfOne ?? this.#limits.places);
  }

  #roundOf(owner: string): number {
    // An unknown owner comes before those who have just had a turn. Half a round, not a whole one: a
    // stream of such owners, each of which moves the latest round on, cannot keep the others waiting.
    return this.#rounds.get(owner) ?? (this.#remembers ? 0 : this.#latestRound + 0.5);
  }

  #wait(owner: string): Promise<void> {
    const own = this.#waiting.filter((piece) => piece.owner === owner).length;
    const {
      pieces,
      owners,
      refusal,
      piecesOfOne = pieces,
    } = this.#limits.waiting ?? { pieces: Infinity, owners: 0, refusal: '' };
    if (own >= piecesOfOne || this.#waiting.length >= (own === 0 ? pieces + owners : pieces)) {
      throw new Failure('unavailable', refusal, { reason: 'busy' });
    }
    const round = this.#roundOf(owner) + own;
    return new Promise((start) => {
      const later = this.#waiting.findIndex((piece) => piece.round > round);
      this.#waiting.splice(later === -1 ? this.#waiting.length : later, 0, { owner, round, start });
    });
  }

  #begin(owner: string, round: number): void {
    this.#count += 1;
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1);
    this.#rounds.set(owner, round + 1);
    this.#latestRound = Math.max(this.#latestRound, round);
  }

  #end(owner: string): void {
    this.#count -= 1;
    const left = (this.#running.get(owner) ?? 0) - 1;
    if (left > 0) this.#running.set(owner, left);
    else this.#running.delete(owner);
    const next = this.#waiting.findIndex((piece) => this.#hasPlace(piece.owner));
    const [piece] = next === -1 ? [] : this.#waiting.splice(next, 1);
    if (piece !== undefined) {
      this.#begin(piece.owner, piece.round);
      piece.start();
    }
    if (!this.#remembers && !this.#isPresent(owner)) this.#rounds.delete(owner);
    if (this.#count === 0) for (const listener of this.#idleListeners.splice(0)) listener();
  }

  get #remembers(): boolean {
    return this.#limits.rememberMs !== undefined;
  }

  #isPresent(owner: string): boolean {
    return this.#running.has(owner) || this.#waiting.some((piece) => piece.owner === owner);
  }
}
