import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { BackupFolder } from './backup-folder.ts';

const NAME = '2026-11-25T03-00-00Z';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'pressroom-backups-'));
  return () => rm(home, { recursive: true });
});

const writeManifest = (directory: string) => writeFile(join(directory, 'backup.json'), '{}');

test('of two processes in the same second, the second one fails and the first one finishes', async () => {
  const folder = new BackupFolder(home);
  await folder.add(NAME, async (directory) => {
    await expect(folder.add(NAME, writeManifest)).rejects.toThrow(/EEXIST/);
    await writeManifest(directory);
  });
  expect(await readdir(home)).toEqual([NAME]);
});

test('a backup has the name of one', async () => {
  const folder = new BackupFolder(home);
  await expect(folder.add(`${NAME}/../../x`, writeManifest)).rejects.toThrow('is not the name of a backup');
  expect(await readdir(home)).toEqual([]);
});
