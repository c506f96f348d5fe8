import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const NEW_ENV = join(import.meta.dirname, '../../deploy/new-env');

test('the file of passwords that it writes is for its owner alone, and no two passwords are the same', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pressroom-env-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, '.env');
  execFileSync('sh', ['-c', `umask 022; '${NEW_ENV}' > '${file}'`]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const settings = parseEnv(await readFile(file, 'utf8'));
  const secrets = Object.entries(settings).filter(([name]) => /PASSWORD|KEY/.test(name));
  expect(secrets.length).toBeGreaterThanOrEqual(8);
  const values = secrets.map(([, value]) => value ?? '');
  expect(new Set(values).size).toBe(values.length);
  for (const value of values) expect(value.length).toBeGreaterThan(40);
});

test('into a pipe it prints the same', () => {
  expect(execFileSync(NEW_ENV, { encoding: 'utf8' })).toMatch(
    /^SETTINGS_KEY=\S{44}$[\s\S]*^BACKUP_KEY=\S{44}$/m,
  );
});
