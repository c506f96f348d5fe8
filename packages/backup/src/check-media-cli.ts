import { parseArgs } from 'node:util';
import { reasonOf } from '@pressroom/common/failures/failure';
import { readStoredBackupsConfig } from '@pressroom/common/start/backup-settings';
import { compareMedia } from './backup-folder.ts';
import { openBackupStore, openMediaBucket } from './stores.ts';

/** Keys of each kind that are shown. */
const SHOWN = 20;

try {
  const { values, positionals } = parseArgs({
    options: { bucket: { type: 'string' } },
    allowPositionals: true,
  });
  const [directory] = positionals;
  if (directory === undefined) throw new Error('name the folder of a backup');
  const config = readStoredBackupsConfig(process.env);
  const bucket =
    values.bucket === undefined
      ? openMediaBucket(config)
      : { s3: openBackupStore(config), name: values.bucket };
  if (bucket === undefined) throw new Error('S3_BUCKET is not set');
  const { same, ...faults } = await compareMedia(directory, bucket, config.BACKUP_KEY);
  for (const [kind, keys] of Object.entries(faults)) {
    for (const key of keys.slice(0, SHOWN)) console.log(`${kind}: ${key}`);
  }
  const { missing, different } = faults;
  if (same + missing.length + different.length === 0) throw new Error('the backup lists no media');
  console.log(
    `${bucket.name}: ${same} as in the backup, ${missing.length} missing, ${different.length} different`,
  );
  if (missing.length + different.length > 0) process.exitCode = 1;
} catch (error) {
  console.error(`Cannot check the media: ${reasonOf(error)}`);
  process.exitCode = 1;
}
