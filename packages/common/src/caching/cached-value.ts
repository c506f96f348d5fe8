import type { Lease } from './representation-cache.ts';

/** A value that is read once, and kept in memory for as long as every change of it is sure to be noticed. */
export class CachedValue<Value> {
  readonly #lease: Lease;
  readonly #read: () => Promise<Value>;
  #kept: Promise<Value> | undefined;

  /** @param lease while it is current, {@link CachedValue.drop} is called for every change */
  constructor(lease: Lease, read: () => Promise<Value>) {
    this.#lease = lease;
    this.#read = read;
  }

  /** The value as it is now. Rejects with the error of a read that failed; the next call reads again. */
  current(): Promise<Value> {
    return this.#lease.isCurrent() ? this.last() : this.#read();
  }

  /** The value that is kept, whether or not the lease is current; asking does not keep the lease going. */
  last(): Promise<Value> {
    if (this.#kept !== undefined) return this.#kept;
    const reading = this.#read();
    this.#kept = reading;
    reading.catch(() => {
      if (this.#kept === reading) this.#kept = undefined;
    });
    return reading;
  }

  /** The value has changed: what was read before does not hold. */
  drop(): void {
    this.#kept = undefined;
  }
}
