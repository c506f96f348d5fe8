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
   * Checks a password by `isRight`, and counts the attempt if that is not so; returns the wait instead if
   * there were too many.
   */
  async attempt(
    visitor: Visitor,
    username: string,
    isRight: () => Promise<boolean>,
  ): Promise<'right' | 'wrong' | Throttled> {
    const counts = this.#countsOf(visitor, username);
    await removeOver(this.#db);
    try {
      return await this.#db.transaction().execute(async (tx) => {
        await countAll(tx, counts);
        if (await isRight()) throw new PasswordRight();
        return 'wrong' as const;
      });
    } catch (error) {
      if (error instanceof PasswordRight) return 'right';
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
class PasswordRight extends Error {}

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
export async function countThrottled(db: Kysely<GalleryTables>): Promise<number> {
  const { count } = await db
    .selectFrom('gallery.login_failure')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('failures', '>=', MAX_FAILURES)
    .where(sql<boolean>`window_started_at > clock_timestamp() - ${WINDOW}`)
    .executeTakeFirstOrThrow();
  return count;
}
