import { databaseUrl } from '@pressroom/common/database/database-url';
import { reasonOf } from '@pressroom/common/failures/failure';
import { readBackupKey } from '@pressroom/common/start/backup-settings';
import { directoryArgument } from './directory-argument.ts';
import { restore } from './restore.ts';

try {
  const directory = directoryArgument('restore', process.argv.slice(2));
  const key = readBackupKey(process.env);
  const { manifest, epochs, missing } = await restore(databaseUrl(process.env), directory, { key });
  const begun = [...epochs].map(([schema, epoch]) => `${schema} ${epoch}`).join(', ');
  console.log(`Restored the backup of ${manifest.createdAt}; the ledgers begin new epochs: ${begun}.`);
  if (missing.length > 0)
    console.log(`Older than this build by ${missing.join(', ')}: run \`pnpm migrate\`.`);
} catch (error) {
  console.error(`Cannot restore: ${reasonOf(error)}`);
  process.exitCode = 1;
}
