import { isLostRace, violates } from '@pressroom/common/database/database';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { NewsTables } from './tables.ts';

/** Work that is done completely or not at all. */
export type Work<T> = (tx: Transaction<NewsTables>) => Promise<T>;

/** Runs pieces of work one after the other. */
export type RunWork = <T>(work: Work<T>) => Promise<T>;

/** Attempts of work that loses a race against other writers. */
const ATTEMPTS = 5;

/** Does `work` in a transaction, and again in another one where it has lost a race. */
export async function transactWithRetries<T>(db: Kysely<NewsTables>, work: Work<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (!(isLostRace(error) || isTaken(error)) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** True if another writer has just created the same item or source: a retry then finds it. */
function isTaken(error: unknown): boolean {
  return ['item_pkey', 'item_canonical_url_key', 'source_url_key'].some((key) => violates(error, key));
}

/** Thrown to roll the transaction back. */
class RolledBack extends Error {}

/**
 * Gives `play` a way to run work that sees the effects of earlier work and is rolled back at the end, for
 * `--dry-run`.
 */
export async function runAndRollBack<T>(
  db: Kysely<NewsTables>,
  play: (runWork: RunWork) => Promise<T>,
): Promise<T> {
  let result: { value: T } | undefined;
  try {
    await db.transaction().execute(async (tx) => {
      result = { value: await play(inSavepoints(tx)) };
      throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
  if (result === undefined) throw new Error('the work did not take place');
  return result.value;
}

function inSavepoints(tx: Transaction<NewsTables>): RunWork {
  return async (work) => {
    await sql`savepoint work`.execute(tx);
    try {
      const value = await work(tx);
      await sql`release savepoint work`.execute(tx);
      return value;
    } catch (error) {
      await sql`rollback to savepoint work`.execute(tx);
      throw error;
    }
  };
}
