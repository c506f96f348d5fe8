import { timingSafeEqual } from 'node:crypto';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql } from 'kysely';
import type { ContentTables } from '../tables.ts';
import { generateKey, hashKey, prefixOf } from './key.ts';
import type { Scope } from './scope.ts';

/** The owner of a valid key. */
export interface KeyOwner {
  prefix: string;
  name: string;
  scope: Scope;
  /** The only category whose articles it may write. */
  category_id: number | null;
  expires_at: Date | null;
}

/** What a new key is for: unless it says otherwise, for everything and for good. */
export type KeyPurpose = Partial<Omit<KeyOwner, 'prefix'>> & Pick<KeyOwner, 'name'>;

/** A key as lists show it, never the key itself. */
export interface ListedKey extends KeyOwner {
  created_at: Date;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

const OWNER = ['prefix', 'name', 'scope', 'category_id', 'expires_at'] as const;

/** The API keys of the content service in the database, which stores only their hashes. */
export class ApiKeyStore {
  readonly #db: Kysely<ContentTables>;

  constructor(db: Kysely<ContentTables>) {
    this.#db = db;
  }

  /**
   * Makes a key, and returns it, the only time it can be seen.
   *
   * @throws Failure `missing` if it is for a category that does not exist
   */
  async create(purpose: KeyPurpose): Promise<string> {
    const { category_id: category } = purpose;
    if (category !== undefined && category !== null && !(await this.#hasCategory(category)))
      throw new Failure('missing', `category ${category} does not exist`);
    const { key, prefix, hash } = generateKey();
    await this.#db
      .insertInto('content.api_key')
      .values({ ...purpose, prefix, secret_hash: hash })
      .execute();
    return key;
  }

  async #hasCategory(id: number): Promise<boolean> {
    const found = this.#db.selectFrom('content.category').select('id').where('id', '=', id);
    return (await found.executeTakeFirst()) !== undefined;
  }

  /** All keys, newest first. */
  list(): Promise<ListedKey[]> {
    return this.#db
      .selectFrom('content.api_key')
      .select([...OWNER, 'created_at', 'revoked_at', 'last_used_at'])
      .orderBy('created_at', 'desc')
      .execute();
  }

  /** Revokes a key permanently. False if no unrevoked key has this prefix. */
  async revoke(prefix: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('content.api_key')
      .set({ revoked_at: sql<Date>`clock_timestamp()` })
      .where('prefix', '=', prefix)
      .where('revoked_at', 'is', null)
      .executeTakeFirstOrThrow();
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
