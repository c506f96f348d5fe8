import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import pg from 'pg';
import { NamingClient } from '../fast/named-statements.ts';
import { giveUpSilentConnections } from './silent-connections.ts';

/** Which database {@link openDatabase} opens, and how; part of every service's settings. */
export interface DatabaseConfig {
  /** A connection URL of PostgreSQL, or of a pooler in transaction mode if there is a direct one. */
  DATABASE_URL: string;
  /** A connection URL of the same database without a pooler, for what needs a whole session. */
  DATABASE_DIRECT_URL?: string | undefined;
  /** The most connections that this process opens; 1 if absent. */
  DATABASE_POOL_SIZE?: number;
  /** How long a request waits for a connection, in ms, before it fails; unlimited if absent. */
  DATABASE_CONNECT_TIMEOUT_MS?: number;
  /** How long PostgreSQL works on one statement, in ms; unlimited if absent. */
  DATABASE_STATEMENT_TIMEOUT_MS?: number;
  /**
   * How long a transaction may wait for its next statement, in ms, so that a host that vanishes does not keep
   * its locks; twice the time of a statement if absent.
   */
  idleTransactionMs?: number;
}

/** Receives events of idle connections. */
export interface ConnectionLog {
  warn(event: object, message: string): void;
}

/** Extra time for the answer beyond the statement's time limit, in ms. */
const SILENCE_MARGIN_MS = 500;

const { INT8 } = pg.types.builtins;

/** Counts are `bigint` in PostgreSQL and far below 2^53 here, so they are read as numbers. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8 && format !== 'binary') return Number;
    return pg.types.getTypeParser(oid, format);
  },
};

/**
 * Opens a pool of connections and the query builder on it: the one way to a database, for services and
 * commands alike. No connection is made before the first query, so a service can start while its database is
 * unavailable. `destroy()` closes the pool.
 *
 * @param name shown in `pg_stat_activity`
 * @param log receives errors of idle connections; absent in a command, whose next query fails instead
 */
export function openDatabase<Tables>(
  config: DatabaseConfig,
  name: string,
  log?: ConnectionLog,
): Kysely<Tables> {
  return queriesOn<Tables>(openPool(config, name, log));
}

/** The query builder on a pool; its `destroy()` closes the pool. */
export function queriesOn<Tables>(pool: PostgresPool): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** Opens the pool of connections of {@link openDatabase}, for callers that also watch it. */
export function openPool(config: DatabaseConfig, name: string, log?: ConnectionLog): pg.Pool {
  const statementTimeoutMs = config.DATABASE_STATEMENT_TIMEOUT_MS;
  const idleTransactionMs = config.idleTransactionMs ?? (statementTimeoutMs && statementTimeoutMs * 2);
  const isPooled = config.DATABASE_DIRECT_URL !== undefined;
  const pool = new pg.Pool({
    // Not every pooler in transaction mode supports statements that are prepared by name.
    Client: isPooled ? pg.Client : NamingClient,
    connectionString: config.DATABASE_URL,
    application_name: name,
    max: config.DATABASE_POOL_SIZE ?? 1,
    connectionTimeoutMillis: config.DATABASE_CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    types: TYPES,
    // A pooler refuses settings of a session, because it shares its sessions among all clients.
    ...(!isPooled && {
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: idleTransactionMs,
    }),
  });
  // A connection that breaks in use fails its current or next query; without a listener the event would end
  // the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  if (statementTimeoutMs !== undefined) giveUpSilentConnections(pool, statementTimeoutMs + SILENCE_MARGIN_MS);
  // An idle connection that breaks is replaced at the next query, so it is only logged.
  pool.on('error', (error) => log?.warn({ err: error }, 'database_connection_lost'));
  return pool;
}

/**
 * Opens the database for what a pooler in transaction mode cannot do, such as locks of a session. It is `db`
 * itself if there is no pooler; close it only if it is another one.
 */
export function openDirectDatabase<Tables>(
  config: DatabaseConfig,
  name: string,
  db: Kysely<Tables>,
  log?: ConnectionLog,
): Kysely<Tables> {
  const { DATABASE_DIRECT_URL: url, ...rest } = config;
  return url === undefined ? db : openDatabase<Tables>({ ...rest, DATABASE_URL: url }, name, log);
}
