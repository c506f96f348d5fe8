import { reasonOf } from '@pressroom/common/failures/failure';
import { readStoredBackupsConfig } from '@pressroom/common/start/backup-settings';
import { BackupFolder } from './backup-folder.ts';
import { openBackupBucket } from './stores.ts';

try {
  const config = readStoredBackupsConfig(process.env);
  const bucket = openBackupBucket(config);
  if (bucket === undefined) throw new Error('BACKUP_BUCKET is not set');
  const [name] = process.argv.slice(2);
  if (name === undefined) {
    for (const copy of await bucket.list()) console.log(copy.name);
  } else {
    const folder = new BackupFolder(config.BACKUP_DIR);
    await folder.add(name, (directory) => bucket.download(name, directory));
    console.log(`Downloaded ${folder.pathOf(name)}.`);
  }
} catch (error) {
  console.error(`Cannot download: ${reasonOf(error)}`);
  process.exitCode = 1;
}
