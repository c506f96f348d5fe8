import { databaseUrl } from '@pressroom/common/database/database-url';
import { reasonOf } from '@pressroom/common/failures/failure';
import { readBackupKey } from '@pressroom/common/start/backup-settings';
import { backUp } from './backup.ts';
import { directoryArgument } from './directory-argument.ts';

try {
  const directory = directoryArgument('backup', process.argv.slice(2));
  const { rows } = await backUp(databaseUrl(process.env), directory, { key: readBackupKey(process.env) });
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  console.log(`Backed up ${total} rows of ${Object.keys(rows).length} tables to ${directory}.`);
} catch (error) {
  console.error(`Cannot back up: ${reasonOf(error)}`);
  process.exitCode = 1;
}
