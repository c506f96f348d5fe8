import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql, type Transaction } from 'kysely';
import { LRUCache } from 'lru-cache';
import { type Actor, COMMAND, writtenBy } from './envelope.ts';
import type { ContentTables } from './tables.ts';

/**
 * Scopes of keys, each with those before it: reads what readers see, reads drafts, writes what is not
 * published, writes all articles and categories, does everything. `app.ts` has the scope of each route.
 */
export const SCOPES = ['published', 'read', 'write', 'publish', 'full'] as const;

export type Scope = (typeof SCOPES)[number];

/** The part of a key's owner that decides what it may do. */
interface Holder {
  scope: Scope;
  category_id: number | null;
  /** The only author whose articles it may write: a writer at the desk writes their own. */
  author_id?: number | null;
}

/** The part of an article that decides who may write it. */
export interface Permitted {
  is_published?: boolean | undefined;
  publish_at?: Date | null | undefined;
  unpublish_at?: Date | null | undefined;
  release?: string | null | undefined;
  category_id?: number | null | undefined;
  /** Its authors before the change. */
  author_ids?: readonly number[] | undefined;
  /** The author to whom it is assigned. */
  assignee_id?: number | null | undefined;
}

/**
 * Checks that a key has a scope, and no restriction to a category where there is none.
 *
 * @throws Failure `forbidden` with code `insufficient_scope`, which names the scope that is missing
 */
export function requireScope({ scope }: Holder, needed: Scope): void {
  if (SCOPES.indexOf(scope) >= SCOPES.indexOf(needed)) return;
  throw insufficient(`this needs a key with the scope ${needed}; this key has ${scope}`);
}

/**
 * Checks that a key is not restricted to a category.
 *
 * @throws Failure `forbidden` with code `insufficient_scope`
 */
export function requireAnyCategory({ category_id: only }: Holder): void {
  if (only !== null) throw insufficient(`this key may only write articles of category ${only}`);
}

/**
 * Checks that a key may write an article that is, or becomes, as `article` says: what is published, or will
 * be at a time, is for editors. Call it with the article before and after a change, under the lock of its
 * row.
 *
 * @throws Failure `forbidden` with code `insufficient_scope`
 */
export function requireArticle(owner: Holder, article: Permitted): void {
  const planned = [article.publish_at, article.unpublish_at, article.release];
  const isWriters = article.is_published !== true && planned.every((given) => given == null);
  requireScope(owner, isWriters ? 'write' : 'publish');
  requireReach(owner, article);
}

/** True if a key shows what readers do not see. */
export function showsDrafts({ scope }: Pick<Holder, 'scope'>): boolean {
  return scope !== 'published';
}

/** True if {@link requireArticle} allows a key every article. */
export function mayWriteAll({ scope, category_id, author_id = null }: Holder): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf('publish') && category_id === null && author_id === null;
}

/**
 * Checks that a key is not restricted to another category than the article's, or to articles of another
 * author.
 *
 * @throws Failure `forbidden` with code `insufficient_scope`
 */
export function requireReach(owner: Holder, article: Permitted): void {
  if (article.category_id !== owner.category_id) requireAnyCategory(owner);
  const { author_id: author = null } = owner;
  if (author === null || article.author_ids?.includes(author) || article.assignee_id === author) return;
  throw insufficient(
    'this article is by others; a writer may change their own, and what is assigned to them',
  );
}

export function insufficient(detail: string): Failure {
  return new Failure('forbidden', detail, { code: 'insufficient_scope' });
}

/** The letters and digits that a prefix is drawn from. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Characters of the public prefix. */
const PREFIX_LENGTH = 8;

/** Bytes of the secret part. */
const SECRET_BYTES = 32;

/** `pk_`, the public prefix, `_`, 32 bytes in base64url (`docs/spec/wire.md`, "Keys"). */
const KEY_PATTERN = /^pk_([A-Za-z0-9]{8})_[A-Za-z0-9_-]{43}$/;

/** A new key: `key` is shown to its owner once; the other two members are stored. */
interface NewKey {
  key: string;
  prefix: string;
  hash: Buffer;
}

