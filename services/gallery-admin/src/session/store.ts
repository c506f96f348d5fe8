import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Kysely, type SqlBool, sql } from 'kysely';
import { HAS_FACTOR, type Role } from '../people/people-store.ts';
import type { GalleryTables } from '../tables.ts';

/** The idle lifetime of a session, after its last use (`docs/spec/wire.md`, "Session"). */
const IDLE = sql`interval '12 hours'`;

/** The maximum lifetime of a session after the login, even if it is in use, in s. */
export const LIFETIME_S = 7 * 24 * 60 * 60;

const LIFETIME = sql`make_interval(secs => ${LIFETIME_S})`;

/** True for a session that has not ended by itself. */
export const IS_LIVE = sql<SqlBool>`(session.last_used_at > clock_timestamp() - ${IDLE}
  and session.created_at > clock_timestamp() - ${LIFETIME})`;

/** The time that a login, or a confirmation, counts as fresh (`docs/spec/wire.md`, "Session"). */
const FRESH = sql`interval '15 minutes'`;

/** The most ended sessions that one login removes. */
const REMOVED_AT_ONCE = 100;

/** The longest `User-Agent` that is kept, in UTF-16 units. */
const MAX_DEVICE = 500;

/** The ways in besides those of this desk, as the settings have them. */
interface WaysHere {
  providers: readonly { id: string; issuer: string }[];
  /** True if a proxy in front lets people in. */
  proxy: boolean;
}

/** True for a session that came in by a way that is still open to its person. */
function isWayOpen({ providers, proxy }: WaysHere) {
  const ids = providers.map(({ id }) => id);
  const issuers = providers.map(({ issuer }) => issuer);
  return sql<SqlBool>`(session.way is null or (session.way = 'proxy' and ${proxy}::boolean) or exists (
    select from gallery.identity as linked
    join unnest(${ids}::text[], ${issuers}::text[]) as provider (id, issuer) using (issuer)
    where linked.person_id = session.person_id and provider.id = session.way))`;
}

/** A session that begins. */
interface NewSession {
  /** The fingerprint of the environment's account, or the person's stamp. */
  account: Buffer;
  /** Null for the environment's account. */
  person_id: string | null;
  address: string;
  /** The browser's `User-Agent`. */
  device?: string | undefined;
  /** The id of a provider of single sign-on, or `proxy`; else absent. */
  way?: string | undefined;
  /** The provider's ID token, sealed. */
  id_token?: string | undefined;
  /** The time of the person's proof of identity; absent for just now. */
  confirmed_at?: Date | undefined;
}

/** A session, with its person. */
export interface UsedSession {
  id: string;
  /** Null for the environment's account. */
  person: { id: string; name: string; role: Role; author_id: number | null; has_factor: boolean } | null;
  /** True if they have proved their identity just now. */
  is_fresh: boolean;
  /** The id of a provider of single sign-on, or `proxy`; else null. */
  way: string | null;
}

/** A session that has ended, and the way by which it began. */
export interface EndedSession {
  person_id: string | null;
  way: string | null;
  /** Sealed for the person. */
  id_token: string | null;
}

/** The owner of sessions: a person, or the environment's account. */
export type SessionOwner = { person_id: string } | { account: Buffer };

/** A session as its owner sees it. */
interface ListedSession {
  id: string;
  created_at: Date;
  last_used_at: Date;
  address: string | null;
  device: string | null;
  way: string | null;
}

/** The sessions of logged-in users. The database keeps a hash of each. */
export class SessionStore {
  readonly #db: Kysely<GalleryTables>;
  readonly #isWayOpen: ReturnType<typeof isWayOpen>;

  /** @param ways by which alone sessions go on that came from elsewhere */
  constructor(db: Kysely<GalleryTables>, ways: WaysHere) {
    this.#db = db;
    this.#isWayOpen = isWayOpen(ways);
  }

  /** Starts a session and returns its token, which is not stored. */
  async create({ account, device, ...begun }: NewSession): Promise<string> {
    const token = newToken();
    await this.#removeEnded();
    await this.#db
      .insertInto('gallery.session')
      .values({
        token_hash: hashToken(token),
        account,
        device: device?.slice(0, MAX_DEVICE) ?? null,
        ...begun,
      })
      .execute();
    return token;
  }

  /**
   * The session of a token, if it has not ended; notes its use, to the second.
   *
   * @param account the fingerprint of the environment's account, whose sessions are of no person
   */
  async use(token: string, account: Buffer): Promise<UsedSession | undefined> {
    if (!isToken(token)) return undefined;
    const row = await this.#ongoing(account)
      .select([
        'session.id',
        'session.way',
        'person.id as person_id',
        'person.name',
        'person.role',
        'person.author_id',
        HAS_FACTOR.as('has_factor'),
        sql<boolean>`coalesce(session.confirmed_at, session.created_at) > clock_timestamp() - ${FRESH}`.as(
          'is_fresh',
        ),
        sql<boolean>`session.last_used_at < clock_timestamp() - interval '1 second'`.as('stale'),
      ])
      .where('session.token_hash', '=', hashToken(token))
      .executeTakeFirst();
    if (row === undefined) return undefined;
    if (row.stale) await this.#touch(token);
    const { id, way, person_id, name, role, author_id, has_factor, is_fresh } = row;
    const isPerson = person_id !== null && name !== null && role !== null;
    const person = isPerson ? { id: person_id, name, role, author_id, has_factor } : null;
    return { id, way, is_fresh, person };
  }

