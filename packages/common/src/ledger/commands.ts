import type { Command } from 'commander';
import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { withDatabase } from '../database/database-url.ts';

interface CommandedLedger {
  of: string;
  schema: string;
  /** A query of the number of items in the set. */
  count: RawBuilder<{ count: number }>;
  /** The program as `pg_stat_activity` shows it. */
  name: string;
}

/** Adds `ledger status` and `ledger new-epoch` to a program. */
export function addLedgerCommands(
  program: Pick<Command, 'command'>,
  { of, schema, count, name }: CommandedLedger,
): void {
  const ledger = program.command('ledger').description(`the change log of ${of}`);
  ledger
    .command('status')
    .description('show the state of the ledger')
    .action(() =>
      withDatabase(name, async (db) => {
        const { epoch, head, entries, unsettled } = await ledgerStatus(db, schema);
        const { rows } = await sql<{ members: number }>`select (${count}) as members`.execute(db);
        console.log(`epoch      ${epoch}`);
        console.log(`head       ${head}`);
        console.log(`in the set ${rows[0]?.members}`);
        console.log(`entries    ${entries}`);
        console.log(`waiting    ${unsettled}`);
      }),
    );
  ledger
    .command('new-epoch')
    .description('start a new history after a restore: every client takes a new snapshot')
    .action(() =>
      withDatabase(name, async (db) => console.log(`epoch ${await startLedgerEpoch(db, schema)}`)),
    );
}

/** The state of a ledger, with counts. */
interface LedgerStatus {
  /** Names the history that the numbers belong to. */
  epoch: string;
  head: number;
  /** Items that are, or were in this epoch, in the set. */
  entries: number;
  /** Changes that have no number yet. */
  unsettled: number;
}

/** Counts the contents of the ledger of `schema`; reads all of it. */
async function ledgerStatus(db: QueryExecutorProvider, schema: string): Promise<LedgerStatus> {
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
