import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import { Failure, reasonOf } from '../failures/failure.ts';
import { isLostRace } from './database.ts';
import { backoffUntil } from './leases.ts';

/** A change of a table waits this long for its users, in ms: whoever comes later waits behind it. */
const LOCK_TIMEOUT_MS = 1000;

const BACKOFF = { firstSeconds: 1, mostSeconds: 10 };

/** Changes are tried again for this long, in seconds, the attempts not counted. */
const PATIENCE_SECONDS = 600;

/** Queries for the holders of a lock during each wait of the transaction. */
const LOOKS = 4;

export interface LockWaits {
  /** Longest wait of each statement for a lock, in ms; 1,000 if absent. */
  lockTimeoutMs?: number;
  /** The work is tried again for this long, in seconds, the attempts not counted; 600 if absent. */
  patienceSeconds?: number;
  /** Told why an attempt has failed, with who was in the way, and when the next one is made. */
  onBlocked?: (reason: string) => void;
}

/** A transaction that was ended because others held what it waited for. */
class Blocked extends Failure {}

/**
 * Runs `attempt`, which is a transaction with {@link limitLockWaits}, again and again until its locks are
 * free: whoever uses the tables meanwhile waits for no more than one limit at a time. Throws what the attempt
 * throws for another reason, and in the end a {@link Failure} that names who was in the way.
 */
export async function retryWhileBlocked<Result>(
  attempt: () => Promise<Result>,
  { patienceSeconds = PATIENCE_SECONDS, onBlocked }: LockWaits,
): Promise<Result> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      const seconds = backoffUntil(BACKOFF, patienceSeconds, failures);
      if (!(error instanceof Blocked) || seconds === undefined) throw error;
      onBlocked?.(`${error.message}; again in ${seconds} s`);
      await delay(seconds * 1000);
    }
  }
}

/**
 * Runs `work` in a transaction whose statements from here on wait for no lock longer than a limit.
 *
 * @param db where another connection asks who is in the way
 */
export async function limitLockWaits<Result>(
  db: Kysely<unknown>,
  transaction: Transaction<unknown>,
  { lockTimeoutMs = LOCK_TIMEOUT_MS }: LockWaits,
  work: () => Promise<Result>,
): Promise<Result> {
  await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(transaction);
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
  let blockers: string[] = [];
  const look = async () => {
    const found = await blockersOf(db, rows[0]?.pid ?? 0);
    if (found.length > 0) blockers = found;
  };
  // It only explains: without an answer the reason is PostgreSQL's alone.
  const looking = setInterval(() => void look().catch(() => undefined), lockTimeoutMs / LOOKS);
  try {
    return await work();
  } catch (error) {
    if (!isBlocked(error)) throw error;
    const held = blockers.length === 0 ? '' : `, held by ${blockers.join(', ')}`;
    throw new Blocked('unavailable', `${reasonOf(error)}${held}`, { cause: error });
  } finally {
    clearInterval(looking);
  }
}

/** PostgreSQL's SQLSTATE for a lock that was not free in time. */
const NOT_FREE = '55P03';

function isBlocked(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === NOT_FREE) || isLostRace(error) || isBlocked(error.cause);
}

/**
 * Describes the sessions that hold the locks the connection waits for; superusers see statements of other
 * roles.
 */
async function blockersOf(db: Kysely<unknown>, pid: number): Promise<string[]> {
  const { rows } = await sql<{ words: string }>`
    select format('process %s (%s)', blocker, concat_ws(', ', nullif(application_name, ''), 'role ' || usename,
      'since ' || to_char(xact_start, 'YYYY-MM-DD"T"HH24:MI:SSOF'), left(query, 200))) as words
    from unnest(pg_blocking_pids(${pid})) as blocker left join pg_stat_activity on pg_stat_activity.pid = blocker`.execute(
    db,
  );
  return rows.map(({ words }) => words);
}
