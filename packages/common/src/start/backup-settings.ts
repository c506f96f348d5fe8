import { z } from 'zod';
import {
  ConfigError,
  commonSettings,
  type Environment,
  encryptionKey,
  integer,
  readConfig,
  secret,
  setting,
  yesOrNo,
} from './config.ts';
import { misspellings } from './misspelt-settings.ts';

const { DATABASE_URL, DATABASE_PASSWORD, DATABASE_DIRECT_URL, HOST, LOG_LEVEL, METRICS_PORT } =
  commonSettings;

function storeUrl() {
  const accept = (value: string) => /^https?:$/.test(URL.parse(value)?.protocol ?? '');
  return z.string().refine(accept, 'the URL of an object store, such as https://s3.example.com');
}

/**
 * The settings of the backup service, for `readConfig`. They are not in `packages/backup`, which the image of
 * the services, where all settings are checked before anything starts, does not contain.
 */
export const backupSettings = {
  ...{ DATABASE_URL, DATABASE_PASSWORD, DATABASE_DIRECT_URL, HOST, LOG_LEVEL, METRICS_PORT },
  BACKUP_DIR: setting(
    z.string().default('/backups'),
    'The folder of the backups. `docker-compose.yml` mounts `BACKUP_FOLDER` there: a volume, or a folder of the machine.',
  ),
  BACKUP_HOUR: setting(integer(0, 23).default(3), 'The hour, in UTC, at which a backup is due every day.'),
  BACKUP_KEEP_DAYS: setting(
    integer(1, 3650, 'days').default(14),
    'A backup is removed once it is older than this and there are as many newer ones.',
  ),
  BACKUP_KEY: setting(
    encryptionKey().optional(),
    'Encrypts the backups, by [age](https://age-encryption.org) with this text as the passphrase: `openssl rand -base64 32`. Keep a copy off the machine: without it they cannot be read.',
    'they are not encrypted',
  ),
  BACKUP_BUCKET: setting(
    z.string().optional(),
    'A bucket to which each backup is copied, with `BACKUP_KEY` alone; it should be on another machine, and for the backups of one deployment alone.',
    'no copies',
  ),
  BACKUP_S3_ENDPOINT: setting(storeUrl().optional(), 'The object store of that bucket.', 'AWS'),
  BACKUP_S3_REGION: setting(z.string().default('us-east-1'), 'The region of that store.'),
  BACKUP_S3_ACCESS_KEY_ID: setting(
    z.string().optional(),
    'The access key of that store.',
    'what AWS gives to the machine or the pod',
  ),
  BACKUP_S3_SECRET_ACCESS_KEY: setting(secret(z.string()).optional(), 'The secret key of that store.'),
  BACKUP_S3_FORCE_PATH_STYLE: setting(
    yesOrNo().default(true),
    '`false` for stores that only accept the bucket in the host name.',
  ),
  S3_ENDPOINT: setting(storeUrl().optional(), "The gallery's object store."),
  S3_REGION: setting(z.string().default('us-east-1'), 'The region of that store.'),
  S3_BUCKET: setting(z.string().optional(), "The gallery's bucket, whose objects a backup lists.", 'no list'),
  S3_ACCESS_KEY_ID: setting(z.string().optional(), 'The access key of that store.'),
  S3_SECRET_ACCESS_KEY: setting(secret(z.string()).optional(), 'The secret key of that store.'),
  S3_FORCE_PATH_STYLE: setting(
    yesOrNo().default(true),
    '`false` for stores that only accept the bucket in the host name.',
  ),
};

export type BackupConfig = z.infer<z.ZodObject<typeof backupSettings>>;

/** Reads the settings of the backup service. Throws `ConfigError` with every error. */
export function readBackupConfig(env: Environment): BackupConfig {
  return checked(env, (config) => [...misspeltKeys(env), ...bucketFaults(config), ...keyFaults(config)]);
}

/** The same to read what is in the bucket, which may be from before there was a key. */
export function readStoredBackupsConfig(env: Environment): BackupConfig {
  return checked(env, bucketFaults);
}

function checked(env: Environment, faultsOf: (config: BackupConfig) => string[]): BackupConfig {
  const config = readConfig(backupSettings, env);
  const faults = faultsOf(config);
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** Reports misspelt names of the key: the operator believes that backups are encrypted. */
function misspeltKeys(env: Environment): string[] {
  return misspellings(['BACKUP_KEY', 'BACKUP_KEY_FILE'], env).map(
    ({ variable, setting }) => `${variable} is not a setting, expected ${setting}`,
  );
}

/** A backup has every session and draft: whoever may read the bucket would have them. */
function keyFaults({ BACKUP_BUCKET, BACKUP_KEY }: BackupConfig): string[] {
  if (BACKUP_BUCKET === undefined || BACKUP_KEY !== undefined) return [];
  return [
    'BACKUP_KEY is not set, expected a key that encrypts what is copied to BACKUP_BUCKET: openssl rand -base64 32',
  ];
}

/**
 * Reports settings that would be ignored without their other half: the operator believes that there are
 * copies.
 */
function bucketFaults(config: BackupConfig): string[] {
  const [id, key] = ['BACKUP_S3_ACCESS_KEY_ID', 'BACKUP_S3_SECRET_ACCESS_KEY'] as const;
  const given = (['BACKUP_S3_ENDPOINT', id, key] as const).filter((name) => config[name] !== undefined);
  if (given.length > 0 && config.BACKUP_BUCKET === undefined) {
    return [`BACKUP_BUCKET is not set, expected the bucket to which ${given[0]} belongs`];
  }
  if (given.includes(id) === given.includes(key)) return [];
  const [has, lacks] = given.includes(id) ? [id, key] : [key, id];
  return [`${lacks} is not set, expected the other half of ${has}`];
}

/** Reads `BACKUP_KEY` alone. Throws `ConfigError` if it is not a key. */
export function readBackupKey(env: Environment): Buffer | undefined {
  return readConfig({ BACKUP_KEY: backupSettings.BACKUP_KEY }, env).BACKUP_KEY;
}
