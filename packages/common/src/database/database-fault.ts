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
