import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { FairQueue } from '@pressroom/common/concurrency/fair-queue';
import { Failure } from '@pressroom/common/failures/failure';
import type { Meter } from '@pressroom/common/metrics/meter';
import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Candidate, PeopleStore } from '../people/people-store.ts';
import type { GalleryTables } from '../tables.ts';
import type { CodeKind, Codes } from './codes.ts';
import {
  formatPasswordHash,
  hashPassword,
  isPassword,
  type PasswordHash,
  parsePasswordHash,
} from './password.ts';
import { countSessions, type DeviceTokens, type SessionStore } from './store.ts';

/** What {@link Logins} works with. */
interface LoginParts {
  account: Account;
  people: PeopleStore;
  sessions: SessionStore;
  throttle: LoginThrottle;
  addresses: KnownAddresses;
  devices: DeviceTokens;
  codes: Codes;
  /** Whether people may log in with a password; the account of the environment always may. */
  takesPasswords: boolean;
}

/** What a login request shows about its sender. */
export interface Caller {
  /** Counts as one client: the address, or the /64 of an IPv6 one. */
  address: string;
  /** As the browser sends it, valid or not. */
  deviceToken: string | undefined;
  /** The browser's `User-Agent`. */
  browser: string | undefined;
  /** True once the client no longer waits for the answer. */
  isGone: () => boolean;
}

/** Who has shown that they may log in. */
export interface Known {
  name: string;
  /** What they log in with, in the form in which it is counted. */
  login: string;
  /** The fingerprint of the environment's account, or the person's stamp. */
  account: Buffer;
  /** Null for the environment's account. */
  person_id: string | null;
  /** The id of a provider of single sign-on, or `proxy`; else absent. */
  way?: string;
  /** The provider's ID token, sealed. */
  id_token?: string;
  /** When they have shown who they are; absent for just now. */
  confirmed_at?: Date | undefined;
}

/** The `confirmed_at` of whoever has yet to show who they are. */
export const NEVER = new Date(0);

/** What somebody says at a login. */
interface Credentials {
  username: string;
  password: string;
  /** Of an app, or for recovery. */
  code?: string | undefined;
}

/** Whether somebody has shown who they are, and the lane in which that was checked. */
type Proven<Found> = { lane: Lane } & (
  | { outcome: 'throttled'; retryAfterS: number }
  | { outcome: 'failed' }
  | { outcome: 'right'; found: Found }
);

/** The same of a login; the password is right where a code is asked for, or was wrong. */
type Checked = { lane: Lane } & (
  | { outcome: 'throttled'; retryAfterS: number }
  | { outcome: 'failed' }
  | { outcome: 'code_required' }
  | { outcome: 'code_wrong'; known: Known }
  | { outcome: 'right'; known: Known; code?: CodeKind }
);

/** Login attempts: counted, bounded, and run in the lane of their client. */
export class Logins {
  readonly #parts: LoginParts;
  readonly #lanes = new LoginLanes();

  constructor(parts: LoginParts) {
    this.#parts = parts;
  }

  /**
   * Says who logs in, with the username of the environment's account or a person's e-mail address. Fails with
   * `unavailable` if too many try at once, which does not count as an attempt, and with `misconfigured` if
   * there is neither that account nor an owner.
   */
  async attempt(caller: Caller, credentials: Credentials): Promise<Checked> {
    const { account, people } = this.#parts;
    if (!account.isConfigured && !(await people.hasOwner())) throw misconfigured();
    const { username, password, code } = credentials;
    const login = account.loginOf(username);
    const seen: { wrongCode?: Known } = {};
    const proven = await this.prove(caller, login, async (visitor) => {
      const found = await this.#recognize(username, password);
      if (found === undefined || !found.hasFactor) return found && { known: found.known };
      // Nothing is guessed yet: the password is right.
      if (code === undefined) return 'code_required' as const;
      const second = await this.#second(visitor, found.known, code);
      if (second === undefined) seen.wrongCode = found.known;
      return second;
    });
    const { lane } = proven;
    if (proven.outcome === 'failed' && seen.wrongCode) {
      return { outcome: 'code_wrong', lane, known: seen.wrongCode };
    }
    if (proven.outcome !== 'right') return proven;
    const { found } = proven;
    if (found === 'code_required') return { outcome: found, lane };
    return 'retryAfterS' in found
      ? { outcome: 'throttled', lane, ...found }
      : { outcome: 'right', lane, ...found };
  }

