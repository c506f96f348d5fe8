import { type QueryExecutorProvider, sql } from 'kysely';

/** The state of a ledger, with counts. */
export interface LedgerStatus {
  /** Names the history that the numbers belong to. */
  epoch: string;
  /** The largest number assigned. */
  head: number;
  /** Items that are, or were in this epoch, in the set. */
  entries: number;
  /** Changes that have no number yet. */
  unsettled: number;
}

/** Counts the contents of the ledger of `schema`; reads all of it. */
export async function ledgerStatus(db: QueryExecutorProvider, schema: string): Promise<LedgerStatus> {
  const { rows } = await sql<LedgerStatus>`
    select epoch, head,
      (select count(*) from ${sql.id(schema, 'ledger_entry')}) as entries,
      (select count(*) from ${sql.id(schema, 'ledger_change')}) as unsettled
    from ${sql.id(schema, 'ledger')}
  `.execute(db);
  return onlyRow(rows);
}

/**
 * Starts a new history of the ledger of `schema`: every existing cursor gets `snapshot_required`. Returns its
 * epoch.
 */
export async function startLedgerEpoch(db: QueryExecutorProvider, schema: string): Promise<string> {
  const { rows } = await sql<{ epoch: string }>`
    select ${sql.id(schema, 'start_ledger_epoch')}() as epoch
  `.execute(db);
  return onlyRow(rows).epoch;
}

/** Starts a new history of every ledger that the database has. Returns their epochs by schema. */
export async function startLedgerEpochs(db: QueryExecutorProvider): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ schema: string }>`
    select schemaname as schema from pg_tables where tablename = 'ledger' order by schemaname
  `.execute(db);
  const epochs = new Map<string, string>();
  for (const { schema } of rows) epochs.set(schema, await startLedgerEpoch(db, schema));
  return epochs;
}

function onlyRow<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('the ledger has no row; run the migrations');
  return row;
}
