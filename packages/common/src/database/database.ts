import { hash } from 'node:crypto';
import type { Socket } from 'node:net';
import {
  type Compilable,
  type CompiledQuery,
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type RawBuilder,
  sql,
  type Transaction,
} from 'kysely';
import pg from 'pg';
import { reasonOf } from '../failures/failure.ts';

/** The database that {@link openDatabase} opens; part of every service's settings. */
export interface DatabaseConfig {
  /** A connection URL of PostgreSQL, or of a pooler in transaction mode if there is a direct one. */
  DATABASE_URL: string;
  /** A connection URL of the same database without a pooler, for what needs a whole session. */
  DATABASE_DIRECT_URL?: string | undefined;
  /** The most connections that this process opens; 1 if absent. */
  DATABASE_POOL_SIZE?: number;
  /** Longest wait of a request for a connection, in ms, before it fails; unlimited if absent. */
  DATABASE_CONNECT_TIMEOUT_MS?: number;
  /** Longest run of a statement in PostgreSQL, in ms; unlimited if absent. */
  DATABASE_STATEMENT_TIMEOUT_MS?: number;
  /**
   * Longest wait of a transaction for its next statement, in ms, so that a host that vanishes does not keep
   * its locks; twice the time of a statement if absent.
   */
  idleTransactionMs?: number;
}

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

/** Placeholder in a built query for a value supplied at run time. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Makes the placeholder for one of the `Values`, used in place of the value. */
export type ValueOf<Values> = <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>;

/** Builds a query with placeholders for its values. */
export type Build<Tables, Values extends object, Row> = (
  db: Kysely<Tables>,
  value: ValueOf<Values>,
) => Compilable<Row>;

/**
 * A query that is built once and run with different values each time, because building it costs more than
 * sending it. PostgreSQL also parses it only once; see {@link nameStatement} for the conditions.
 */
export class PreparedQuery<Tables, Values extends object, Row> {
  readonly #build: Build<Tables, Values, Row>;
  #compiled: CompiledQuery<Row> | undefined;

  constructor(build: Build<Tables, Values, Row>) {
    this.#build = build;
  }

  /** Runs the query, inside the transaction if `db` is one, and returns its rows. */
  async execute(db: Kysely<Tables>, values: Values): Promise<Row[]> {
    this.#compiled ??= this.#compile(db);
    const parameters = this.#compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter,
    );
    const { rows } = await db.executeQuery<Row>({ ...this.#compiled, parameters });
    return rows;
  }

  #compile(db: Kysely<Tables>): CompiledQuery<Row> {
    const value: ValueOf<Values> = (name) => sql`${new Placeholder(name)}`;
    const compiled = this.#build(db, value).compile();
    return { ...compiled, sql: nameStatement(compiled.sql) };
  }
}

/**
 * Parameters that change the SQL of a query, besides its values: a few members with a few possible values
 * each.
 */
export type Shape = Readonly<Record<string, string | number | boolean>>;

/**
 * Builds the query for a shape. It is defined at module level and captures nothing: everything its SQL
 * depends on is in `shape`, whose members are the key of the prepared query.
 */
export type BuildShape<Tables, QueryShape extends Shape, Values extends object, Row> = (
  db: Kysely<Tables>,
  shape: QueryShape,
  value: ValueOf<Values>,
) => Compilable<Row>;

/** Prepared queries that differ by shape. There must be few shapes, because all of them are kept. */
export class PreparedQueries<Tables, QueryShape extends Shape, Values extends object, Row> {
  readonly #build: BuildShape<Tables, QueryShape, Values, Row>;
  readonly #known = new Map<string, PreparedQuery<Tables, Values, Row>>();

  constructor(build: BuildShape<Tables, QueryShape, Values, Row>) {
    this.#build = build;
  }

  /** The query for `shape`, built on first use. */
  of(shape: QueryShape): PreparedQuery<Tables, Values, Row> {
    const key = JSON.stringify(shape);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    // A copy, so that the query matches its key even if the object changes later.
    const own = { ...shape };
    const query = new PreparedQuery<Tables, Values, Row>((db, value) => this.#build(db, own, value));
    this.#known.set(key, query);
    return query;
  }
}

/** The most texts that {@link PreparedTexts} prepares: each connection keeps them all. */
const MOST_TEXTS = 50;

/**
 * Statements that are built anew each time, because what they set differs, and are still parsed once per
 * connection: the first {@link MOST_TEXTS} texts of them. Later ones are parsed each time, so whoever sends
 * many different ones first only makes writes slower, until the next start.
 */
export class PreparedTexts {
  readonly #named = new Map<string, string>();