function generateKey(): NewKey {
  const letters = Array.from({ length: PREFIX_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  const prefix = letters.join('');
  const key = `pk_${prefix}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { key, prefix, hash: hashKey(key) };
}

/** SHA-256 of a key: 256 random bits do not need a slow hash. */
function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** The public prefix of a key, or undefined if the text cannot be a key. */
export function prefixOf(key: string): string | undefined {
  return KEY_PATTERN.exec(key)?.[1];
}

export interface KeyOwner {
  prefix: string;
  name: string;
  scope: Scope;
  /** The only category whose articles it may write. */
  category_id: number | null;
  /** See {@link Holder.author_id}. */
  author_id?: number | null;
  /** The author of the person at the desk, independent of their scope. */
  own_author?: number | null;
  /** The account of the person at the desk, whatever their name is. */
  account?: string | null;
  expires_at: Date | null;
}

/** Limits of a new key: unless given, it is for everything and for good. */
export type KeyPurpose = Partial<Omit<KeyOwner, 'prefix' | 'author_id' | 'own_author' | 'account'>> &
  Pick<KeyOwner, 'name'>;

/** A key as lists show it, never the key itself. */
export interface ListedKey extends KeyOwner {
  created_at: Date;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

/** A key that was just made. */
export interface MadeKey extends ListedKey {
  /** The key itself, which nobody can see later. */
  key: string;
}

const OWNER = ['prefix', 'name', 'scope', 'category_id', 'expires_at'] as const;

const LISTED = [...OWNER, 'created_at', 'revoked_at', 'last_used_at'] as const;

/** The API keys of the content service in the database, which stores only their hashes. */
export class ApiKeyStore {
  readonly #db: Kysely<ContentTables>;

  constructor(db: Kysely<ContentTables>) {
    this.#db = db;
  }

  /**
   * Makes a key, and returns it, the only time it can be seen.
   *
   * @param actor who makes it, for the trail
   * @throws Failure `missing` if it is for a category that does not exist
   */
  async create(purpose: KeyPurpose, actor = COMMAND): Promise<MadeKey> {
    const { category_id: category } = purpose;
    if (category !== undefined && category !== null && !(await this.#hasCategory(category)))
      throw new Failure('missing', `category ${category} does not exist`);
    const { key, prefix, hash } = generateKey();
    const listed = await this.#write(actor, (tx) =>
      tx
        .insertInto('content.api_key')
        .values({ ...purpose, prefix, secret_hash: hash })
        .returning(LISTED)
        .executeTakeFirstOrThrow(),
    );
    return { ...listed, key };
  }

  #write<Result>(actor: Actor, work: (tx: Transaction<ContentTables>) => Promise<Result>): Promise<Result> {
    return this.#db.transaction().execute(async (tx) => {
      await sql`select ${writtenBy(actor)}`.execute(tx);
      return work(tx);
    });
  }

  async #hasCategory(id: number): Promise<boolean> {
    const found = this.#db.selectFrom('content.category').select('id').where('id', '=', id);
    return (await found.executeTakeFirst()) !== undefined;
  }

  /** All keys, newest first. */
  list(): Promise<ListedKey[]> {
    return this.#db.selectFrom('content.api_key').select(LISTED).orderBy('created_at', 'desc').execute();
  }

  /** Revokes a key permanently. False if no unrevoked key has this prefix. */
  async revoke(prefix: string, actor = COMMAND): Promise<boolean> {
    const { numUpdatedRows } = await this.#write(actor, (tx) =>
      tx
        .updateTable('content.api_key')
        .set({ revoked_at: sql<Date>`clock_timestamp()` })
        .where('prefix', '=', prefix)
        .where('revoked_at', 'is', null)
        .executeTakeFirstOrThrow(),
    );
    return numUpdatedRows > 0n;
  }

  /** Changes when a key expires to `end`. False if no unrevoked key has this prefix. */
  async expire(prefix: string, end: Date): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('content.api_key')
      .set({ expires_at: end })
      .where('prefix', '=', prefix)
      .where('revoked_at', 'is', null)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }

  /** The owner of `key`, or undefined if it is unknown, expired or revoked. */
  async find(key: string): Promise<KeyOwner | undefined> {
    const prefix = prefixOf(key);
    if (prefix === undefined) return undefined;
    const row = await this.#db
      .selectFrom('content.api_key')
      .select([...OWNER, 'secret_hash'])
      .where('prefix', '=', prefix)
      .where('revoked_at', 'is', null)
      .where((eb) =>
        eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`clock_timestamp()`)]),
      )
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { secret_hash, ...owner } = row;
    return timingSafeEqual(secret_hash, hashKey(key)) ? owner : undefined;
  }

  /** Records that a key is in use, with at most one write per minute and key. */
  async touch(prefix: string): Promise<void> {
    await this.#db
      .updateTable('content.api_key')
      .set({ last_used_at: sql<Date>`clock_timestamp()` })
      .where('prefix', '=', prefix)
      .where((eb) =>
        eb.or([
          eb('last_used_at', 'is', null),
          eb('last_used_at', '<', sql<Date>`clock_timestamp() - interval '1 minute'`),
        ]),
      )
      .execute();
  }
}

/**
 * A valid key is cached for this long, in ms: a revoked one stops working within 5 s (`docs/spec/wire.md`).
 */
const CACHED_MS = 4000;

const REMEMBERED = 1000;

/** Window in which the wrong keys of an address are counted, in ms. */
const WINDOW_MS = 60_000;

/** Addresses with wrong keys that are counted at once; the least recent are dropped first. */
const COUNTED = 20_000;

/** Too many keys from one address were wrong: another one is not looked up until the window ends. */
export interface TooManyWrongKeys {
  retryAfterSeconds: number;
}

/** The clocks of a {@link KeyVerifier}. */
export interface Clocks {
  /** The time of day, in ms since the epoch: keys expire by it. */
  now: () => number;
  /** A monotonic clock, in ms, unaffected by changes of the time of day. */
  elapsed: () => number;
}

const SYSTEM_CLOCKS: Clocks = { now: Date.now, elapsed: () => performance.now() };

/**
 * Looks up the owners of keys and caches valid keys for a few seconds, so that most requests cost no query.
 */
export class KeyVerifier {
  readonly #store: Pick<ApiKeyStore, 'find' | 'touch'>;
  readonly #valid: LRUCache<string, KeyOwner>;
  /** Look-ups of an address in this window that have found nothing, or have not ended. */
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
    // Counts elapsed time: with a clock that is set back an hour, a revoked key would work for that hour.
    this.#valid = new LRUCache({
      max: REMEMBERED,
      ttl: CACHED_MS,
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
