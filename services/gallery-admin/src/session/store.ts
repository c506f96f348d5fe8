import { type Kysely, type SqlBool, sql } from 'kysely';
import type { GalleryTables } from '../tables.ts';
import { hashToken, isToken, newToken } from './token.ts';

/** The idle lifetime of a session, after its last use (`docs/spec/wire.md`, "Session"). */
const IDLE = sql`interval '12 hours'`;

/** The maximum lifetime of a session after the login, even if it is in use, in s. */
export const LIFETIME_S = 7 * 24 * 60 * 60;

const LIFETIME = sql`make_interval(secs => ${LIFETIME_S})`;

/** The most ended sessions that one login removes. */
const REMOVED_AT_ONCE = 100;

/** The sessions of logged-in users. The database keeps a hash of each. */
export class SessionStore {
  readonly #db: Kysely<GalleryTables>;

  constructor(db: Kysely<GalleryTables>) {
    this.#db = db;
  }

  /** Starts a session of `account` (a fingerprint) and returns its token, which is not stored. */
  async create(account: Buffer): Promise<string> {
    const token = newToken();
    await this.#removeEnded();
    await this.#db
      .insertInto('gallery.session')
      .values({ token_hash: hashToken(token), account })
      .execute();
    return token;
  }

  /** True for the token of a session of `account` that has not ended; notes its use, to the second. */
  async use(token: string, account: Buffer): Promise<boolean> {
    if (!isToken(token)) return false;
    const session = await this.#db
      .selectFrom('gallery.session')
      .select(sql<boolean>`last_used_at < clock_timestamp() - interval '1 second'`.as('stale'))
      .where('token_hash', '=', hashToken(token))
      .where('account', '=', account)
      .where(sql<SqlBool>`last_used_at > clock_timestamp() - ${IDLE}`)
      .where(sql<SqlBool>`created_at > clock_timestamp() - ${LIFETIME}`)
      .executeTakeFirst();
    if (session?.stale) await this.#touch(token);
    return session !== undefined;
  }

  /** Ends the session of `token`, if any. */
  async delete(token: string): Promise<void> {
    await this.#db.deleteFrom('gallery.session').where('token_hash', '=', hashToken(token)).execute();
  }

  async #removeEnded(): Promise<void> {
    await sql`
      delete from gallery.session where token_hash in (
        select token_hash from gallery.session
        where last_used_at <= clock_timestamp() - ${IDLE} or created_at <= clock_timestamp() - ${LIFETIME}
        limit ${REMOVED_AT_ONCE} for update skip locked
      )
    `.execute(this.#db);
  }

  async #touch(token: string): Promise<void> {
    await this.#db
      .updateTable('gallery.session')
      .set({ last_used_at: sql<Date>`clock_timestamp()` })
      .where('token_hash', '=', hashToken(token))
      .execute();
  }
}

/** The number of sessions that have not ended. */
export async function countSessions(db: Kysely<GalleryTables>): Promise<number> {
  const { count } = await db
    .selectFrom('gallery.session')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(sql<SqlBool>`last_used_at > clock_timestamp() - ${IDLE}`)
    .where(sql<SqlBool>`created_at > clock_timestamp() - ${LIFETIME}`)
    .executeTakeFirstOrThrow();
  return count;
}