  /** Those of some sessions that have not ended; looking is no use of them. */
  async living(ids: readonly string[], account: Buffer): Promise<Set<string>> {
    const rows = await this.#ongoing(account)
      .select('session.id')
      .where('session.id', '=', sql<string>`any(${ids}::uuid[])`)
      .execute();
    return new Set(rows.map(({ id }) => id));
  }

  /** Notes that the person of a session has shown again who they are. */
  async confirm(id: string): Promise<void> {
    await this.#db
      .updateTable('gallery.session')
      .set({ confirmed_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .execute();
  }

  /** The sessions of a person, or of the environment's account, that have not ended; the last used first. */
  list(of: SessionOwner): Promise<ListedSession[]> {
    return (
      this.#db
        .selectFrom('gallery.session')
        .where(ownedBy(of))
        // Those before a new password or role have ended.
        .where(
          sql<SqlBool>`account = coalesce((select stamp from gallery.person where id = person_id), account)`,
        )
        .select(['id', 'created_at', 'last_used_at', 'address', 'device', 'way'])
        .where(IS_LIVE)
        .where(this.#isWayOpen)
        .orderBy('last_used_at', 'desc')
        .orderBy('id')
        .execute()
    );
  }

  /** Ends one session of its owner, if it is there. */
  async end(id: string, of: SessionOwner): Promise<void> {
    await this.#db.deleteFrom('gallery.session').where(ownedBy(of)).where('id', '=', id).execute();
  }

  /** Ends all sessions of their owner but one. */
  async endOthers(kept: string, of: SessionOwner): Promise<void> {
    await this.#db.deleteFrom('gallery.session').where(ownedBy(of)).where('id', '<>', kept).execute();
  }

  /** Ends the session of `token`, if any, and returns the way by which it began. */
  delete(token: string): Promise<EndedSession | undefined> {
    return this.#db
      .deleteFrom('gallery.session')
      .where('token_hash', '=', hashToken(token))
      .returning(['person_id', 'way', 'id_token'])
      .executeTakeFirst();
  }

  /** Sessions that have not ended, with their person. */
  #ongoing(account: Buffer) {
    return this.#db
      .selectFrom('gallery.session as session')
      .leftJoin('gallery.person as person', 'person.id', 'session.person_id')
      .where('session.account', '=', sql<Buffer>`coalesce(person.stamp, ${account})`)
      .where(sql<SqlBool>`coalesce(person.active, true)`)
      .where(IS_LIVE)
      .where(this.#isWayOpen);
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

function ownedBy(of: SessionOwner) {
  return 'person_id' in of
    ? sql<SqlBool>`person_id = ${of.person_id}`
    : sql<SqlBool>`person_id is null and account = ${of.account}`;
}

/** The number of sessions that have not ended. */
export async function countSessions(db: Kysely<GalleryTables>): Promise<number> {
  const { count } = await db
    .selectFrom('gallery.session')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(IS_LIVE)
    .executeTakeFirstOrThrow();
  return count;
}

/** 256 bits, in base64url. */
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** Makes the value of a session's cookie: 256 random bits. */
function newToken(): string {
  return randomBytes(32).toString('base64url');
}

function isToken(value: string): boolean {
  return TOKEN_PATTERN.test(value);
}

/** The stored SHA-256 of a token: 256 random bits do not need a slow hash. */
function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The time that a device is remembered after its last login: 180 days, in s. */
export const DEVICE_LIFETIME_S = 180 * 24 * 60 * 60;

/** Id, time of the login in s since 1970, signature. */
const FORM = /^([A-Za-z0-9_-]{22})\.(\d{1,12})\.([A-Za-z0-9_-]{43})$/;

/**
 * Signs the cookie by which a browser shows that someone has logged in from it before (OWASP, "Device
 * cookies"). It grants no access, only a separate lane and a separate count of failures. It is not valid for
 * other logins or keys.
 */
export class DeviceTokens {
  readonly #key: Buffer;
  readonly #previous: Buffer | undefined;

  /**
   * @param key 32 bytes, shared by all replicas
   * @param previous the key before it, whose tokens are still valid
   */
  constructor(key: Buffer, previous?: Buffer) {
    this.#key = key;
    this.#previous = previous;
  }

  /** A token for a device that has just logged in as `login`, with a new id. */
  issue(login: string, now = Date.now()): string {
    const id = randomBytes(16).toString('base64url');
    const time = String(Math.floor(now / 1000));
    return `${id}.${time}.${this.#sign(login, id, time, this.#key)}`;
  }

  /** The id of the device that `token` was issued to for `login`; undefined if it is invalid or expired. */
  idOf(token: string, login: string, now = Date.now()): string | undefined {
    const [, id = '', time = '', signature = ''] = FORM.exec(token) ?? [];
    const keys = this.#previous === undefined ? [this.#key] : [this.#key, this.#previous];
    if (!keys.some((key) => isSame(signature, this.#sign(login, id, time, key)))) return undefined;
    return now / 1000 - Number(time) < DEVICE_LIFETIME_S ? id : undefined;
  }

  #sign(login: string, id: string, time: string, key: Buffer): string {
    const signed = JSON.stringify(['device', login, id, time]);
    return createHmac('sha256', key).update(signed).digest('base64url');
  }
}

function isSame(signature: string, expected: string): boolean {
  if (signature.length !== expected.length) return false;
  return timingSafeEqual(Buffer.from(signature), Buffer.from(expected));
}
