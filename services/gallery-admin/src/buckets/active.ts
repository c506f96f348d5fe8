import type { Lease } from '@pressroom/common/caching/representation-cache';
import type { Bucket, BucketSource } from './bucket.ts';
import type { StoreConnections } from './clients.ts';
import type { BucketConfiguration } from './configuration.ts';

/** Reads the configuration of the active bucket. */
export interface ActiveConfiguration {
  active(): Promise<BucketConfiguration>;
}

/**
 * The active bucket. It is kept in memory as long as every change of the settings is sure to be noticed, and
 * read from the database otherwise, so a switch takes effect within a second.
 */
export class ActiveBucket implements BucketSource {
  readonly #settings: ActiveConfiguration;
  readonly #connections: StoreConnections;
  readonly #lease: Lease;
  #kept: Promise<Bucket> | undefined;

  constructor(settings: ActiveConfiguration, connections: StoreConnections, lease: Lease) {
    this.#settings = settings;
    this.#connections = connections;
    this.#lease = lease;
  }

  /** The active bucket; see {@link BucketSource}. */
  async current(): Promise<Bucket> {
    if (!this.#lease.isCurrent()) return this.#read();
    this.#kept ??= this.#keep();
    return this.#kept;
  }

  /**
   * The active bucket, for probes: what is kept in memory will do, because a change of the settings drops it.
   * Asking does not keep the lease going.
   */
  probed(): Promise<Bucket> {
    this.#kept ??= this.#keep();
    return this.#kept;
  }

  /** Drops the cached bucket, because the settings have changed. */
  clear(): void {
    this.#kept = undefined;
  }

  #keep(): Promise<Bucket> {
    const reading = this.#read();
    reading.catch(() => {
      // A failure goes to the requests already waiting; the next request reads again.
      if (this.#kept === reading) this.#kept = undefined;
    });
    return reading;
  }

  async #read(): Promise<Bucket> {
    return this.#connections.open(await this.#settings.active());
  }
}
