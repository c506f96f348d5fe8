import { expect, test } from 'vitest';
import { z } from 'zod';
import { readBackupConfig } from './backup-settings.ts';
import { secret } from './config.ts';
import { misspellings, unknownSettings, variablesOf } from './misspelt-settings.ts';

const SETTINGS = variablesOf({
  BACKUP_KEY: secret(z.string()),
  CONTENT_CORS_ORIGINS: z.string(),
  DATABASE_POOL_SIZE: z.string(),
  HOST: z.string(),
  S3_BUCKET: z.string(),
  SITE_URL: z.string(),
});

test.each([
  ['BACKUP_KYE', 'BACKUP_KEY'],
  ['BACKUPKEY', 'BACKUP_KEY'],
  ['backup_key', 'BACKUP_KEY'],
  ['BACKUP_KYE_FILE', 'BACKUP_KEY_FILE'],
  ['CONTENT_CORS_ORIGIN', 'CONTENT_CORS_ORIGINS'],
  ['DATABSE_POOL_SIZE', 'DATABASE_POOL_SIZE'],
  ['SITE_ULR', 'SITE_URL'],
  ['SITEURL', 'SITE_URL'],
  ['HOSTS', undefined],
  ['HOSTNAME', undefined],
  ['SIDE_USL', undefined],
  ['PATH', undefined],
  ['S3_BUCKET', undefined],
])('%s is taken for %s', (variable, setting) => {
  expect(misspellings(SETTINGS, { [variable]: 'x' })).toEqual(
    setting === undefined ? [] : [{ variable, setting }],
  );
});

test('beside the setting itself another name is meant', () => {
  expect(misspellings(SETTINGS, { S3_BUCKET: 'a', S3_BUCKET_2: 'b' })).toEqual([]);
});

test('what begins like a setting has the nearest one', () => {
  const env = {
    CONTENT_ORIGINS: 'x',
    BACKUP_KYE: 'y',
    CONTENT_CORS_ORIGINS: 'z',
    PATH: '/bin',
    NODE_ENV: '',
  };
  expect(unknownSettings(SETTINGS, env)).toEqual([
    { variable: 'CONTENT_ORIGINS', setting: 'CONTENT_CORS_ORIGINS' },
  ]);
});

test('a misspelt key makes no plain backups', () => {
  const DATABASE_URL = 'postgres://a.example/b';
  expect(() => readBackupConfig({ DATABASE_URL, BACKUP_KYE: 'x' })).toThrow(
    'BACKUP_KYE is not a setting, expected BACKUP_KEY',
  );
});
