import { type QueryExecutorProvider, type RawBuilder, type SqlBool, sql } from 'kysely';

/** A moment in so many seconds, by the database's clock, which all processes share. */
export function secondsFromNow(seconds: number | RawBuilder<number>): RawBuilder<Date> {
  return sql`(clock_timestamp() + ${seconds}::float8 * interval '1 second')`;
}

/** A process that is gone keeps its rows for this long, in seconds. */
export const LEASE_SECONDS = 30;

/** Interval at which a process renews such leases, in ms. */
export const RENEW_MS = 10_000;

interface LeaseOptions {
  /** With its schema. In the conditions that are passed its columns have no other name. */
  table: string;
  /** The columns of its key. */
  key: readonly string[];
  /**
   * The column with the end of the lease. It may be the column with the moment from which a row is due: work
   * that is in hand is then work that is due later.
   */
  until: string;
  /** Length of the lease, or of each row's; {@link LEASE_SECONDS} if absent. */
  seconds?: number | RawBuilder<number>;
}

interface LeaseClaim {
  due: RawBuilder<SqlBool>;
  order: RawBuilder<unknown>;
  most: number;
  set?: RawBuilder<unknown>;
  returning: RawBuilder<unknown>;
}

/**
 * Work on the rows of a table that one process at a time has in hand, beside any number of others. The end of
 * a lease is on the row: a process that is gone loses the row when its lease ends. One that only was slow may
 * still write, so whoever writes what came of the work names what only its own claim has: the number of the
 * attempt, the end of the lease, or the holder.
 */
export class Lease {
  readonly #table: RawBuilder<unknown>;
  readonly #key: RawBuilder<unknown>;
  readonly #column: RawBuilder<unknown>;
  readonly #until: RawBuilder<Date>;
  readonly #seconds: number | RawBuilder<number>;

  constructor({ table, key, until, seconds = LEASE_SECONDS }: LeaseOptions) {
    this.#table = sql.table(table);
    this.#key = sql.join(key.map((column) => sql.ref(column)));
    this.#column = sql.ref(until);
    this.#until = sql.ref(`${table}.${until}`);
    this.#seconds = seconds;
  }

  /** The end of a lease that begins or is renewed now. */
  end(): RawBuilder<Date> {
    return secondsFromNow(this.#seconds);
  }

  /** True of a row that no process has in hand. */
  isFree(): RawBuilder<boolean> {
    return sql`coalesce(${this.#until} <= clock_timestamp(), true)`;
  }

  /** True of a row that a process has in hand. */
  isHeld(): RawBuilder<boolean> {
    return sql`coalesce(${this.#until} > clock_timestamp(), false)`;
  }

  /** Takes rows, at most `most`, without those that are being written at the moment. */
  async claim<Row>(
    db: QueryExecutorProvider,
    { due, order, most, set, returning }: LeaseClaim,
  ): Promise<Row[]> {
    const changes = set === undefined ? sql`` : sql`, ${set}`;
    // As a subquery it might be planned to run again and again, each time with a limit of its own.
    const { rows } = await sql<Row>`
      with due as materialized (
        select ${this.#key} from ${this.#table} where ${due}
        order by ${order} limit ${most} for update skip locked
      )
      update ${this.#table} set ${this.#column} = ${this.end()}${changes}
      where (${this.#key}) in (select ${this.#key} from due)
      returning ${returning}
    `.execute(db);
    return rows;
  }

  /**
   * Begins the leases of the rows that are `held` by the caller anew, without those that are being written at
   * the moment: their work may just have ended.
   */
  async renew(db: QueryExecutorProvider, held: RawBuilder<SqlBool>): Promise<void> {
    await sql`
      with held as materialized (select ${this.#key} from ${this.#table} where ${held} for update skip locked)
      update ${this.#table} set ${this.#column} = ${this.end()}
      where (${this.#key}) in (select ${this.#key} from held)
    `.execute(db);
  }
}

/** Delays between attempts at something that fails; each is `factor` times the one before. */
interface Backoff {
  firstSeconds: number;
  mostSeconds: number;
  /** 2 if absent. */
  factor?: number;
}

/** The wait after so many failures in a row, 1 at least, in seconds. */
export function backoffSeconds({ firstSeconds, mostSeconds, factor = 2 }: Backoff, failures: number): number {
  return Math.min(mostSeconds, firstSeconds * factor ** (failures - 1));
}

/** The same of a column that counts the failures. */
export function backoffOf(backoff: Backoff, failures: RawBuilder<number>): RawBuilder<number> {
  const waits = [];
  do waits.push(backoffSeconds(backoff, waits.length + 1));
  while (waits.at(-1) !== backoff.mostSeconds);
  return sql`(${waits}::float8[])[least(${failures}, ${waits.length})]`;
}

/** The same until the waits together are `totalSeconds`; undefined from then on, since it is given up. */
export function backoffUntil(backoff: Backoff, totalSeconds: number, failures: number): number | undefined {
  let waited = 0;
  for (let failure = 1; failure < failures; failure += 1) waited += backoffSeconds(backoff, failure);
  return waited < totalSeconds ? backoffSeconds(backoff, failures) : undefined;
}
