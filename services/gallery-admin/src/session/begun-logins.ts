import { createHash, randomBytes } from 'node:crypto';
import { type Kysely, type SqlBool, sql } from 'kysely';
import type { GalleryTables } from '../tables.ts';
import type { Fingerprints } from './login-throttle.ts';
import type { Begun } from './oidc-providers.ts';

/** The time that somebody has at the provider, in s. */
export const BEGUN_FOR_S = 10 * 60;

const BEGUN_FOR = sql`make_interval(secs => ${BEGUN_FOR_S})`;

/** The logins that one address may have begun at once. */
const MAX_OF_ADDRESS = 20;

/** The logins that all who have never been here may have begun at once: what a flood can store. */
const MAX_OF_STRANGERS = 10_000;

/** The most that one login removes of those that nobody has ended. */
const REMOVED_AT_ONCE = 100;

/** The purpose of a login, besides logging in. */
export interface Purpose {
  /** The place in the desk where it ends. */
  target: string;
  invitation_hash: Buffer | null;
  /** The session whose person links an account, or shows again who they are. */
  session_id: string | null;
  /** True if the person of the session proves their identity again. */
  confirms: boolean;
}

type BegunLogin = Begun & Purpose & { provider: string };

/** A login that has come back from the provider. */
export type Returned = BegunLogin & { begun_at: Date };

/** Logins between their beginning and the way back from a provider, shared by all replicas. */
export class BegunLogins {
  readonly #db: Kysely<GalleryTables>;
  readonly #fingerprints: Fingerprints;

  constructor(db: Kysely<GalleryTables>, fingerprints: Fingerprints) {
    this.#db = db;
    this.#fingerprints = fingerprints;
  }

  /** Says if an address may begin another login; `isKnown` if somebody has logged in from there before. */
  async mayBegin(address: string, isKnown: boolean): Promise<boolean> {
    await this.#removeOver();
    const { own, all } = await this.#db
      .selectNoFrom([
        sql<number>`(select count(*) from gallery.begun_login
          where address = ${this.#of(address)} and begun_at > clock_timestamp() - ${BEGUN_FOR})`.as('own'),
        sql<number>`(select count(*) from (select from gallery.begun_login limit ${MAX_OF_STRANGERS}) one)`.as(
          'all',
        ),
      ])
      .executeTakeFirstOrThrow();
    return Number(own) < MAX_OF_ADDRESS && (isKnown || Number(all) < MAX_OF_STRANGERS);
  }

  /** Keeps a login until the browser comes back that has this cookie. */
  async add(login: BegunLogin, browser: string, address: string): Promise<void> {
    const { state, ...rest } = login;
    await this.#db
      .insertInto('gallery.begun_login')
      .values({
        ...rest,
        state_hash: hashOf(state),
        browser_hash: hashOf(browser),
        address: this.#of(address),
      })
      .execute();
  }

  /** The login with this state that this browser has begun, once; undefined if there is none (any longer). */
  async take(state: string, browser: string): Promise<Returned | undefined> {
    const row = await this.#db
      .deleteFrom('gallery.begun_login')
      .where('state_hash', '=', hashOf(state))
      .where('browser_hash', '=', hashOf(browser))
      .where(sql<SqlBool>`begun_at > clock_timestamp() - ${BEGUN_FOR}`)
      .returning(['provider', 'nonce', 'verifier', 'redirect_uri', 'begun_at'])
      .returning(['target', 'invitation_hash', 'session_id', 'confirms'])
      .executeTakeFirst();
    return row && { state, ...row };
  }

  #of(address: string): Buffer {
    return this.#fingerprints.of('address', address);
  }

  async #removeOver(): Promise<void> {
    await sql`
      delete from gallery.begun_login where state_hash = any(array(
        select state_hash from gallery.begun_login
        where begun_at <= clock_timestamp() - ${BEGUN_FOR}
        order by begun_at limit ${REMOVED_AT_ONCE} for update skip locked
      ))
    `.execute(this.#db);
  }
}

/** 256 bits, in base64url. */
const BROWSER_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** The value of the cookie of a browser that begins a login: what it has already, or else a new one. */
export function browserOf(cookie: string | undefined): string {
  return cookie !== undefined && BROWSER_PATTERN.test(cookie)
    ? cookie
    : randomBytes(32).toString('base64url');
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
