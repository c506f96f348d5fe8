import { createHmac } from 'node:crypto';
import { FairQueue } from '@pressroom/common/concurrency/fair-queue';
import type { Meter } from '@pressroom/common/metrics/meter';
import { type Kysely, type SqlBool, sql } from 'kysely';
import type { GalleryTables } from '../tables.ts';
import { countSessions } from './store.ts';

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

/** The sender of a login request, as far as it matters for throttling. */
export interface Visitor {
  /** Counts as one client: the address, or the /64 of an IPv6 one. */
  address: string;
  /** True if someone has logged in from this address before. */
  isKnownAddress: boolean;
  /** The id in a valid device cookie, from a browser that someone has logged in from before. */
  device: string | undefined;
}

/** The lane that a visitor waits in. */
export type Lane = 'device' | 'known_address' | 'unknown';

export function laneOf({ device, isKnownAddress }: Visitor): Lane {
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

interface Count {
  source: Buffer;
  max: number;
}

/** The answer to a refused attempt: after how many seconds the next one is allowed. */
export interface Throttled {
  retryAfterS: number;
}

/**
 * The time limit of an attempt, in ms, so that a host that vanishes does not hold up the next ones for
 * longer.
 */
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

/** The time that an address is remembered after the last login from it. */
const KNOWN_FOR = sql`interval '180 days'`;

/** The most addresses remembered, the latest ones. One account does not log in from more. */
const MAX_KNOWN = 1000;

/** The time that the addresses are kept in memory, in ms: a flood costs the database one read per second. */
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