  /** Runs a query, inside the transaction if `db` is one, and returns its rows. */
  async execute<Row>(db: Pick<Kysely<unknown>, 'executeQuery'>, query: Compilable<Row>): Promise<Row[]> {
    const compiled = query.compile();
    const { rows } = await db.executeQuery<Row>({ ...compiled, sql: this.#name(compiled.sql) });
    return rows;
  }

  #name(text: string): string {
    const known = this.#named.get(text);
    if (known !== undefined) return known;
    if (this.#named.size === MOST_TEXTS) return text;
    const named = nameStatement(text);
    this.#named.set(text, named);
    return named;
  }
}

/** A member of every `pg` client, missing in its types and documentation. */
interface Readiness {
  readonly readyForQuery?: boolean;
}

/**
 * Breaks a connection that owes an answer and has been silent for `limitMs`: its server hangs or is cut off,
 * and PostgreSQL's own time limit does not help. Pending queries fail, and the pool opens another connection
 * when it can. Connections that are idle between two statements may be silent.
 */
export function giveUpSilentConnections(pool: Pick<pg.Pool, 'on'>, limitMs: number): void {
  pool.on('connect', (client) => {
    const socket = client.connection.stream as Socket;
    // Counts from the last byte that was sent or received.
    socket.setTimeout(limitMs);
    socket.on('timeout', () => {
      // Compared with `false`: if pg renamed it, no connection would be dropped, instead of every idle one.
      if ((client as Readiness).readyForQuery === false) socket.destroy(new SilenceError(limitMs));
    });
  });
}

/** Node's codes for a connection that could not be made or broke. */
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/**
 * SQLSTATE classes and codes of a server that is unavailable, full or too slow, rather than of a wrong
 * statement (PostgreSQL manual, appendix A): connection exceptions, a refused login (the role has a new
 * password, and the process the old one), insufficient resources, operator intervention (shutdown, statement
 * timeout), a lock that is not available, a transaction that took too long, a read-only standby.
 */
const SERVER_STATES = /^(08...|28...|53...|57...|55P03|25P03|25P04|25006)$/;

/** OpenSSL's and Node's codes for a server whose certificate is refused. */
const CERTIFICATE_CODES =
  /^(ERR_TLS_CERT_|CERT_|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED)/;

/** SQLSTATEs of correct transactions that lost a race and succeed when run again. */
const RACE_STATES = new Set(['40001', '40P01']);

/**
 * Errors that `pg`, its pool and Kysely throw without a code: no connection is available, or it has ended.
 */
const DRIVER_MESSAGES =
  /^(timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|Client has encountered a connection error|Client was closed|Postgres connection has been discarded|The server does not support SSL connections)/;

/** A connection whose server has not answered for too long. */
export class SilenceError extends Error {
  constructor(ms: number) {
    super(`the database has not answered for ${ms} ms`);
    this.name = 'SilenceError';
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** True when the database is unreachable, overloaded or shutting down: an expected state, answered 503. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof SilenceError) return true;
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(isDatabaseAway);
  const code = codeOf(error);
  if (code === '') return DRIVER_MESSAGES.test(error.message);
  // A missing socket file, unlike other missing files, means that the server is unavailable.
  if (code === 'ENOENT') return 'syscall' in error && error.syscall === 'connect';
  if (CERTIFICATE_CODES.test(code)) return true;
  return ('syscall' in error && NETWORK_CODES.has(code)) || SERVER_STATES.test(code) || isLostRace(error);
}

/** Describes a failure in one line, which names the setting of the database if that is away. */
export function databaseReason(error: unknown): string {
  const reason = reasonOf(error);
  return isDatabaseAway(error) ? `the database of DATABASE_URL does not answer: ${reason}` : reason;
}

/** True when the transaction lost a race (serialization failure, deadlock) and may simply be run again. */
export function isLostRace(error: unknown): boolean {
  return RACE_STATES.has(codeOf(error));
}

/**
 * True when PostgreSQL does not take what it is given: a value (SQLSTATE class 22), a row against a
 * constraint (23), or something too large (54).
 */
export function isRefusedData(error: unknown): boolean {
  return /^(22|23|54)...$/.test(codeOf(error));
}

/**
 * True when `error` is PostgreSQL's refusal of a row by the constraint `name` (unique, foreign key, check).
 */
export function violates(error: unknown, name: string): boolean {
  return (
    codeOf(error).startsWith('23') &&
    error instanceof Error &&
    'constraint' in error &&
    error.constraint === name
  );
}

/**
 * Subjects of Pressroom's advisory locks. Their numbers are hashes of these texts, so two of them cannot be
 * given the same number by mistake. The triggers of the migrations have locks with two numbers, which never
 * meet these.
 */
export type AdvisoryLock =
  | 'set up roles'
  | 'answer a repeated request'
  | 'prune revisions'
  | 'assign stories'
  | 'publish at a time'
  | 'count the quota'
  | 'count the budget'
  | 'write an article'
  | 'compose a report'
  | 'begin an operation'
  | 'begin an import'
  | 'transfer in a bucket'
  | 'open an article'
  | 'save a filter';

/** The number of a lock; `member` tells apart the locks of one kind, such as the address of an article. */
export function lockNumber(lock: AdvisoryLock, member: string | RawBuilder<string> = ''): RawBuilder<bigint> {
  return sql`hashtextextended(${`${lock}: `}::text || ${member}::text, 0)`;
}

/** Waits for a lock, which is held until the transaction ends. */
export async function lockUntilCommit<Tables>(
  tx: Transaction<Tables>,
  lock: AdvisoryLock,
  member?: string,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockNumber(lock, member)})`.execute(tx);
}

const NAMED = /^\/\*(pressroom_[0-9a-f]{16})\*\/ /;

/**
 * Gives a statement a name, in a comment at its beginning, so that PostgreSQL parses it only once per
 * connection; it may then also cache a plan. There must be few such statements, because each connection keeps
 * them all. They must name their columns: after a migration changes a statement's columns, PostgreSQL rejects
 * the prepared one.
 */
function nameStatement(sql: string): string {
  return `/*pressroom_${hash('sha256', sql).slice(0, 16)}*/ ${sql}`;
}

/** Every overload of `query` takes the statement as its first argument. */
type Send = (query: string | pg.QueryConfig, ...rest: unknown[]) => Promise<pg.QueryResult>;

/** A connection that sends named statements as prepared ones (`pg`, "Prepared statements"). */
class NamingClient extends pg.Client {
  override query = ((query, ...rest) => {
    const send = super.query as Send;
    const name = typeof query === 'string' ? NAMED.exec(query)?.[1] : undefined;
    return send.call(this, name === undefined ? query : ({ name, text: query } as pg.QueryConfig), ...rest);
  }) as Send as pg.Client['query'];
}
