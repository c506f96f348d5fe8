import { cp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { findTool } from '@pressroom/backup/postgres-tools';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { type CommandResult, run } from '../support/command.ts';
import { createDatabase, databaseUrl } from '../support/database.ts';
import { send } from '../support/http.ts';
import { NO_POSTGRES_TOOLS } from '../support/left-out-notes.ts';
import { Mirror } from '../support/mirror.ts';
import { skipUnless } from '../support/needed-programs.ts';
import { itemRow, type NewsFeedFixture, newsFeedFixture, startNewsFeed } from '../support/news-feed.ts';
import { selectedSet } from '../support/selected-set.ts';
import { temporaryHome } from '../support/temporary-home.ts';
import { until } from '../support/until.ts';

const found = await findTool('pg_restore', 18).catch(() => undefined);
skipUnless(found !== undefined, NO_POSTGRES_TOOLS);

let feed: NewsFeedFixture;
let home: string;
let copies = 0;

beforeAll(async () => {
  home = await temporaryHome();
  feed = await newsFeedFixture();
  const env = { DATABASE_URL: feed.database.url };
  for (const service of ['news-feed', 'content'])
    expect(await run([`services/${service}/src/cli.ts`, 'sample'], { env })).toMatchObject({ code: 0 });
  if (found !== undefined) expect(await backUp(join(home, 'backup'))).toMatchObject({ code: 0, stderr: '' });
});

afterAll(async () => {
  await feed.close();
  await rm(home, { recursive: true });
});

function backUp(directory: string, url = feed.database.url): Promise<CommandResult> {
  return run(['packages/backup/src/backup-cli.ts', directory], { env: { DATABASE_URL: url } });
}

function restore(directory: string, url: string): Promise<CommandResult> {
  return run(['packages/backup/src/restore-cli.ts', directory], { env: { DATABASE_URL: url } });
}

/** A copy of the backup that was made first, for a test to damage. */
async function madeBackup(): Promise<string> {
  copies += 1;
  const directory = join(home, `copy ${copies}`);
  await cp(join(home, 'backup'), directory, { recursive: true });
  return directory;
}

interface EmptyDatabase {
  url: string;
  pool: pg.Pool;
}

async function emptyDatabase(): Promise<EmptyDatabase> {
  const name = `restored_${crypto.randomUUID().replaceAll('-', '')}`;
  await createDatabase(inject('serverUrl'), name);
  const url = databaseUrl(inject('serverUrl'), name);
  const pool = new pg.Pool({ connectionString: url });
  onTestFinished(() => pool.end());
  return { url, pool };
}

/** Every row of every table, as text, by the table's name. */
async function everyRow(pool: pg.Pool): Promise<Record<string, string[]>> {
  const { rows: tables } = await pool.query<{ name: string }>(`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema') order by 1`);
  const contents: Record<string, string[]> = {};
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${name} t order by 1`);
    contents[name] = rows.map(({ row }) => row);
  }
  return contents;
}

async function tableCount(pool: pg.Pool): Promise<number> {
  return Object.keys(await everyRow(pool)).length;
}

async function select(name: string): Promise<void> {
  await feed.db
    .insertInto('news.item')
    .values(itemRow(name, { selected: true }))
    .execute();
}

/** Follows until the copy equals the set: an answer may be a second old. */
async function untilCaughtUp(mirror: Mirror, pool: pg.Pool): Promise<void> {
  await until('the copy equals the set', async () => {
    await mirror.catchUp();
    return isDeepStrictEqual(mirror.disk.copy, await selectedSet(pool, 'default'));
  });
}

async function editManifest(directory: string, edit: (manifest: ReturnType<typeof JSON.parse>) => void) {
  const file = join(directory, 'backup.json');
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  edit(manifest);
  await writeFile(file, JSON.stringify(manifest));
}

test('restores every row, and sends mirrors that are ahead back to the snapshot', async () => {
  let server = feed.url;
  const limit = () => 10;
  const mirror = new Mirror({
    server: () => server,
    fields: 'default',
    snapshotLimit: limit,
    changesLimit: limit,
  });
  await select('before the backup');
  await untilCaughtUp(mirror, feed.database.pool);
  const backedUp = await everyRow(feed.database.pool);
  const directory = join(home, 'of the mirror');
  expect(await backUp(directory)).toMatchObject({ code: 0, stderr: '' });
  await select('after the backup');
  await untilCaughtUp(mirror, feed.database.pool);

  const { url, pool } = await emptyDatabase();
  expect(await restore(directory, url)).toMatchObject({ code: 0, stderr: '' });

  const restored = await everyRow(pool);
  for (const schema of ['news', 'content']) {
    expect(backedUp[`${schema}.ledger`]).not.toEqual(restored[`${schema}.ledger`]);
    expect(restored[`${schema}.ledger_entry`]).toEqual([]);
    for (const table of ['ledger', 'ledger_entry']) {
      delete backedUp[`${schema}.${table}`];
      delete restored[`${schema}.${table}`];
    }
  }
  expect(restored).toEqual(backedUp);

  const service = await startNewsFeed(url);
  onTestFinished(() => service.close());
  expect((await send(`${service.url}/readyz`)).status).toBe(200);
  server = service.url;
  await untilCaughtUp(mirror, pool);
  expect(mirror.snapshots).toBe(2);
  await pool.query("delete from news.item where title = 'Title of before the backup'");
  await untilCaughtUp(mirror, pool);
  expect(mirror.snapshots).toBe(2);
});

test('refuses a database that is not empty, and leaves it as it is', async () => {
  const directory = await madeBackup();
  const { url, pool } = await emptyDatabase();
  await pool.query('create table mine (id integer)');
  const { code, stderr } = await restore(directory, url);
  expect(code).toBe(1);
  expect(stderr).toContain('the database is not empty: it has table mine');
  expect(await tableCount(pool)).toBe(1);
});

test('refuses a damaged backup', async () => {
  const directory = await madeBackup();
  await truncate(join(directory, 'database.dump'), 1000);
  const { url, pool } = await emptyDatabase();
  const { code, stderr } = await restore(directory, url);
  expect(code).toBe(1);
  expect(stderr).toContain('is missing or damaged: its checksum differs');
  expect(await tableCount(pool)).toBe(0);
});

test('refuses an unfinished backup', async () => {
  const directory = await madeBackup();
  await rm(join(directory, 'backup.json'));
  const { url } = await emptyDatabase();
  expect((await restore(directory, url)).stderr).toContain('does not contain a finished backup');
});

test('refuses a backup of a newer build', async () => {
  const directory = await madeBackup();
  await editManifest(directory, ({ migrations }) => {
    migrations['9999_from_the_future'] = 'checksum';
  });
  const { url, pool } = await emptyDatabase();
  const { code, stderr } = await restore(directory, url);
  expect(code).toBe(1);
  expect(stderr).toContain('it has 9999_from_the_future, which this one does not have');
  expect(await tableCount(pool)).toBe(0);
});

test('refuses a server that is older than that of the backup', async () => {
  const directory = await madeBackup();
  await editManifest(directory, (manifest) => {
    manifest.postgres = 99;
  });
  const { url, pool } = await emptyDatabase();
  expect((await restore(directory, url)).stderr).toContain('restore it on PostgreSQL 99 or later');
  expect(await tableCount(pool)).toBe(0);
});

test('names the roles that the server lacks', async () => {
  const role = `role_${crypto.randomUUID().replaceAll('-', '')}`;
  const { pool } = feed.database;
  await pool.query(`create role ${role}; grant usage on schema news to ${role}`);
  const directory = join(home, 'with a role');
  expect(await backUp(directory)).toMatchObject({ code: 0 });
  await pool.query(`drop owned by ${role}; drop role ${role}`);
  const { url, pool: restored } = await emptyDatabase();
  expect((await restore(directory, url)).stderr).toContain(`grants rights to: ${role}`);
  expect(await tableCount(restored)).toBe(0);
});

test('leaves a database that no service takes for ready when it fails half way', async () => {
  const directory = await madeBackup();
  await editManifest(directory, ({ rows }) => {
    rows['news.item'] += 1;
  });
  const { url } = await emptyDatabase();
  const { code, stderr } = await restore(directory, url);
  expect(code).toBe(1);
  expect(stderr).toContain('the restored database is incomplete: news.item has');
  const service = await startNewsFeed(url);
  onTestFinished(() => service.close());
  expect((await send(`${service.url}/readyz`)).status).toBe(503);
  const migrated = await run(['packages/common/src/database/migrate-cli.ts'], { env: { DATABASE_URL: url } });
  expect(migrated.code).toBe(1);
});

test('backs up into an empty folder only', async () => {
  const directory = await madeBackup();
  const { code, stderr } = await backUp(directory);
  expect(code).toBe(1);
  expect(stderr).toContain('is not empty; give each backup its own folder');
});

test('says what to install where the programs of PostgreSQL are missing or too old', async () => {
  await expect(findTool('pg_dump', 99)).rejects.toThrow(
    /needs pg_dump of version 99 or later on the PATH.*(is of version|there is none).*install PostgreSQL's client/,
  );
});