  async #second(
    visitor: Visitor,
    known: Known,
    code: string,
  ): Promise<{ known: Known; code: CodeKind } | Throttled | undefined> {
    const taken = await this.takeCode(visitor, known.person_id ?? '', code);
    if (taken === 'wrong') return undefined;
    return 'found' in taken ? { known, code: taken.found } : taken;
  }

  /** Uses up a code of a person, counted over all addresses, each of which could guess some. */
  takeCode(
    visitor: Visitor,
    person: string,
    code: string,
  ): Promise<{ found: CodeKind } | 'wrong' | Throttled> {
    const { throttle, codes } = this.#parts;
    return throttle.attemptCode(visitor, person, () => codes.take(person, code));
  }

  /** Checks a password alone as a login does, in its lane and counted. Fails as a login. */
  check(caller: Caller, { username, password }: Credentials): Promise<Proven<Known>> {
    return this.prove(caller, this.#parts.account.loginOf(username), async () => {
      const found = await this.#recognize(username, password);
      return found?.known;
    });
  }

  /**
   * Lets `find` say whether somebody is who they say, in the lane of the caller, and counts it as a failed
   * login of `login` if not. Fails with `unavailable` if too many try at once, which does not count.
   */
  async prove<Found>(
    caller: Caller,
    login: string,
    find: (visitor: Visitor) => Promise<Found | undefined>,
  ): Promise<Proven<Found>> {
    const visitor = await this.#visitor(caller, login);
    const lane = laneOf(visitor);
    return this.#lanes.run(visitor, async () => {
      if (caller.isGone()) throw new Failure('unavailable', 'the client is no longer waiting for this login');
      const attempt = await this.#parts.throttle.attempt(visitor, login, () => find(visitor));
      if (attempt === 'wrong') return { outcome: 'failed', lane };
      if ('retryAfterS' in attempt) return { outcome: 'throttled', lane, ...attempt };
      return { outcome: 'right', lane, ...attempt };
    });
  }

  /** Hashes a new password of `login` in the lane of the caller, as a login would be checked. */
  async hash(caller: Caller, login: string, password: string): Promise<string> {
    const visitor = await this.#visitor(caller, login);
    return this.#lanes.run(visitor, async () => formatPasswordHash(await hashPassword(password)));
  }

  async #visitor({ address, deviceToken = '' }: Caller, login: string): Promise<Visitor> {
    const { devices, addresses } = this.#parts;
    const device = devices.idOf(deviceToken, login);
    return { address, device, isKnownAddress: device === undefined && (await addresses.has(address)) };
  }

  /** Begins a session of somebody who is known, and remembers from where. */
  async begin(
    { account, login, person_id, way, id_token, confirmed_at }: Known,
    { address, browser }: Pick<Caller, 'address' | 'browser'>,
  ): Promise<{ session: string; device: string }> {
    const { sessions, addresses, devices } = this.#parts;
    await addresses.add(address);
    const by = { account, person_id, way, id_token, confirmed_at };
    const session = await sessions.create({ ...by, address, device: browser });
    return { session, device: devices.issue(login) };
  }

  /** Hashes the password once, whoever it is: an unknown name costs as much as a wrong password. */
  async #recognize(
    username: string,
    password: string,
  ): Promise<{ known: Known; hasFactor: boolean } | undefined> {
    const { account, people, takesPasswords } = this.#parts;
    const isPerson = takesPasswords && !account.hasName(username);
    const person = isPerson ? await people.candidate(username.toLowerCase()) : undefined;
    if (person === undefined) {
      const isRight = await account.isRight(username, password);
      const { name, fingerprint } = account;
      const known = { name, login: account.loginOf(name), account: fingerprint, person_id: null };
      return isRight ? { known, hasFactor: false } : undefined;
    }
    const hash = parsePasswordHash(person.password_hash ?? '');
    if (hash === undefined || !(await isPassword(password, hash))) return undefined;
    return { known: knownAs(person), hasFactor: person.has_factor };
  }
}

/** A person who has shown who they are. */
export function knownAs({ id, name, email, stamp }: Candidate): Known {
  return { name, login: email, account: stamp, person_id: id };
}

function misconfigured(): Failure {
  return new Failure(
    'misconfigured',
    'login is not configured: set ADMIN_USERNAME and ADMIN_PASSWORD_HASH (or ADMIN_PASSWORD) on the server',
  );
}

/** The account as the environment describes it. */
interface AccountSettings {
  username: string | undefined;
  /** argon2id as a PHC string; goes before `password`. */
  passwordHash: string | undefined;
  password: string | undefined;
  settingsKey: Buffer;
}

