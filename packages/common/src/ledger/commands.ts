import type { Command } from 'commander';
import { type RawBuilder, sql } from 'kysely';
import { withDatabase } from '../database/with-database.ts';
import { ledgerStatus, startLedgerEpoch } from './operating.ts';

/** What the commands of a ledger are about. */
export interface CommandedLedger {
  /** What it is a log of. */
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
