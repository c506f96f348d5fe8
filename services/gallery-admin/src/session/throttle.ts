import { createHash } from 'node:crypto';
import { Problem } from '@pressroom/common/problems/problem';
import { type Kysely, sql } from 'kysely';
import type { GalleryTables } from '../tables.ts';

/** Failures of one source within a window; more are not even looked at (`docs/spec/wire.md`, "Login throttle"). */
const MAX_FAILURES = 5;

/** The length of a window, from its first failure. */
const WINDOW = sql`interval '15 minutes'`;

/** An attempt to log in that is counted as a failure until it succeeds. */
export interface Attempt {
  /** Takes the attempt back: it was no failure. */
  succeeded: () => Promise<void>;
}

/**
 * Counts failed logins by client address and username in PostgreSQL, so that replicas agree and a restart forgets
 * nothing. An attempt is counted before its password is looked at: any number of them at once comes to the same.
 */
export class LoginThrottle {
  readonly #db: Kysely<GalleryTables>;

  constructor(db: Kysely<GalleryTables>) {
    this.#db = db;
  }

  /** Begins an attempt. Throws 429 for the rest of the window when there were too many. */
  async begin(address: string, username: string): Promise<Attempt> {
    const source = createHash('sha256')
      .update(JSON.stringify([address, username]))
      .digest();
    const counted = await this.#count(source);
    if (!counted) throw tooManyAttempts(await this.#secondsLeft(source));
    return { succeeded: () => this.#takeBack(source) };
  }

  /** Removes the windows that are over. */
  async removeExpired(): Promise<void> {
    await this.#db
      .deleteFrom('gallery.login_failure')
      .where('window_started_at', '<=', sql<Date>`clock_timestamp() - ${WINDOW}`)
      .execute();
  }

  async #count(source: Buffer): Promise<boolean> {
    const { numAffectedRows } = await sql`
      insert into gallery.login_failure as kept (source, failures) values (${source}, 1)
      on conflict (source) do update set
        failures = case when ${OVER} then 1 else kept.failures + 1 end,
        window_started_at = case when ${OVER} then clock_timestamp() else kept.window_started_at end
      where kept.failures < ${MAX_FAILURES} or ${OVER}
    `.execute(this.#db);
    return numAffectedRows === 1n;
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

  async #takeBack(source: Buffer): Promise<void> {
    await sql`
      update gallery.login_failure set failures = failures - 1 where source = ${source} and failures > 0
    `.execute(this.#db);
  }
}

const OVER = sql`kept.window_started_at <= clock_timestamp() - ${WINDOW}`;

function tooManyAttempts(seconds: number): Problem {
  return new Problem(
    429,
    'rate_limited',
    `more than ${MAX_FAILURES} failed logins in 15 minutes; try again in ${seconds} s`,
    { headers: { 'retry-after': String(seconds) } },
  );
}
