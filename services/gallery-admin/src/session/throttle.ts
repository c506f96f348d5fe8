import { type Kysely, sql } from 'kysely';
import type { GalleryTables } from '../tables.ts';
import type { Fingerprints } from './fingerprints.ts';
import type { Visitor } from './login-lanes.ts';

/**
 * Allowed failures of one address and username, or of one device, within a window (`docs/spec/wire.md`,
 * "Login throttle").
 */
const MAX_FAILURES = 5;

/** Allowed failures of one address within a window, across all usernames. */
const MAX_ADDRESS_FAILURES = 20;

/** The length of a window, from its first failure. */
const WINDOW = sql`interval '15 minutes'`;

/** The most expired windows that one attempt removes. */
const REMOVED_AT_ONCE = 100;

/** What one attempt counts against. */
interface Count {
  source: Buffer;
  max: number;
}

/** The answer to a refused attempt: after how many seconds the next one is allowed. */
export interface Throttled {
  retryAfterS: number;
}

/** A login attempt, counted as a failure until it succeeds. */
export interface Attempt {
  /** Uncounts the attempt, because it did not fail or was not evaluated. */
  takeBack: () => Promise<void>;
}

/**
 * Counts failed logins in PostgreSQL, so that replicas agree and a restart loses nothing. An attempt is
 * counted before its password is checked, so the limit holds for any number of concurrent attempts.
 */
export class LoginThrottle {
  readonly #db: Kysely<GalleryTables>;
  readonly #fingerprints: Fingerprints;

  constructor(db: Kysely<GalleryTables>, fingerprints: Fingerprints) {
    this.#db = db;
    this.#fingerprints = fingerprints;
  }

  /**
   * Starts an attempt, right before its password is checked; returns the wait instead if there were too many.
   */
  async begin(visitor: Visitor, username: string): Promise<Attempt | Throttled> {
    const counts = this.#countsOf(visitor, username);
    const sources = counts.map(({ source }) => source);
    try {
      await this.#db.transaction().execute((tx) => countAll(tx, counts));
    } catch (error) {
      if (error instanceof LimitReached) return { retryAfterS: await this.#secondsLeft(error.source) };
      throw error;
    }
    return { takeBack: () => this.#takeBack(sources) };
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

  async #takeBack(sources: Buffer[]): Promise<void> {
    await sql`
      update gallery.login_failure set failures = failures - 1
      where source in (
        select source from gallery.login_failure where source = any(${sources}) order by source for update
      ) and failures > 0
    `.execute(this.#db);
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
async function countAll(tx: Kysely<GalleryTables>, counts: Count[]): Promise<void> {
  const sources = counts.map(({ source }) => source);
  await sql`
    delete from gallery.login_failure where source in (
      select source from gallery.login_failure
      where window_started_at <= clock_timestamp() - ${WINDOW} and source <> all(${sources})
      order by window_started_at limit ${REMOVED_AT_ONCE} for update skip locked
    )
  `.execute(tx);
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

/** The number of sources that have reached a limit of their window. */
export async function countThrottled(db: Kysely<GalleryTables>): Promise<number> {
  const { count } = await db
    .selectFrom('gallery.login_failure')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('failures', '>=', MAX_FAILURES)
    .where(sql<boolean>`window_started_at > clock_timestamp() - ${WINDOW}`)
    .executeTakeFirstOrThrow();
  return count;
}
