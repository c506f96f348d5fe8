import type { Command } from 'commander';
import { ledgerStatus, startLedgerEpoch } from '../ledger.ts';
import { withDatabase } from './with-database.ts';

/** `newsroom ledger`. */
export function addLedgerCommands(program: Command): void {
  const ledger = program.command('ledger').description('the change log of the selected set');
  ledger
    .command('status')
    .description('show the state of the ledger')
    .action(async () => {
      const { epoch, head, members, entries, unsettled } = await withDatabase(ledgerStatus);
      console.log(`epoch      ${epoch}`);
      console.log(`head       ${head}`);
      console.log(`in the set ${members}`);
      console.log(`entries    ${entries}`);
      console.log(`waiting    ${unsettled}`);
    });
  ledger
    .command('new-epoch')
    .description('start a new history after a restore: every client takes a new snapshot')
    .action(async () => console.log(`epoch ${await withDatabase(startLedgerEpoch)}`));
}
