import { LRUCache } from 'lru-cache';
import { hashKey } from './key.ts';
import type { ApiKeyStore, KeyOwner } from './store.ts';

/** How long a valid key is cached, in ms: a revoked one stops working within 5 s (`docs/spec/wire.md`). */
const BELIEVED_MS = 4000;

/** How many keys are cached. */
const REMEMBERED = 1000;

/** What a {@link KeyVerifier} tells the time by. */
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
  readonly #now: () => number;

  constructor(store: Pick<ApiKeyStore, 'find' | 'touch'>, { now, elapsed }: Clocks = SYSTEM_CLOCKS) {
    this.#store = store;
    this.#now = now;
    // By the time that passes: with a clock that is set back an hour, a revoked key would work for that hour.
    this.#valid = new LRUCache({
      max: REMEMBERED,
      ttl: BELIEVED_MS,
      ttlResolution: 0,
      perf: { now: elapsed },
    });
  }

  /** The owner of `key`, or undefined if the key is not valid. */
  async verify(key: string): Promise<KeyOwner | undefined> {
    const id = hashKey(key).toString('base64');
    const known = this.#valid.get(id);
    if (known !== undefined) return isExpired(known, this.#now()) ? undefined : known;
    const owner = await this.#store.find(key);
    if (owner === undefined) return undefined;
    this.#valid.set(id, owner);
    await this.#store.touch(owner.prefix);
    return owner;
  }
}

function isExpired({ expires_at }: KeyOwner, now: number): boolean {
  return expires_at !== null && expires_at.getTime() <= now;
}
