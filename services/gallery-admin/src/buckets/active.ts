import type { Lease } from '@pressroom/common/caching/representation-cache';
import type { Bucket, BucketSource } from './bucket.ts';
import type { StoreConnections } from './clients.ts';
import type { BucketConfiguration } from './configuration.ts';

/** What tells the configuration of the active bucket. */
export interface ActiveConfiguration {
  active(): Promise<BucketConfiguration>;
}

/**
 * The active bucket, kept in memory while every change of the settings is certain to be heard of, and read from
 * the database otherwise: a switch is seen within a second.
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
    if (!this.#lease.current) return this.#read();
    this.#kept ??= this.#keep();
    return this.#kept;
  }

  /** Forgets what is kept: the settings have changed. */
  clear(): void {
    this.#kept = undefined;
  }

  #keep(): Promise<Bucket> {
    const reading = this.#read();
    reading.catch(() => {
      // A failure is for those who asked meanwhile; the next request asks again.
      if (this.#kept === reading) this.#kept = undefined;
    });
    return reading;
  }

  async #read(): Promise<Bucket> {
    return this.#connections.open(await this.#settings.active());
  }
}
