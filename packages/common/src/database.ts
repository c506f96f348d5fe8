import type { FastifyBaseLogger } from 'fastify';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';

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

/** PostgreSQL's type number of `bigint`. */
const INT8 = 20;

/** Counts are `bigint` in PostgreSQL and far below 2^53 here, so they are read as numbers. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format),
};

/**
 * Opens a pool of connections and the query builder on it. No connection is made before the first query, so a
 * service starts while its database is away. `destroy()` closes the pool.
 */
export function openDatabase<Tables>(options: DatabaseOptions): Kysely<Tables> {
  const pool = new pg.Pool({
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
  // An idle connection that breaks is replaced at the next query; nobody has to be told but the log.
  pool.on('error', (error) => options.log.warn({ err: error }, 'database_connection_lost'));
  // One that breaks while it is kept between two queries tells it here, and unheard the process would end.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** Resolves when the database answers; rejects with its fault otherwise. For `/readyz`. */
export async function pingDatabase<Tables>(db: Kysely<Tables>): Promise<void> {
  await sql`select 1`.execute(db);
}