/** The account of the environment: an owner. */
export class Account {
  /** Changes with the username and the password, and reveals neither. 32 bytes. */
  readonly fingerprint: Buffer;
  readonly #settings: AccountSettings;
  readonly #verify: typeof isPassword;
  #expected: Promise<PasswordHash> | undefined;

  /** @param verify compares a password with a hash; argon2id by default */
  constructor(settings: AccountSettings, verify = isPassword) {
    const { username, passwordHash, password, settingsKey } = settings;
    const identity = JSON.stringify([username, passwordHash ?? password]);
    this.fingerprint = createHmac('sha256', settingsKey).update(`account:${identity}`).digest();
    this.#settings = settings;
    this.#verify = verify;
  }

  get isConfigured(): boolean {
    const { username, passwordHash, password } = this.#settings;
    return Boolean(username && (passwordHash || password));
  }

  get name(): string {
    return this.#settings.username ?? '';
  }

  /** What is counted of a username: one form for all spellings of an e-mail address. */
  loginOf(username: string): string {
    return this.hasName(username) ? this.name.normalize('NFC') : username.toLowerCase();
  }

  /** Whether a person with this name or e-mail address could be taken for it. */
  isTakenBy(text: string): boolean {
    return this.isConfigured && text.toLowerCase() === this.name.normalize('NFC').toLowerCase();
  }

  /** Whether it has this name; without an account, no name is its own. */
  hasName(username: string): boolean {
    return this.isConfigured && isSame(username, this.name);
  }

  /**
   * True for the right username and password. Hashes the password in either case, so that an unknown username
   * costs as much as a wrong password.
   */
  async isRight(username: string, password: string): Promise<boolean> {
    const right = await this.#verify(password, await this.#passwordHash());
    return this.hasName(username) && right;
  }

  /** A plain password from the environment is hashed once, so that every comparison costs the same. */
  #passwordHash(): Promise<PasswordHash> {
    const { passwordHash, password = '' } = this.#settings;
    const stored = parsePasswordHash(passwordHash ?? '');
    this.#expected ??= stored ? Promise.resolve(stored) : hashPassword(password);
    return this.#expected;
  }
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text.normalize('NFC')).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** What a request shows about who tries to log in. */
export interface Visitor {
  /** Counts as one client: the address, or the /64 of an IPv6 one. */
  address: string;
  /** True if someone has logged in from this address before. */
  isKnownAddress: boolean;
  /** The id in a valid device cookie, from a browser that someone has logged in from before. */
  device: string | undefined;
}

/** The lane that a visitor waits in. */
type Lane = 'device' | 'known_address' | 'unknown';

function laneOf({ device, isKnownAddress }: Visitor): Lane {
  if (device !== undefined) return 'device';
  return isKnownAddress ? 'known_address' : 'unknown';
}

/** Attempts that may wait in a lane, over all clients. */
const WAITING = 64;

/** Clients that may wait in a lane beyond that, each with one attempt. */
const CLIENTS = 512;

/** For how long an attempt counts against the next ones of its client, in ms. */
const REMEMBER_MS = 15 * 60_000;

/**
 * Each hash takes 64 MiB and a core for a while, so each lane does one at a time. Unknown senders only fill
 * the unknown lane (OWASP, "Device cookies"). The other lanes also leave the cores to known browsers: their
 * next hash starts when no known browser is waiting. Only those who have known the password have such a
 * browser, so unknown senders cannot delay each other this way.
 */
export class LoginLanes {
  readonly #devices = lane();
  readonly #knownAddresses = lane();
  readonly #unknown = lane();

  /**
   * Runs `work` in the lane of `visitor`. Fails with `unavailable`, without running it, if the lane is full.
   */
  run<T>({ device, address, isKnownAddress }: Visitor, work: () => Promise<T>): Promise<T> {
    if (device !== undefined) return this.#devices.run(device, work);
    const lane = isKnownAddress ? this.#knownAddresses : this.#unknown;
    return lane.run(address, async () => {
      await this.#devices.idle();
      return work();
    });
  }
}

function lane(): FairQueue {
  const waiting = { pieces: WAITING, owners: CLIENTS, refusal: 'too many logins at once; try again' };
  return new FairQueue({ places: 1, waiting, rememberMs: REMEMBER_MS });
}

/**
 * Allowed failures of one address and username, or of one device, within a window (`docs/spec/wire.md`,
 * "Login throttle").
 */
const MAX_FAILURES = 5;

/** Allowed failures of one address within a window, across all usernames. */
const MAX_ADDRESS_FAILURES = 20;

/** Allowed wrong codes of one person within a window, from wherever, after the right password. */
const MAX_CODE_FAILURES = 10;

