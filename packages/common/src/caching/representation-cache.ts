import { LRUCache } from 'lru-cache';
import type { Representation } from './entity-tag.ts';

/** Says whether changes made by others would be known by now: see `ChangeListener`. */
export interface Lease {
  readonly current: boolean;
}

/** What a {@link RepresentationCache} is made with. */
export interface RepresentationCacheOptions {
  /** The most that the cached bodies may weigh together, in bytes; 0 caches nothing. */
  maxBytes: number;
  /** While it is not current, nothing is served from the cache. */
  lease: Lease;
  /** The time, in ms since 1970, by which representations expire; the system's clock when absent. */
  now?: () => number;
}

/** What an entry weighs beside its body: key, tag and bookkeeping, in bytes. */
const ENTRY_OVERHEAD = 256;

/**
 * Finished representations by URL, least recently used out first. A hit costs neither a query nor a
 * serialization; concurrent misses of one URL are loaded once; a change empties it all, because a list, a
 * count or a neighbour may appear in any of them. What changes with the clock is kept until it expires.
 */
export class RepresentationCache {
  readonly #entries: LRUCache<string, Representation> | undefined;
  readonly #loading = new Map<string, Promise<Representation>>();
  readonly #lease: Lease;
  readonly #now: () => number;

  constructor({ maxBytes, lease, now = Date.now }: RepresentationCacheOptions) {
    this.#lease = lease;
    this.#now = now;
    if (maxBytes === 0) return;
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ body }, key) => Buffer.byteLength(body) + key.length + ENTRY_OVERHEAD,
    });
  }

  /** The representation of `url` when it is here, has not expired, and nobody can have changed it unseen. */
  get(url: string): Representation | undefined {
    const known = this.#lease.current ? this.#entries?.get(url) : undefined;
    return known?.expiresAt !== undefined && known.expiresAt <= this.#now() ? undefined : known;
  }

  /** Loads the representation of `url`, together with everyone who asks for it meanwhile, and keeps it. */
  load(url: string, make: () => Promise<Representation>): Promise<Representation> {
    if (this.#entries === undefined || !this.#lease.current) return make();
    const underway = this.#loading.get(url);
    if (underway !== undefined) return underway;
    const loading = make();
    this.#loading.set(url, loading);
    void this.#keep(url, loading);
    return loading;
  }

  /** Forgets everything, loads under way included: they may have read what has changed since. */
  clear(): void {
    this.#entries?.clear();
    this.#loading.clear();
  }

  async #keep(url: string, loading: Promise<Representation>): Promise<void> {
    try {
      const representation = await loading;
      if (this.#loading.get(url) === loading) this.#entries?.set(url, representation);
    } catch {
      // Whoever asked is told; a failure is not kept.
    } finally {
      if (this.#loading.get(url) === loading) this.#loading.delete(url);
    }
  }
}
