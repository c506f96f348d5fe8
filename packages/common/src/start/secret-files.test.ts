import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { databaseUrl } from '../database/database-url.ts';
import { commonSettings, readConfig, secret, withPassword } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const shape = { TOKEN: secret(z.string()), LEVEL: z.string().default('low') };

test.each([
  ['', 'hunter2'],
  ['\n', 'hunter2'],
  ['\r\n', 'hunter2'],
  ['\n\n', 'hunter2\n'],
])('a secret is read from the file that NAME_FILE names: %j at its end', (end, expected) => {
  const TOKEN_FILE = fileOf('token', `hunter2${end}`);
  expect(readConfig(shape, { TOKEN_FILE })).toEqual({ TOKEN: expected, LEVEL: 'low' });
  expect(readConfig(shape, { TOKEN_FILE, TOKEN: '' }).TOKEN).toBe(expected);
});

test('every fault of the files is listed with the others, without what is in them', () => {
  const env = { TOKEN: 'hunter2', TOKEN_FILE: fileOf('both', 'hunter3') };
  expect(() => readConfig(shape, env)).toThrow('TOKEN and TOKEN_FILE are both set, expected one of them');
  expect(() => readConfig(shape, { TOKEN_FILE: join(folder, 'none') })).toThrow(
    /TOKEN_FILE is ".*none", which cannot be read: ENOENT/,
  );
  expect(() => readConfig(shape, { TOKEN_FILE: fileOf('empty', '\n') })).toThrow(
    /TOKEN_FILE is ".*empty", which is empty/,
  );
});

test('settings that are not secrets are not read from files', () => {
  const env = { TOKEN: 'hunter2', LEVEL_FILE: fileOf('level', 'high') };
  expect(readConfig(shape, env).LEVEL).toBe('low');
});

test.each(['simple', "p@ss:/?#[]%&=+ w'ö$rd\\", '%41'])(
  'the password %j reaches the driver as it is, for services and commands alike',
  (password) => {
    const DATABASE_URL = 'postgres://pressroom@db.example:5432/pressroom';
    const env = { DATABASE_URL, DATABASE_PASSWORD_FILE: fileOf('password', password) };
    for (const url of [readConfig(commonSettings, env).DATABASE_URL, databaseUrl(env)]) {
      const client = new pg.Client({ connectionString: url });
      expect(client).toMatchObject({
        user: 'pressroom',
        host: 'db.example',
        database: 'pressroom',
        password,
      });
    }
  },
);

test('a password in the URL wins', () => {
  const url = 'postgres://pressroom:own@db.example/pressroom';
  expect(withPassword(url, 'other')).toBe(url);
  expect(withPassword('not a URL', 'other')).toBe('not a URL');
});