/** The length of a window, from its first failure. */
const WINDOW = sql`interval '15 minutes'`;

/** The most expired windows that one attempt removes. */
const REMOVED_AT_ONCE = 100;

interface Count {
  source: Buffer;
  max: number;
}

/** The answer to a refused attempt: after how many seconds the next one is allowed. */
interface Throttled {
  retryAfterS: number;
}

/** How long an attempt may take, in ms: a host that vanishes does not hold up the next ones for longer. */
const LONGEST_MS = 15_000;

/**
 * Counts failed logins in PostgreSQL, so that replicas agree and a restart loses nothing. An attempt is
 * counted before its password is checked, so the limit holds for any number of concurrent attempts: those of
 * one source wait for each other. The count is part of a transaction that lasts as long as the check, so one
 * that is cut off leaves none.
 */
export class LoginThrottle {
  readonly #db: Kysely<GalleryTables>;
  readonly #fingerprints: Fingerprints;

  constructor(db: Kysely<GalleryTables>, fingerprints: Fingerprints) {
    this.#db = db;
    this.#fingerprints = fingerprints;
  }

  /**
   * Finds who it is by `find`, and counts the attempt if it finds nobody; returns the wait instead if there
   * were too many.
   */
  attempt<Found>(
    visitor: Visitor,
    username: string,
    find: () => Promise<Found | undefined>,
  ): Promise<{ found: Found } | 'wrong' | Throttled> {
    return this.#counted(this.#countsOf(visitor, username), find);
  }

  /** The same of a person's codes. A known browser has its own count of failures alone. */
  attemptCode<Found>(
    { device }: Visitor,
    person: string,
    find: () => Promise<Found | undefined>,
  ): Promise<{ found: Found } | 'wrong' | Throttled> {
    const source = this.#fingerprints.of('code', person);
    return this.#counted(device === undefined ? [{ source, max: MAX_CODE_FAILURES }] : [], find);
  }

