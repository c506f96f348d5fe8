import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely, PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import type { Lease } from '../caching/representation-cache.ts';
import type { ChangeListener, WalPosition } from './change-listener.ts';
import { type ConnectionLog, type DatabaseConfig, openPool, queriesOn, SilenceError } from './database.ts';

/** A read waits this long for a replica that is a little behind, in ms; after that it goes to the primary. */
const BEHIND_MS = 50;

/** Interval at which such a replica is queried again, in ms. */
const ASK_AGAIN_MS = 5;

/** A replica has this long to report its position, in ms. */
const ANSWER_MS = 2000;

/** After how long a replica that failed is tried again, in ms. */
const RETRY_MS = 1000;

/** The statement exceeded its time limit: the primary would take as long. */
const QUERY_CANCELED = '57014';

interface ReadPoolParts {
  primary: pg.Pool;
  replica: pg.Pool;
  /** Valid while changes made by others would be known. */
  lease: Lease;
  position: WalPosition;
  log: ConnectionLog;
}

/** The position that a replica has replayed, as PostgreSQL writes it, compared with the wanted one. */
interface Progress {
  lsn: string | null;
  reached: boolean;
}

/**
 * Connections for single statements that only read: on a replica that contains everything that this process
 * has served or heard of, else on the primary. A read that fails on the replica is repeated on the primary.
 */
export class ReadPool implements PostgresPool {
  readonly #parts: ReadPoolParts;
  /** The furthest position that was read on any replica: none that is behind it is read after that. */
  #readUntil = '0/0';
  #retryAt = 0;
  #away = false;
  onReplica = 0;
  onPrimary = 0;

  constructor(parts: ReadPoolParts) {
    this.#parts = parts;
  }

  get options(): object {
    return this.#parts.replica.options;
  }

  /** A connection is chosen for each statement, because what must be in the replica may have changed. */
  async connect(): Promise<PostgresPoolClient> {
    const query = (text: string, values: readonly unknown[]) => this.#read(text, values);
    return { query, release: () => undefined } as unknown as PostgresPoolClient;
  }

  /** Closes the connections to the replica; those to the primary are not its own. */
  async end(): Promise<void> {
    await this.#parts.replica.end();
  }

  async #read(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    const { primary, position } = this.#parts;
    const read = await this.#readOnReplica(text, values);
    if (read !== undefined) {
      this.onReplica += 1;
      return read;
    }
    const client = await primary.connect();
    const result = await client.query(text, [...values]).finally(() => client.release());
    position.seen();
    this.onPrimary += 1;
    return result;
  }

  /** Undefined if it has to be read on the primary. */
  async #readOnReplica(text: string, values: readonly unknown[]): Promise<pg.QueryResult | undefined> {
    const { lease, position, replica } = this.#parts;
    // The lease is asked in any case, because asking keeps it going.
    if (!lease.isCurrent() || performance.now() < this.#retryAt) return undefined;
    const wanted = await position.current();
    if (wanted === undefined) return undefined;
    // Until it has answered, no other request tries a replica that was unavailable.
    if (this.#away) this.#retryAt = performance.now() + RETRY_MS;
    let client: pg.PoolClient | undefined;
    let fault: unknown;
    try {
      client = await replica.connect();
      const ready = await this.#waitFor(client, wanted);
      this.#answered();
      if (!ready) return undefined;
      const result = await client.query(text, [...values]);
      // Only now is it known how far the replica was when it read, if there is more than one.
      this.#readUntil = furthest(this.#readUntil, (await progressOf(client)).lsn);
      return result;
    } catch (error) {
      fault = error;
      if (isTimeLimit(error)) throw error;
      this.#failed(error);
      return undefined;
    } finally {
      client?.release(fault !== undefined);
    }
  }

  /** False if the replica is too far behind. */
  async #waitFor(client: pg.PoolClient, wanted: string): Promise<boolean> {
    const deadline = performance.now() + BEHIND_MS;
    for (;;) {
      const { reached, lsn } = await progressOf(client, wanted, this.#readUntil);
      if (reached) return true;
      if (lsn === null) throw new Error('DATABASE_READ_URL is not a replica');
      if (performance.now() > deadline) return false;
      await delay(ASK_AGAIN_MS);
    }
  }

  #answered(): void {
    if (this.#away) this.#parts.log.warn({}, 'read_replica_back');
    this.#away = false;
    this.#retryAt = 0;
  }

  #failed(error: unknown): void {
    if (!this.#away) this.#parts.log.warn({ err: error }, 'read_replica_away');
    this.#away = true;
    this.#retryAt = performance.now() + RETRY_MS;
  }
}

/** Queries the position of a replica; `lsn` is null on a server that is not, or no longer, a replica. */
async function progressOf(client: pg.PoolClient, ...wanted: string[]): Promise<Progress> {
  const text = `select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text end as lsn,
    pg_is_in_recovery() and pg_last_wal_replay_lsn() >= all ($1::pg_lsn[]) as reached`;
  const question = { text, values: [wanted], query_timeout: ANSWER_MS };
  const { rows } = await client.query<Progress>(question);
  return rows[0] ?? { lsn: null, reached: false };
}

function furthest(a: string, b: string | null): string {
  return b === null || bytesOf(a) > bytesOf(b) ? a : b;
}

/** A position as a number of bytes: PostgreSQL writes its two halves in hexadecimal. */
function bytesOf(lsn: string): bigint {
  const [high = '', low = ''] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

function isTimeLimit(error: unknown): boolean {
  if (error instanceof SilenceError) return true;
  return error instanceof Error && 'code' in error && error.code === QUERY_CANCELED;
}

/** The longest that a read waits for a connection to the replica, in ms, before it goes to the primary. */
const CONNECT_MS = 2000;

interface Reads<Tables> {
  /** The query builder for single statements that only read. */
  db: Kysely<Tables>;
  /** The connections to the replica, and the choice between it and the primary; absent without a replica. */
  replica?: pg.Pool;
  pool?: ReadPool;
  close: () => Promise<void>;
}

export interface Primary<Tables> {
  config: DatabaseConfig & { DATABASE_READ_URL?: string | undefined };
  name: string;
  pool: pg.Pool;
  db: Kysely<Tables>;
  /** It must follow the WAL if there is a replica. */
  changes: ChangeListener;
  log: ConnectionLog;
}

/** Opens the replica that `DATABASE_READ_URL` names; without one, reads go to the primary as they are. */
export function openReads<Tables>({ config, name, pool, db, changes, log }: Primary<Tables>): Reads<Tables> {
  const { DATABASE_READ_URL: url, DATABASE_DIRECT_URL: _, ...rest } = config;
  if (url === undefined) return { db, close: async () => undefined };
  const wait = Math.min(config.DATABASE_CONNECT_TIMEOUT_MS ?? CONNECT_MS, CONNECT_MS);
  const own = { ...rest, DATABASE_URL: url, DATABASE_CONNECT_TIMEOUT_MS: wait };
  const replica = openPool(own, name, log);
  const { position } = changes;
  const reads = new ReadPool({ primary: pool, replica, lease: changes, position, log });
  return { db: queriesOn<Tables>(reads), replica, pool: reads, close: () => reads.end() };
}
