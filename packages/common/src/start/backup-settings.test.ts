import { expect, test } from 'vitest';
import { readBackupConfig, readStoredBackupsConfig } from './backup-settings.ts';

const BUCKET = { DATABASE_URL: 'postgres://a.example/b', BACKUP_BUCKET: 'dumps' };

test('what is copied to a bucket is encrypted; what is there may be from before', () => {
  expect(() => readBackupConfig(BUCKET)).toThrow('BACKUP_KEY is not set');
  const key = Buffer.alloc(32, 1).toString('base64');
  expect(readBackupConfig({ ...BUCKET, BACKUP_KEY: key }).BACKUP_BUCKET).toBe('dumps');
  expect(readStoredBackupsConfig(BUCKET).BACKUP_BUCKET).toBe('dumps');
});
