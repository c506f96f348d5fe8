import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../tables.ts';

/** The state of the ledger, with counts. */
export interface LedgerStatus {
  /** Names the history that the numbers belong to. */
  epoch: string;
  /** The largest number assigned. */
  head: number;
  /** Items in the set. */
  members: number;
  /** Items that are, or were in this epoch, in the set. */
  entries: number;
  /** Changes that have no number yet. */
  unsettled: number;
}

/** Counts the contents of the ledger; reads all of it. */
export async function ledgerStatus(db: Kysely<NewsTables>): Promise<LedgerStatus> {
  return db
    .selectFrom('news.ledger')
    .select(['epoch', 'head'])
    .select([
      sql<number>`(select count(*) from news.item where in_selected_set)`.as('members'),
      sql<number>`(select count(*) from news.ledger_entry)`.as('entries'),
      sql<number>`(select count(*) from news.ledger_change)`.as('unsettled'),
    ])
    .executeTakeFirstOrThrow();
}

/**
 * Starts a new history: every existing cursor gets `snapshot_required`. Returns its epoch.
 */
export async function startLedgerEpoch(db: Kysely<NewsTables>): Promise<string> {
  const { rows } = await sql<{ epoch: string }>`select news.start_ledger_epoch() as epoch`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a function has no answer');
  return row.epoch;
}
