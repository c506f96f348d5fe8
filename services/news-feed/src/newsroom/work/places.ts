import { isDatabaseAway } from '@pressroom/common/database/database';
import type { Logger } from '@pressroom/common/log/logging';

/** The first and the longest wait after a failure, in ms. */
const PAUSE_MS = 5000;
const MAX_PAUSE_MS = 600_000;

/** What {@link Places} work with. */
export interface PlacesOptions {
  /** The kind of work, for the log. */
  kind: string;
  /** How many pieces of work are carried out at once. */
  most: number;
  /** Called when a piece of work has done something: there may be more. */
  onDone: () => void;
  /** Aborted when work is to be given up. */
  signal: AbortSignal;
  log: Logger;
}

/** What a worker has in hand of one kind of work, each piece by its key. */
export class Places<Key extends string | number> {
  readonly #options: PlacesOptions;
  readonly #inHand = new Map<Key, Promise<void>>();
  /** How often in a row work has failed. */
  #failures = 0;
  #pausedUntil = 0;

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** How many pieces may begin: none for a while after a failure, which may befall all of them. */
  get free(): number {
    return performance.now() < this.#pausedUntil ? 0 : this.#options.most - this.#inHand.size;
  }

  /** The keys of what is in hand. */
  get keys(): Key[] {
    return [...this.#inHand.keys()];
  }

  /**
   * Begins a piece of work, which returns whether it has done something. What it throws is logged: what is to
   * be kept of it, it keeps itself.
   */
  begin(key: Key, work: (signal: AbortSignal) => Promise<boolean>): void {
    if (this.#inHand.has(key)) return;
    this.#inHand.set(key, this.#carryOut(key, work));
  }

  /** Ends when nothing is in hand. */
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
    // What had begun with the one that failed often fails with it.
    if (now < this.#pausedUntil) return;
    this.#pausedUntil = now + Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** Math.min(20, this.#failures));
    this.#failures += 1;
  }
}
