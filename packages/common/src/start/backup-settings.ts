import { z } from 'zod';
import { commonSettings, type Environment, encryptionKey, integer, readConfig, setting } from './config.ts';

const { DATABASE_URL, DATABASE_PASSWORD, DATABASE_DIRECT_URL, HOST, LOG_LEVEL, METRICS_PORT } =
  commonSettings;

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
};

/** The settings of the backup service. */
export type BackupConfig = z.infer<z.ZodObject<typeof backupSettings>>;

/** Reads the settings of the backup service. Throws `ConfigError` with every error. */
export function readBackupConfig(env: Environment): BackupConfig {
  return readConfig(backupSettings, env);
}

/** Reads `BACKUP_KEY` alone. Throws `ConfigError` if it is not a key. */
export function readBackupKey(env: Environment): Buffer | undefined {
  return readConfig({ BACKUP_KEY: backupSettings.BACKUP_KEY }, env).BACKUP_KEY;
}
