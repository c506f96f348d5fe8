import { Command } from 'commander';
import { carryOver } from './carry-over.ts';
import { databaseReason } from './database.ts';
import { databaseUrl } from './database-url.ts';
import { MIGRATIONS, migrate } from './migrations.ts';

const program = new Command('migrate')
  .description('Bring the database to the newest schema')
  .option('--carry-over', 'carry over a database of an older chain of migrations, with all of its rows')
  .action(async ({ carryOver: carries = false }: { carryOver?: boolean }) => {
    const url = databaseUrl(process.env);
    const carried = carries ? await carryOver(url) : undefined;
    if (carried) {
      const { tables, rows, former } = carried;
      console.log(`Carried over: ${rows} rows of ${tables} tables. What they were copied from is kept;`);
      console.log(`once all is well: drop schema ${former.join(', ')} cascade;`);
    }
    const onBlocked = (reason: string) => console.error(`migration_blocked: ${reason}`);
    const ran = await migrate(url, MIGRATIONS, { onBlocked });
    console.log(ran.length === 0 ? 'The database is up to date.' : `Migrated: ${ran.join(', ')}`);
  });

await program.parseAsync().catch((error: unknown) => {
  console.error(`Cannot migrate: ${databaseReason(error)}`);
  process.exitCode = 1;
});
