import { type Kysely, type SqlBool, sql } from 'kysely';
import type { GalleryTables } from '../tables.ts';
import type { Fingerprints } from './fingerprints.ts';

/** How long an address is remembered after the last login from it. */
const KNOWN_FOR = sql`interval '180 days'`;

/** The most addresses remembered, the latest ones. One account does not log in from more. */
const MAX_KNOWN = 1000;

/** How long the addresses are kept in memory, in ms: a flood costs the database one read per second. */
const KEPT_MS = 1000;

/** The most old rows that one login removes. */
const REMOVED_AT_ONCE = 100;

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
