import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { BackupWork } from '@pressroom/backup/backup';
import { BackupFolder, type MediaBucket } from '@pressroom/backup/backup-folder';
import { findTool } from '@pressroom/backup/postgres-tools';
import { BackupBucket } from '@pressroom/backup/stores';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { afterAll, beforeAll, beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import { Child } from '../support/child.ts';
import { ROOT, run } from '../support/command.ts';
import { createDatabase, createTestDatabase, databaseUrl, type TestDatabase } from '../support/database.ts';
import { send } from '../support/http.ts';
import { NO_POSTGRES_TOOLS } from '../support/left-out-notes.ts';
import { memoryLog, type TestLog } from '../support/log.ts';
import { skipUnless } from '../support/needed-programs.ts';
import { proxyDatabase } from '../support/proxied-database.ts';
import { put, putAll } from '../support/s3/objects.ts';
import { clientOf, createBucket, startEmbedded } from '../support/s3/servers.ts';
import { temporaryHome } from '../support/temporary-home.ts';
import { until } from '../support/until.ts';

const found = await findTool('pg_restore', 18).catch(() => undefined);
skipUnless(found !== undefined, NO_POSTGRES_TOOLS);

const PROGRAM = 'packages/backup/src/main.ts';
const DAY_MS = 86_400_000;
const KEY = Buffer.alloc(32, 7);
const ENDLESS = new AbortController().signal;

let database: TestDatabase;
let home: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const env = { DATABASE_URL: database.url };
  expect(await run(['services/content/src/cli.ts', 'sample'], { env })).toMatchObject({ code: 0 });
});

afterAll(() => database.drop());

beforeEach(async () => {
  home = await temporaryHome();
  return () => rm(home, { recursive: true });
});

function settings(more: Record<string, string> = {}): Record<string, string> {
  return { DATABASE_URL: database.url, BACKUP_DIR: home, ...more };
}

interface WorkOptions {
  url?: string;
  bucket?: BackupBucket;
  media?: MediaBucket;
  key?: Buffer;
}

/** The work of the service, at a time that the test chooses. */
function workAt(
  now: Date,
  { url = database.url, bucket, media, key }: WorkOptions = {},
): { work: BackupWork; log: TestLog } {
  const log = memoryLog('backup');
  const folder = new BackupFolder(home);
  const clock = () => now;
  const settings = { key, hour: 3, keepDays: 2 };
  return { work: new BackupWork({ url, folder, bucket, media, ...settings, log: log.log, clock }), log };
}

const messages = ({ events }: TestLog) => events().map(({ msg }) => msg);

/** Lists the databases that verifications have left on the server. */
async function scratchDatabases(): Promise<string[]> {
  const name = new URL(database.url).pathname.slice(1);
  const { rows } = await database.pool.query<{ datname: string }>(
    'select datname from pg_database where datname like $1',
    [`${name}\\_%`],
  );
  return rows.map(({ datname }) => datname);
}

async function metric(port: number, series: string): Promise<number> {
  const { text } = await send(`http://127.0.0.1:${port}/metrics`);
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1));
}

