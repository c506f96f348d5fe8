import { S3Client } from '@aws-sdk/client-s3';
import type { BackupConfig } from '@pressroom/common/start/backup-settings';
import { BackupBucket } from './backup-bucket.ts';
import type { MediaBucket } from './media-manifest.ts';

/** How long a connection may take, and then the answer to a part of 5 MiB or more, in ms. */
const TIMEOUTS = { connectionTimeout: 5000, requestTimeout: 300_000, throwOnRequestTimeout: true };

/** A store, and the keys to it; without keys, those that the machine or the cluster gives. */
interface Store {
  endpoint: string | undefined;
  region: string;
  accessKeyId: string | undefined;
  secretAccessKey: string | undefined;
  forcePathStyle: boolean;
}

export function openBackupStore(config: BackupConfig): S3Client {
  return open({
    endpoint: config.BACKUP_S3_ENDPOINT,
    region: config.BACKUP_S3_REGION,
    accessKeyId: config.BACKUP_S3_ACCESS_KEY_ID,
    secretAccessKey: config.BACKUP_S3_SECRET_ACCESS_KEY,
    forcePathStyle: config.BACKUP_S3_FORCE_PATH_STYLE,
  });
}

/** The bucket of the backups, if the settings name one. */
export function openBackupBucket(config: BackupConfig): BackupBucket | undefined {
  const { BACKUP_BUCKET: name } = config;
  return name === undefined ? undefined : new BackupBucket(openBackupStore(config), name);
}

/** The gallery's bucket, if the settings name one. */
export function openMediaBucket(config: BackupConfig): MediaBucket | undefined {
  if (config.S3_BUCKET === undefined) return undefined;
  const s3 = open({
    endpoint: config.S3_ENDPOINT,
    region: config.S3_REGION,
    accessKeyId: config.S3_ACCESS_KEY_ID,
    secretAccessKey: config.S3_SECRET_ACCESS_KEY,
    forcePathStyle: config.S3_FORCE_PATH_STYLE,
  });
  return { s3, name: config.S3_BUCKET };
}

function open({ endpoint, region, accessKeyId, secretAccessKey, forcePathStyle }: Store): S3Client {
  return new S3Client({
    ...{ region, forcePathStyle, requestHandler: TIMEOUTS },
    ...(endpoint !== undefined && { endpoint }),
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && { credentials: { accessKeyId, secretAccessKey } }),
    // Other stores than AWS's refuse checksums that they do not know.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}
