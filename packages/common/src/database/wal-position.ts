/** How long a reader waits for the primary's position, in ms, before it reads on the primary. */
const PATIENCE_MS = 1000;

/** What a heartbeat of the primary contained. */
export interface Heartbeat {
  /** When the question was sent, by `performance.now()`. */
  sentAt: number;
  /** The end of the primary's WAL, as PostgreSQL writes it. */
  lsn: string;
  /** Whether something may have been committed that the previous heartbeat did not show. */
  changed: boolean;
}

/**
 * The WAL position from which on a replica contains everything that this process has served or heard of.
 *
 * It moves only when there is something to wait for: a change that was announced, a write of this process,
 * or an answer that was read on the primary. Then the position counts that the primary tells after that.
 */
export class WalPosition {
  readonly #hurry: () => void;
  #lsn: string | undefined;
  /** When the question was sent that the position has last been proven by. */
  #provenAt = Number.NEGATIVE_INFINITY;
  /** What has been seen by then must be in the replica. */
  #seenAt = Number.NEGATIVE_INFINITY;
  #next = Promise.withResolvers<void>();

  /** `hurry` is called when the next heartbeat is waited for. */
  constructor(hurry: () => void) {
    this.#hurry = hurry;
  }

  /** Something was written, announced, or read on the primary: a replica must contain it from now on. */
  seen(): void {
    this.#seenAt = performance.now();
  }

  /** Takes a heartbeat of the primary. */
  heard({ sentAt, lsn, changed }: Heartbeat): void {
    if (changed || this.#lsn === undefined || !this.#isProven(this.#seenAt)) this.#lsn = lsn;
    this.#provenAt = sentAt;
    this.#settle();
  }

  /** The connection to the primary broke: nothing is known until it reports its position again. */
  lost(): void {
    this.#lsn = undefined;
    this.#provenAt = Number.NEGATIVE_INFINITY;
    this.#settle();
  }

  /**
   * The position that covers everything seen until now, after at most a second; undefined if the primary does
   * not report it.
   */
  async current(): Promise<string | undefined> {
    const seenAt = this.#seenAt;
    const deadline = performance.now() + PATIENCE_MS;
    while (!this.#isProven(seenAt)) {
      const left = deadline - performance.now();
      if (left <= 0) return undefined;
      this.#hurry();
      await Promise.race([this.#next.promise, patience(left)]);
    }
    return this.#lsn;
  }

  #isProven(seenAt: number): boolean {
    return this.#lsn !== undefined && this.#provenAt > seenAt;
  }

  #settle(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }
}

function patience(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
