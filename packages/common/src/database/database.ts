import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { NamingClient } from '../fast/named-statements.ts';
import { readTime } from '../fast/read-time.ts';
import { SilenceError } from './database-fault.ts';

/** What {@link openDatabase} needs to know. */
export interface DatabaseOptions {
  /** A connection URL of PostgreSQL. */
  url: string;
  /** Shown in `pg_stat_activity`. */
  applicationName: string;
  /** The most connections that this process holds. */
  poolSize: number;
  /** How long a request waits for a connection, in ms, before it is answered 503. */
  connectTimeoutMs: number;
  /** How long PostgreSQL works on one statement, in ms, before it gives up. */
  statementTimeoutMs: number;
  log: FastifyBaseLogger;
}

/** How much longer than a statement may take its answer may be on the way, in ms. */
const SILENCE_MARGIN_MS = 500;

const { INT8, TIMESTAMPTZ } = pg.types.builtins;

/** Counts are `bigint` in PostgreSQL and far below 2^53 here, so they are read as numbers. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8 && format !== 'binary') return Number;
    if (oid === TIMESTAMPTZ && format !== 'binary') return readTime;
    return pg.types.getTypeParser(oid, format);
  },
};

/**
 * Opens a pool of connections and the query builder on it. No connection is made before the first query, so a
 * service starts while its database is away. `destroy()` closes the pool.
 */
export function openDatabase<Tables>(options: DatabaseOptions): Kysely<Tables> {
  const pool = new pg.Pool({
    Client: NamingClient,
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectTimeoutMs,
    idleTimeoutMillis: 30_000,
    statement_timeout: options.statementTimeoutMs,
    idle_in_transaction_session_timeout: options.statementTimeoutMs * 2,
    keepAlive: true,
    types: TYPES,
  });
  // One that breaks in use fails its query, or the next one; without a listener the event would end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  giveUpSilentConnections(pool, options.statementTimeoutMs + SILENCE_MARGIN_MS);
  // An idle connection that breaks is replaced at the next query; nobody has to be told but the log.
  pool.on('error', (error) => options.log.warn({ err: error }, 'database_connection_lost'));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** `pg` says so of each client, its types do not. */
type Client = pg.PoolClient & {
  /** False while a statement is not answered. */
  readonly readyForQuery: boolean;
};

/**
 * Breaks a connection that owes an answer and on which nothing is heard for `limitMs`: its server hangs or is cut off,
 * and PostgreSQL's own time limit is of no help. What waits on it fails, and the pool makes another connection when it
 * can. A connection that is kept between two statements may be silent.
 */
function giveUpSilentConnections(pool: pg.Pool, limitMs: number): void {
  pool.on('connect', (client) => {
    const socket = client.connection.stream as Socket;
    // Counts from the last byte that was sent or received.
    socket.setTimeout(limitMs);
    socket.on('timeout', () => {
      if (!(client as Client).readyForQuery) socket.destroy(new SilenceError(limitMs));
    });
  });
}

/** Resolves when the database answers; rejects with its fault otherwise. For `/readyz`. */
export async function pingDatabase<Tables>(db: Kysely<Tables>): Promise<void> {
  await sql`select 1`.execute(db);
}
