import { LRUCache } from 'lru-cache';
import type { Answer, Representation } from './conditional.ts';

/** Valid while changes made by others would be known; see `ChangeListener`. */
export interface Lease {
  /** Asking keeps the listener for changes awake. */
  isCurrent(): boolean;
}

/** Options of a {@link RepresentationCache}. */
interface RepresentationCacheOptions {
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

/** A load that has failed after this long, in ms, is not followed by another: what it reads hangs. */
const PATIENCE_MS = 2000;

/** The loads of one key: the running one, and one for all calls since it began. */
interface Turns<Value> {
  running: Promise<Value>;
  /** When it began, by `performance.now()`. */
  begun: number;
  next?: Promise<Value>;
}

/**
 * Loads that never run concurrently for one key. A caller gets a load that begins after its call, shared with
 * all others who wait. If the load before it fails slowly, the waiting callers fail with it: theirs would
 * keep them waiting for as long again.
 */
export class LoadsInTurn<Value> {
  readonly #turns = new Map<string, Turns<Value>>();

  /** The value that `make` loads, or another caller's `make` that begins after this call. */
  load(key: string, make: () => Promise<Value>): Promise<Value> {
    const turns = this.#turns.get(key);
    if (turns === undefined) return this.#run(key, make);
    turns.next ??= this.#follow(key, turns, make);
    return turns.next;
  }

  async #follow(key: string, { running, begun }: Turns<Value>, make: () => Promise<Value>): Promise<Value> {
    try {
      await running;
    } catch (error) {
      if (performance.now() - begun > PATIENCE_MS) {
        this.#turns.delete(key);
        throw error;
      }
    }
    return this.#run(key, make);
  }

  #run(key: string, make: () => Promise<Value>): Promise<Value> {
    const turns: Turns<Value> = { begun: performance.now(), running: make() };
    this.#turns.set(key, turns);
    const end = () => {
      if (turns.next === undefined) this.#turns.delete(key);
    };
    void turns.running.then(end, end);
    return turns.running;
  }
}
