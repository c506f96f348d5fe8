import { LRUCache } from 'lru-cache';
import { LoadsInTurn } from '../concurrency/loads-in-turn.ts';
import type { Answer } from './answer.ts';
import type { Representation } from './entity-tag.ts';

/** Whether changes made by others would be known by now; see `ChangeListener`. */
export interface Lease {
  /** Asking keeps the listener for changes awake. */
  isCurrent(): boolean;
}

/** Options of a {@link RepresentationCache}. */
export interface RepresentationCacheOptions {
  /** The maximum total size of the cached bodies, in bytes; 0 caches nothing. */
  maxBytes: number;
  /** While it is not current, nothing is served from the cache. */
  lease: Lease;
  /** The clock, in ms since 1970, for expiry; the system's clock if absent. */
  now?: () => number;
}

/** The overhead of an entry besides its body, in bytes: key, tag, the heads of its answers, bookkeeping. */
const ENTRY_OVERHEAD = 640;

/** The largest part of the cache that one entry may take: a few large answers must not drop all others. */
const LARGEST_SHARE = 1 / 8;

/**
 * An LRU cache of finished representations by URL. A hit costs neither a query nor a serialization;
 * concurrent misses of one URL are loaded once. A change drops the representations of its subjects, or all
 * of them if it does not say what it is about. Representations that change with the clock are cached
 * until they expire.
 */
export class RepresentationCache<Kept extends Representation = Answer> {
  readonly #entries: LRUCache<string, Kept> | undefined;
  readonly #loading = new Map<string, Promise<Kept>>();
  /** The loads while the lease is lost. */
  readonly #unsure = new LoadsInTurn<Kept>();
  readonly #lease: Lease;
  readonly #now: () => number;
  /** Representations that were served from memory. */
  hits = 0;
  /** Representations that had to be loaded, or waited for. */
  misses = 0;

  constructor({ maxBytes, lease, now = Date.now }: RepresentationCacheOptions) {
    this.#lease = lease;
    this.#now = now;
    if (maxBytes === 0) return;
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: Math.ceil(maxBytes * LARGEST_SHARE),
      sizeCalculation: ({ body }, key) => body.length + key.length + ENTRY_OVERHEAD,
    });
  }

  /** The representation of `url` if it is cached, has not expired, and cannot have changed unnoticed. */
  get(url: string): Kept | undefined {
    const known = this.peek(url);
    if (known !== undefined) this.hits += 1;
    return known;
  }

  /** The same, without counting it as served. */
  peek(url: string): Kept | undefined {
    // The lease is asked last, because asking keeps it going.
    const known = this.#entries?.get(url);
    if (known === undefined || !this.#lease.isCurrent()) return undefined;
    if (known.expiresAt !== undefined && known.expiresAt <= this.#now()) return undefined;
    return known;
  }

  /**
   * Loads the representation of `url` once for everyone who asks for it during the load, and caches it. While
   * the lease is lost, a value loaded before the request arrived is never served, but waiting requests share
   * the next load: a busy process loses its lease just when a query for each request would be too many.
   */
  load(url: string, make: () => Promise<Kept>): Promise<Kept> {
    this.misses += 1;
    if (this.#entries === undefined) return make();
    if (!this.#lease.isCurrent()) return this.#unsure.load(url, make);
    const underway = this.#loading.get(url);
    if (underway !== undefined) return underway;
    const loading = make();
    this.#loading.set(url, loading);
    void this.#keep(url, loading);
    return loading;
  }

  /**
   * Drops what depends on one of the subjects of a change, and what does not say what it depends on; without
   * subjects, everything. Running loads may have read outdated data, whatever they are about: their callers
   * get it, because they asked before this, but it is not cached.
   */
  clear(subjects?: ReadonlySet<string>): void {
    this.#loading.clear();
    if (subjects === undefined) this.#entries?.clear();
    else this.#drop((own) => own === undefined || own.some((subject) => subjects.has(subject)));
  }

  #drop(concerned: (subjects: Representation['subjects']) => boolean): void {
    if (this.#entries === undefined) return;
    for (const [url, { subjects }] of [...this.#entries.entries()]) {
      if (concerned(subjects)) this.#entries.delete(url);
    }
  }

  async #keep(url: string, loading: Promise<Kept>): Promise<void> {
    try {
      const representation = await loading;
      if (this.#loading.get(url) === loading) this.#entries?.set(url, representation);
    } catch {
      // The callers get the failure; it is not cached.
    } finally {
      if (this.#loading.get(url) === loading) this.#loading.delete(url);
    }
  }
}