test('makes a backup at once if there is none, test-restores it, and shows both', async () => {
  const port = await findFreePort();
  const service = Child.run(PROGRAM, settings({ METRICS_PORT: String(port) }));
  onTestFinished(() => service.end());
  const { name } = await service.event('backup_finished');
  await service.event('backup_verified');
  expect(await readdir(home)).toEqual([name]);
  expect(await scratchDatabases()).toEqual([]);
  const madeAt = (await new BackupFolder(home).list())[0]?.madeAt.getTime();
  expect(await metric(port, 'backup_last_success_timestamp_seconds')).toBe(Number(madeAt) / 1000);
  expect(await metric(port, 'backup_last_verification_timestamp_seconds')).toBeGreaterThan(0);
  expect(await metric(port, 'backup_last_size_bytes')).toBeGreaterThan(1000);
  expect(await metric(port, 'backup_failures_total{step="backup"}')).toBe(0);
  expect((await send(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  service.signal('SIGTERM');
  expect(await service.exited).toBe(0);
});

test('after a restart it knows by the folder what is due', async () => {
  const first = workAt(new Date('2026-11-25T12:00:00Z'));
  expect(await first.work.doDue(ENDLESS)).toBe(15 * 3_600_000);
  expect(messages(first.log)).toEqual(['backup_finished', 'backup_verified']);
  const again = workAt(new Date('2026-11-26T02:00:00Z'));
  expect(await again.work.doDue(ENDLESS)).toBe(3_600_000);
  expect(messages(again.log)).toEqual([]);
  const nextDay = workAt(new Date('2026-11-26T03:00:00Z'));
  expect(await nextDay.work.doDue(ENDLESS)).toBe(DAY_MS);
  expect(messages(nextDay.log)).toEqual(['backup_finished']);
  const nextWeek = workAt(new Date('2026-12-02T09:00:00Z'));
  await nextWeek.work.doDue(ENDLESS);
  expect(messages(nextWeek.log)).toEqual(['backup_finished', 'backup_removed', 'backup_verified']);
});

test('removes what is old once a new one is finished', async () => {
  for (const day of ['20', '21', '22', '23']) {
    const { work } = workAt(new Date(`2026-11-${day}T03:00:00Z`));
    await work.doDue(ENDLESS);
  }
  expect(await readdir(home)).toEqual([
    '2026-11-21T03-00-00Z',
    '2026-11-22T03-00-00Z',
    '2026-11-23T03-00-00Z',
  ]);
});

test('without PostgreSQL it says so and tries again, later each time', async () => {
  const { url, proxy } = await proxyDatabase(database.url);
  onTestFinished(() => proxy.close());
  await proxy.refuse();
  const { work, log } = workAt(new Date('2026-11-25T12:00:00Z'), { url });
  expect(await work.doDue(ENDLESS)).toBe(60_000);
  expect(await work.doDue(ENDLESS)).toBe(120_000);
  expect(messages(log)).toEqual(['backup_failed', 'backup_failed']);
  expect(work.failures.backup).toBe(2);
  expect(await readdir(home)).toEqual([]);
  await proxy.accept();
  expect(await work.doDue(ENDLESS)).toBe(15 * 3_600_000);
});

test.each([
  ['plain', {}],
  ['encrypted', { BACKUP_KEY: KEY.toString('base64') }],
])('on a full disk the old backups stay, and nothing is left of a %s one', async (_what, more) => {
  const old = '2026-11-01T03-00-00Z';
  await mkdir(join(home, old));
  await writeFile(join(home, old, 'backup.json'), '{}');
  // No file may have more than 4 KiB.
  const limited = spawn('bash', ['-c', `ulimit -f 4 && exec "$0" ${PROGRAM} --once`, process.execPath], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...settings({ BACKUP_KEEP_DAYS: '1', ...more }) },
  });
  const [said, [code]] = await Promise.all([text(limited.stdout), once(limited, 'close')]);
  expect(code).toBe(1);
  expect(said).toMatch(/"backup_failed"/);
  expect(said).toMatch(/EFBIG/);
  expect(await readdir(home)).toEqual([old]);
});

test('a backup that cannot be restored is not verified, and its database is dropped', async () => {
  const now = new Date('2026-11-25T12:00:00Z');
  const { work, log } = workAt(now);
  const folder = new BackupFolder(home);
  await work.doDue(ENDLESS);
  const [{ name } = { name: '' }] = await folder.list();
  await rm(join(home, name, 'verified.json'));
  const manifest = join(home, name, 'backup.json');
  const text = await readFile(manifest, 'utf8');
  await writeFile(manifest, text.replace(/("content.article": )\d+/, '$1999'));
  expect(await work.doDue(ENDLESS)).toBe(15 * 3_600_000);
  expect(log.events().at(-1)).toMatchObject({
    msg: 'verification_failed',
    err: { message: expect.stringContaining('content.article has') },
  });
  expect(work.failures.verification).toBe(1);
  expect(await scratchDatabases()).toEqual([]);
  // Not again, even by another process: it costs as much as a restore. A schedule that tries again fails.
  const restarted = workAt(now);
  await restarted.work.doDue(ENDLESS);
  expect(await restarted.work.doOnce(ENDLESS)).toBe(false);
  expect(new Set(messages(restarted.log))).toEqual(new Set(['verification_failed_before']));
  expect(restarted.work.failures.verification).toBe(0);
  const nextDay = workAt(new Date('2026-11-26T03:00:00Z'));
  expect(await nextDay.work.doOnce(ENDLESS)).toBe(true);
  expect(messages(nextDay.log)).toEqual(['backup_finished', 'backup_verified']);
});

test('a damaged backup is not verified', async () => {
  const { work, log } = workAt(new Date('2026-11-25T12:00:00Z'));
  await work.doDue(ENDLESS);
  const [{ name } = { name: '' }] = await new BackupFolder(home).list();
  await rm(join(home, name, 'verified.json'));
  await truncate(join(home, name, 'database.dump'), 1000);
  await work.doDue(ENDLESS);
  expect(log.events().at(-1)).toMatchObject({
    msg: 'verification_failed',
    err: { message: expect.stringContaining('damaged') },
  });
});

test('a schedule that tries again makes no other backup for 12 hours, and a command does', async () => {
  const names = async () => (await readdir(home)).map((name) => name.slice(0, 13));
  for (const hour of ['03', '04', '14']) {
    const { work } = workAt(new Date(`2026-11-25T${hour}:00:00Z`));
    expect(await work.doOnce(ENDLESS)).toBe(true);
  }
  expect(await names()).toEqual(['2026-11-25T03']);
  const { work } = workAt(new Date('2026-11-25T14:30:00Z'));
  expect(await work.doNow(ENDLESS)).toBe(true);
  expect(await names()).toEqual(['2026-11-25T03', '2026-11-25T14']);
});

test('a database whose restore was interrupted is not backed up', async () => {
  const scratch = `interrupted_${crypto.randomUUID().replaceAll('-', '')}`;
  await createDatabase(inject('serverUrl'), scratch);
  const url = databaseUrl(inject('serverUrl'), scratch);
  const { work, log } = workAt(new Date('2026-11-25T12:00:00Z'), { url });
  expect(await work.doOnce(ENDLESS)).toBe(false);
  expect(log.events().at(0)).toMatchObject({
    err: { message: expect.stringContaining('has no record of migrations') },
  });
  expect(await readdir(home)).toEqual([]);
});

test('a key that is lost stops backups, and a plain backup is not restored with one', async () => {
  const first = workAt(new Date('2026-11-24T12:00:00Z'));
  await first.work.doDue(ENDLESS);
  const plain = join(home, '2026-11-24T12-00-00Z');
  const env = { DATABASE_URL: database.url, BACKUP_KEY: KEY.toString('base64') };
  const { stderr } = await run(['packages/backup/src/restore-cli.ts', plain], { env });
  expect(stderr).toContain('the backup is not encrypted, although BACKUP_KEY is set');
  const encrypted = workAt(new Date('2026-11-25T12:00:00Z'), { key: KEY });
  await encrypted.work.doDue(ENDLESS);
  expect(encrypted.log.events().at(0)).toMatchObject({ msg: 'backup_finished', encrypted: true });
  const lost = workAt(new Date('2026-11-26T12:00:00Z'));
  expect(await lost.work.doDue(ENDLESS)).toBe(60_000);
  expect(lost.log.events()).toMatchObject([
    {
      msg: 'backup_failed',
      err: { message: expect.stringContaining('BACKUP_KEY is not set, and the newest') },
    },
  ]);
  expect(await readdir(home)).toHaveLength(2);
});

test('an encrypted backup is restored with its key alone', async () => {
  const env = settings({ BACKUP_KEY: KEY.toString('base64') });
  expect(await run([PROGRAM, '--once'], { env })).toMatchObject({ code: 0, stderr: '' });
  const [name = ''] = await readdir(home);
  const files = await readdir(join(home, name));
  expect(files.sort()).toEqual(['backup.json', 'database.dump.age', 'verified.json']);
  const dump = await readFile(join(home, name, 'database.dump.age'), 'latin1');
  expect(dump).toMatch(/^age-encryption\.org\/v1\n-> scrypt /);
  expect((await stat(join(home, name))).mode & 0o777).toBe(0o700);
  const scratch = `restored_${crypto.randomUUID().replaceAll('-', '')}`;
  await createDatabase(inject('serverUrl'), scratch);
  const restore = (more: Record<string, string>) =>
    run(['packages/backup/src/restore-cli.ts', join(home, name)], {
      env: { DATABASE_URL: databaseUrl(inject('serverUrl'), scratch), ...more },
    });
  expect((await restore({})).stderr).toContain('the backup is encrypted; set BACKUP_KEY');
  const another = Buffer.alloc(32, 8).toString('base64');
  expect((await restore({ BACKUP_KEY: another })).stderr).toContain('is not the key that the backup was');
  expect(await restore({ BACKUP_KEY: KEY.toString('base64') })).toMatchObject({ code: 0, stderr: '' });
});

test('each backup is copied to the bucket, old copies go, and one can be downloaded', async () => {
  const store = await startEmbedded();
  onTestFinished(() => store.close());
  const name = await createBucket(clientOf(store));
  const bucket = new BackupBucket(clientOf(store), name);
  for (const day of ['20', '21', '22', '23']) {
    const { work } = workAt(new Date(`2026-11-${day}T03:00:00Z`), { bucket });
    expect(await work.doDue(ENDLESS)).toBe(DAY_MS);
  }
  const names = (await bucket.list()).map((copy) => copy.name);
  expect(names).toEqual(['2026-11-21T03-00-00Z', '2026-11-22T03-00-00Z', '2026-11-23T03-00-00Z']);
  const chosen = String(names.at(-1));
  await rm(join(home, chosen), { recursive: true });
  const env = settings({
    BACKUP_BUCKET: name,
    BACKUP_S3_ENDPOINT: store.endpoint,
    BACKUP_S3_ACCESS_KEY_ID: store.accessKeyId,
    BACKUP_S3_SECRET_ACCESS_KEY: store.secretAccessKey,
  });
  const download = (...args: string[]) => run(['packages/backup/src/download-cli.ts', ...args], { env });
  expect((await download()).stdout.trim().split('\n')).toEqual(names);
  // Whoever may write to the bucket.
  await put(clientOf(store), name, `${chosen}/run-me.sh`);
  expect(await download(chosen)).toMatchObject({ code: 0, stderr: '' });
  expect((await readdir(join(home, chosen))).sort()).toEqual(['backup.json', 'database.dump']);
  expect((await download('2026-01-01T03-00-00Z')).stderr).toContain('has no finished backup 2026-01-01');
  expect((await download('../elsewhere')).stderr).toContain('is not the name of a backup');
  // The whole program, whose next backup is copied, too.
  const encrypted = { ...env, BACKUP_KEY: KEY.toString('base64') };
  expect(await run([PROGRAM, '--once'], { env: encrypted })).toMatchObject({ code: 0, stderr: '' });
  expect(await bucket.list()).toHaveLength(4);
});

test('the newest backups are copied first, and one that cannot be read keeps no other one', async () => {
  const store = await startEmbedded();
  onTestFinished(() => store.close());
  const bucket = new BackupBucket(clientOf(store), await createBucket(clientOf(store)));
  for (const day of ['24', '25']) await workAt(new Date(`2026-11-${day}T03:00:00Z`)).work.doDue(ENDLESS);
  // Not a file, so it cannot be uploaded.
  await mkdir(join(home, '2026-11-25T03-00-00Z', 'folder'));
  const { work, log } = workAt(new Date('2026-11-26T03:00:00Z'), { bucket });
  expect(await work.doDue(ENDLESS)).toBe(60_000);
  expect(messages(log)).toEqual(['backup_finished', 'backup_copied', 'copy_failed', 'backup_copied']);
  const copied = log.events().flatMap(({ msg, name }) => (msg === 'backup_copied' ? [name] : []));
  expect(copied).toEqual(['2026-11-26T03-00-00Z', '2026-11-24T03-00-00Z']);
});

test('a bucket that is away fails the copy alone, and what it lacks is copied later', async () => {
  const store = await startEmbedded();
  const name = await createBucket(clientOf(store));
  const { url, proxy } = await proxyDatabase(store.endpoint);
  onTestFinished(async () => {
    await proxy.close();
    await store.close();
  });
  await proxy.refuse();
  const bucket = new BackupBucket(clientOf(store, { endpoint: url }), name);
  const { work, log } = workAt(new Date('2026-11-25T12:00:00Z'), { bucket });
  expect(await work.doDue(ENDLESS)).toBe(60_000);
  expect(messages(log)).toEqual(['backup_finished', 'copy_failed', 'backup_verified']);
  await proxy.accept();
  expect(await work.doDue(ENDLESS)).toBe(15 * 3_600_000);
  expect(messages(log).slice(3)).toEqual(['backup_copied']);
  expect(await bucket.list()).toHaveLength(1);
});

test('a backup lists the media, by which a copy of them is checked', async () => {
  const store = await startEmbedded();
  onTestFinished(() => store.close());
  const s3 = clientOf(store);
  const [gallery, copy] = [await createBucket(s3), await createBucket(s3)];
  for (const bucket of [gallery, copy]) await putAll(s3, bucket, ['a.jpg', 'b.jpg', 'c.jpg']);
  for (const made of ['.pressroom-renditions/a.jpg', '.pressroom-trash/d.jpg']) await put(s3, gallery, made);
  const key = KEY.toString('base64');
  const env = settings({
    BACKUP_KEY: key,
    ...{ S3_BUCKET: gallery, BACKUP_BUCKET: await createBucket(s3) },
    ...{ S3_ENDPOINT: store.endpoint, BACKUP_S3_ENDPOINT: store.endpoint },
    ...{ S3_ACCESS_KEY_ID: store.accessKeyId, BACKUP_S3_ACCESS_KEY_ID: store.accessKeyId },
    ...{ S3_SECRET_ACCESS_KEY: store.secretAccessKey, BACKUP_S3_SECRET_ACCESS_KEY: store.secretAccessKey },
  });
  expect(await run([PROGRAM, '--once'], { env })).toMatchObject({ code: 0, stderr: '' });
  const [{ name } = { name: '' }] = await new BackupFolder(home).list();
  const check = (...args: string[]) =>
    run(['packages/backup/src/check-media-cli.ts', join(home, name), ...args], { env });
  expect(await check()).toEqual({
    code: 0,
    stdout: `${gallery}: 3 as in the backup, 0 missing, 0 different\n`,
    stderr: '',
  });
  await s3.send(new DeleteObjectCommand({ Bucket: copy, Key: 'a.jpg' }));
  await put(s3, copy, 'b.jpg', 'B.jpg');
  expect(await check('--bucket', copy)).toEqual({
    code: 1,
    stdout: `missing: a.jpg\ndifferent: b.jpg\n${copy}: 1 as in the backup, 1 missing, 1 different\n`,
    stderr: '',
  });
});

test('a store of media that is away fails the list alone, which comes with the next try, in the copy too', async () => {
  const store = await startEmbedded();
  const s3 = clientOf(store);
  const gallery = await createBucket(s3);
  const bucket = new BackupBucket(s3, await createBucket(s3));
  const { url, proxy } = await proxyDatabase(store.endpoint);
  onTestFinished(async () => {
    await proxy.close();
    await store.close();
  });
  await proxy.refuse();
  const media = { s3: clientOf(store, { endpoint: url }), name: gallery };
  const { work, log } = workAt(new Date('2026-11-25T03:00:00Z'), { media, bucket });
  expect(await work.doOnce(ENDLESS)).toBe(false);
  expect(messages(log)).toEqual(['backup_finished', 'media_failed', 'backup_copied', 'backup_verified']);
  expect(work.failures.media).toBe(1);
  const name = '2026-11-25T03-00-00Z';
  expect((await readdir(join(home, name))).sort()).toEqual(['backup.json', 'database.dump', 'verified.json']);
  const again = workAt(new Date('2026-11-25T03:01:00Z'), { media, bucket });
  expect(await again.work.doOnce(ENDLESS)).toBe(false);
  expect(messages(again.log)).toEqual(['media_failed']);
  await proxy.accept();
  const mended = workAt(new Date('2026-11-25T03:02:00Z'), { media, bucket });
  expect(await mended.work.doOnce(ENDLESS)).toBe(true);
  expect(messages(mended.log)).toEqual(['media_listed', 'backup_copied']);
  expect(await readdir(join(home, name))).toContain('media.jsonl');
  expect(await bucket.list()).toMatchObject([{ name, listsMedia: true }]);
  expect((await readdir(home)).sort()).toEqual([name, 'deployment-id']);
});

test('a lost key lets no list of media into an encrypted backup', async () => {
  const store = await startEmbedded();
  onTestFinished(() => store.close());
  const media = { s3: clientOf(store), name: await createBucket(clientOf(store)) };
  await workAt(new Date('2026-11-25T03:00:00Z'), { key: KEY }).work.doOnce(ENDLESS);
  const { work, log } = workAt(new Date('2026-11-25T04:00:00Z'), { media });
  expect(await work.doOnce(ENDLESS)).toBe(false);
  expect(log.events().at(0)).toMatchObject({
    msg: 'media_failed',
    err: { message: expect.stringContaining('BACKUP_KEY is not set') },
  });
});

test('a bucket is for one deployment, unless another one takes its place', async () => {
  const store = await startEmbedded();
  onTestFinished(() => store.close());
  const bucket = new BackupBucket(clientOf(store), await createBucket(clientOf(store)));
  const now = new Date('2026-11-25T12:00:00Z');
  expect(await workAt(now, { bucket }).work.doOnce(ENDLESS)).toBe(true);
  const first = home;
  home = await temporaryHome();
  onTestFinished(() => rm(first, { recursive: true }));
  // So much later that it would remove the other one's backup.
  const { work, log } = workAt(new Date('2026-12-25T12:00:00Z'), { bucket });
  expect(await work.doOnce(ENDLESS)).toBe(false);
  const owner = (await readFile(join(first, 'deployment-id'), 'utf8')).trim();
  expect(log.events()).toMatchObject([
    { msg: 'backup_finished' },
    { msg: 'copy_failed', err: { message: expect.stringContaining(`write ${owner} into ${home}/`) } },
    { msg: 'backup_verified' },
  ]);
  expect(await bucket.list()).toMatchObject([{ name: '2026-11-25T12-00-00Z' }]);
  await writeFile(join(home, 'deployment-id'), `${owner}\n`);
  expect(await work.doOnce(ENDLESS)).toBe(true);
  expect(await bucket.list()).toHaveLength(2);
});

test('what a killed process left behind is removed, and what another one writes is not', async () => {
  const [abandoned, atWork] = ['.unfinished-2026-11-24T03-00-00Z', '.unfinished-2026-11-25T11-59-59Z'];
  for (const name of [abandoned, atWork]) {
    await mkdir(join(home, name));
    await writeFile(join(home, name, 'database.dump'), 'a part');
  }
  const longAgo = new Date(Date.now() - DAY_MS);
  for (const file of ['database.dump', '.']) await utimes(join(home, abandoned, file), longAgo, longAgo);
  const { work } = workAt(new Date('2026-11-25T12:00:00Z'));
  await work.doDue(ENDLESS);
  expect((await readdir(home)).sort()).toEqual([atWork, '2026-11-25T12-00-00Z']);
  // Nor does a folder without a manifest count as a backup.
  await rename(join(home, atWork), join(home, '2026-11-25T13-00-00Z'));
  expect((await new BackupFolder(home).list()).map(({ name }) => name)).toEqual(['2026-11-25T12-00-00Z']);
});

test('SIGTERM interrupts a backup and leaves nothing behind', async () => {
  // Its count of rows waits for this lock.
  const client = await database.pool.connect();
  onTestFinished(() => client.release());
  await client.query('begin; lock table content.article in access exclusive mode');
  const service = Child.run(PROGRAM, settings());
  onTestFinished(() => service.end());
  await until('it waits for the lock', async () => {
    const { rows } = await database.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows.length > 0;
  });
  service.signal('SIGTERM');
  await client.query('rollback');
  expect(await service.exited).toBe(0);
  expect(await readdir(home)).toEqual([]);
});

test('names what is wrong with its settings', async () => {
  const { code, stderr } = await run([PROGRAM], { env: settings({ BACKUP_HOUR: '24' }) });
  expect(code).toBe(1);
  expect(stderr).toContain('BACKUP_HOUR is "24", expected a whole number from 0 to 23');
});

test.each([
  [
    'a store without a bucket',
    { BACKUP_S3_ENDPOINT: 'https://s3.example' },
    'BACKUP_BUCKET is not set, expected the bucket to which BACKUP_S3_ENDPOINT belongs',
  ],
  [
    'half of a key',
    { BACKUP_BUCKET: 'dumps', BACKUP_S3_ACCESS_KEY_ID: 'id' },
    'BACKUP_S3_SECRET_ACCESS_KEY is not set, expected the other half of BACKUP_S3_ACCESS_KEY_ID',
  ],
  [
    'a bucket without a key, for whoever may read it',
    { BACKUP_BUCKET: 'dumps' },
    'BACKUP_KEY is not set, expected a key that encrypts what is copied to BACKUP_BUCKET',
  ],
])('refuses %s', async (_what, more, fault) => {
  const { code, stderr } = await run([PROGRAM], { env: settings(more) });
  expect(code).toBe(1);
  expect(stderr).toContain(fault);
});
