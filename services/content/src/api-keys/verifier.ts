import { LRUCache } from 'lru-cache';
import { hashKey, prefixOf } from './key.ts';
import type { ApiKeyStore, KeyOwner } from './store.ts';

/** How long a valid key is cached, in ms: a revoked one stops working within 5 s (`docs/spec/wire.md`). */
const BELIEVED_MS = 4000;

/** How many keys are cached. */
const REMEMBERED = 1000;

/** How long the wrong keys of an address are counted together, in ms. */
const WINDOW_MS = 60_000;

/** How many addresses with wrong keys are counted at once; the least recent are dropped first. */
const COUNTED = 20_000;

/** Too many keys from one address were wrong: another one is not looked up until the window ends. */
export interface TooManyWrongKeys {
  retryAfterSeconds: number;
}

/** The clocks of a {@link KeyVerifier}. */
export interface Clocks {
  /** The time of day, in ms since the epoch: keys expire by it. */
  now: () => number;
  /** The time that passes, in ms, whatever the time of day is set to. */
  elapsed: () => number;
}

const SYSTEM_CLOCKS: Clocks = { now: Date.now, elapsed: () => performance.now() };

/**
 * Looks up the owners of keys and caches valid keys for a few seconds, so that most requests cost no query.
 */
export class KeyVerifier {
  readonly #store: Pick<ApiKeyStore, 'find' | 'touch'>;
  readonly #valid: LRUCache<string, KeyOwner>;
  /** By address: look-ups in this window that have found nothing, or have not ended. */
  readonly #wrong: LRUCache<string, { count: number }>;
  readonly #maxWrong: number;
  /** Look-ups that have not ended, by key: those who bring the same one share its answer. */
  readonly #lookUps = new Map<string, Promise<KeyOwner | undefined>>();
  readonly #now: () => number;

  /** @param maxWrong how many wrong keys from one address are looked up in a minute */
  constructor(
    store: Pick<ApiKeyStore, 'find' | 'touch'>,
    maxWrong: number,
    { now, elapsed }: Clocks = SYSTEM_CLOCKS,
  ) {
    this.#store = store;
    this.#maxWrong = maxWrong;
    this.#now = now;
    // By the time that passes: with a clock that is set back an hour, a revoked key would work for that hour.
    this.#valid = new LRUCache({
      max: REMEMBERED,
      ttl: BELIEVED_MS,
      ttlResolution: 0,
      perf: { now: elapsed },
      noDeleteOnStaleGet: true,
    });
    this.#wrong = new LRUCache({ max: COUNTED, ttl: WINDOW_MS, ttlResolution: 0, perf: { now: elapsed } });
  }

  /**
   * The owner of `key`, or undefined if the key is not valid. Keys are counted before they are looked up, so
   * that wrong ones, however many come at once, cost only so many queries. One that was valid lately is
   * always looked up: its owner may share the address with others.
   */
  async verify(key: string, address: string): Promise<KeyOwner | TooManyWrongKeys | undefined> {
    if (prefixOf(key) === undefined) return undefined;
    const id = hashKey(key).toString('base64');
    const known = this.#valid.get(id);
    if (known !== undefined) return isExpired(known, this.#now()) ? undefined : known;
    const underWay = this.#lookUps.get(id);
    if (underWay !== undefined) return underWay;
    if (this.#valid.peek(id, { allowStale: true }) !== undefined) return this.#lookUp(key, id);
    const wrong = this.#wrong.get(address) ?? { count: 0 };
    if (wrong.count >= this.#maxWrong)
      return { retryAfterSeconds: Math.max(1, Math.ceil(this.#wrong.getRemainingTTL(address) / 1000)) };
    if (wrong.count === 0) this.#wrong.set(address, wrong);
    wrong.count += 1;
    let isWrong = false;
    try {
      const owner = await this.#lookUp(key, id);
      isWrong = owner === undefined;
      return owner;
    } finally {
      // Without the database, it is unknown whether a key is wrong.
      if (!isWrong) wrong.count -= 1;
    }
  }

  #lookUp(key: string, id: string): Promise<KeyOwner | undefined> {
    const lookUp = this.#find(key, id).finally(() => this.#lookUps.delete(id));
    this.#lookUps.set(id, lookUp);
    return lookUp;
  }

  async #find(key: string, id: string): Promise<KeyOwner | undefined> {
    const owner = await this.#store.find(key);
    if (owner === undefined) {
      this.#valid.delete(id);
      return undefined;
    }
    this.#valid.set(id, owner);
    await this.#store.touch(owner.prefix);
    return owner;
  }
}

function isExpired({ expires_at }: KeyOwner, now: number): boolean {
  return expires_at !== null && expires_at.getTime() <= now;
}