  async #counted<Found>(
    counts: readonly Count[],
    find: () => Promise<Found | undefined>,
  ): Promise<{ found: Found } | 'wrong' | Throttled> {
    await removeOver(this.#db);
    try {
      return await this.#db.transaction().execute(async (tx) => {
        await countAll(tx, counts);
        const found = await find();
        if (found !== undefined) throw new PasswordRight(found);
        return 'wrong' as const;
      });
    } catch (error) {
      if (error instanceof PasswordRight) return { found: error.found as Found };
      if (error instanceof LimitReached) return { retryAfterS: await this.#secondsLeft(error.source) };
      throw error;
    }
  }

  /** A known browser is counted separately: failures of others behind the same address are not its own. */
  #countsOf({ address, device }: Visitor, username: string): Count[] {
    if (device !== undefined) return [{ source: this.#fingerprints.of('device', device), max: MAX_FAILURES }];
    return [
      { source: this.#fingerprints.of('address', address), max: MAX_ADDRESS_FAILURES },
      { source: this.#fingerprints.of('address and username', address, username), max: MAX_FAILURES },
    ];
  }

  async #secondsLeft(source: Buffer): Promise<number> {
    const row = await this.#db
      .selectFrom('gallery.login_failure')
      .select(
        sql<number>`ceil(extract(epoch from window_started_at + ${WINDOW} - clock_timestamp()))::int`.as(
          'left',
        ),
      )
      .where('source', '=', source)
      .executeTakeFirst();
    return Math.max(1, row?.left ?? 1);
  }
}

/** Rolls back the counting transaction, because the attempt has not failed. */
class PasswordRight extends Error {
  readonly found: unknown;

  constructor(found: unknown) {
    super('password right');
    this.found = found;
  }
}

/** Rolls back the counting transaction, because one of the limits has been reached. */
class LimitReached extends Error {
  readonly source: Buffer;

  constructor(source: Buffer) {
    super('limit reached');
    this.source = source;
  }
}

const OVER = sql`kept.window_started_at <= clock_timestamp() - ${WINDOW}`;

/** Counts an attempt against all of `counts`. Throws {@link LimitReached}. */
async function countAll(tx: Kysely<GalleryTables>, counts: readonly Count[]): Promise<void> {
  await sql`select set_config('idle_in_transaction_session_timeout', ${`${LONGEST_MS}`}, true)`.execute(tx);
  // In a fixed order, so that no two attempts deadlock.
  for (const { source, max } of counts.toSorted((a, b) => a.source.compare(b.source))) {
    const { numAffectedRows } = await sql`
      insert into gallery.login_failure as kept (source, failures) values (${source}, 1)
      on conflict (source) do update set
        failures = case when ${OVER} then 1 else kept.failures + 1 end,
        window_started_at = case when ${OVER} then clock_timestamp() else kept.window_started_at end
      where kept.failures < ${max} or ${OVER}
    `.execute(tx);
    if (numAffectedRows !== 1n) throw new LimitReached(source);
  }
}

/** Removes some of the windows that are over. */
async function removeOver(db: Kysely<GalleryTables>): Promise<void> {
  await sql`
    delete from gallery.login_failure where source in (
      select source from gallery.login_failure
      where window_started_at <= clock_timestamp() - ${WINDOW}
      order by window_started_at limit ${REMOVED_AT_ONCE} for update skip locked
    )
  `.execute(db);
}

/** The number of sources that have reached a limit of their window. */
async function countThrottled(db: Kysely<GalleryTables>): Promise<number> {
  const { count } = await db
    .selectFrom('gallery.login_failure')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('failures', '>=', MAX_FAILURES)
    .where(sql<boolean>`window_started_at > clock_timestamp() - ${WINDOW}`)
    .executeTakeFirstOrThrow();
  return count;
}

/** How long an address is remembered after the last login from it. */
const KNOWN_FOR = sql`interval '180 days'`;

/** The most addresses remembered, the latest ones. One account does not log in from more. */
const MAX_KNOWN = 1000;

/** How long the addresses are kept in memory, in ms: a flood costs the database one read per second. */
const KEPT_MS = 1000;
/** The addresses from which someone has logged in before, shared by all replicas. */
export class KnownAddresses {
  readonly #db: Kysely<GalleryTables>;
  readonly #fingerprints: Fingerprints;
  #kept: { addresses: Promise<Set<string>>; until: number } | undefined;

  constructor(db: Kysely<GalleryTables>, fingerprints: Fingerprints) {
    this.#db = db;
    this.#fingerprints = fingerprints;
  }

  /**
   * True if someone has logged in from `address` before; other replicas know it within a second of the login.
   */
  async has(address: string): Promise<boolean> {
    const known = await this.#all();
    return known.has(this.#fingerprints.of('address', address).toString('hex'));
  }

  /** Records that someone has logged in from `address`. */
  async add(address: string): Promise<void> {
    const id = this.#fingerprints.of('address', address);
    await sql`
      with removed as (
        delete from gallery.known_address where address in (
          select address from gallery.known_address
          where last_login_at <= clock_timestamp() - ${KNOWN_FOR} and address <> ${id}
          order by last_login_at limit ${REMOVED_AT_ONCE} for update skip locked
        )
      )
      insert into gallery.known_address (address) values (${id})
      on conflict (address) do update set last_login_at = clock_timestamp()
    `.execute(this.#db);
    this.#kept = undefined;
  }

  #all(): Promise<Set<string>> {
    const now = performance.now();
    if (this.#kept !== undefined && now < this.#kept.until) return this.#kept.addresses;
    const addresses = this.#read();
    this.#kept = { addresses, until: now + KEPT_MS };
    addresses.catch(() => {
      if (this.#kept?.addresses === addresses) this.#kept = undefined;
    });
    return addresses;
  }

  async #read(): Promise<Set<string>> {
    const rows = await this.#db
      .selectFrom('gallery.known_address')
      .select('address')
      .where(sql<SqlBool>`last_login_at > clock_timestamp() - ${KNOWN_FOR}`)
      .orderBy('last_login_at', 'desc')
      .limit(MAX_KNOWN)
      .execute();
    return new Set(rows.map(({ address }) => address.toString('hex')));
  }
}

/**
 * Makes the fingerprints that the database stores instead of addresses and names: HMAC-SHA-256 with a key
 * shared by all replicas.
 */
export class Fingerprints {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** 32 bytes for `parts` of the kind `kind`: the same on every replica, and meaningless without the key. */
  of(kind: string, ...parts: string[]): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([kind, ...parts]))
      .digest();
  }
}

/** The sessions and the login throttle; they are the same on all replicas. */
export function sessionMeters(db: Kysely<GalleryTables>): Meter[] {
  return [
    {
      name: 'gallery_sessions',
      help: 'Sessions that have not ended',
      kind: 'gauge',
      read: async () => [{ value: await countSessions(db) }],
    },
    {
      name: 'gallery_throttled_logins',
      help: 'Addresses, usernames and devices that may not try to log in now',
      kind: 'gauge',
      read: async () => [{ value: await countThrottled(db) }],
    },
  ];
}
