import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupWork } from '@pressroom/backup/backup';
import { BackupFolder } from '@pressroom/backup/backup-folder';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { memoryLog } from '../support/log.ts';
import { temporaryHome } from '../support/temporary-home.ts';

const ENDLESS = new AbortController().signal;

let database: TestDatabase;
let home: string;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  home = await temporaryHome();
  return () => rm(home, { recursive: true });
});

/** A backup as it is found in the folder, test-restored when it was made. */
async function backupOf(name: string, at: string, dump: string): Promise<void> {
  await mkdir(join(home, name));
  await writeFile(join(home, name, 'backup.json'), '{}');
  await writeFile(join(home, name, 'verified.json'), JSON.stringify({ at }));
  await writeFile(join(home, name, dump), Buffer.alloc(5000));
}

function workAt(now: string): BackupWork {
  const { log } = memoryLog('backup');
  const folder = new BackupFolder(home);
  const parts = { url: database.url, folder, log, hour: 3, keepDays: 14, clock: () => new Date(now) };
  return new BackupWork({ ...parts, key: undefined, bucket: undefined, media: undefined });
}

async function report() {
  const { rows } = await database.pool.query('select * from gallery.backup_report');
  expect(rows).toHaveLength(1);
  return rows[0];
}

test('the desk is told how the backups are, and since when one fails', async () => {
  const at = '2026-11-25T12:00:00.000Z';
  await backupOf('2026-11-25T12-00-00Z', at, 'database.dump.age');
  await workAt(at).doDue(ENDLESS);
  const made = new Date(at);
  expect(await report()).toMatchObject({
    ...{ reported_at: made, made_at: made, verified_at: made, due_at: new Date('2026-11-26T03:00:00Z') },
    ...{ kept: 1, encrypted: true, failing: {} },
  });
  const { bytes, disk_free: free, disk_size: size } = await report();
  expect(bytes).toBeGreaterThan(5000);
  expect(size).toBeGreaterThan(free);
  // A schedule of somebody else's.
  await workAt('2026-11-25T13:00:00Z').doOnce(ENDLESS);
  expect(await report()).toMatchObject({ due_at: new Date('2026-11-26T12:00:00Z') });

  // The key of the one before is lost.
  const since = '2026-11-26T03:00:00.000Z';
  await workAt(since).doDue(ENDLESS);
  await workAt('2026-11-27T03:00:00Z').doDue(ENDLESS);
  expect(await report()).toMatchObject({ kept: 1, failing: { backup: since } });

  const mended = '2026-11-27T04:00:00.000Z';
  await backupOf('2026-11-27T04-00-00Z', mended, 'database.dump');
  await workAt(mended).doDue(ENDLESS);
  expect(await report()).toMatchObject({ kept: 2, encrypted: false, failing: {} });
});
