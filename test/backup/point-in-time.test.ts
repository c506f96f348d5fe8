import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '@pressroom/common/database/migrations';
import { type Cluster, openCluster } from '@pressroom/embedded-postgres/cluster';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ROOT, run } from '../support/command.ts';
import { Mirror } from '../support/mirror.ts';
import { startNewsFeed } from '../support/news-feed.ts';
import { hasPgBackRest, NO_PGBACKREST, type ShellResult, shell } from '../support/pgbackrest.ts';
import { selectedSet } from '../support/selected-set.ts';
import { temporaryHome } from '../support/temporary-home.ts';
import { until } from '../support/until.ts';

const found = await hasPgBackRest();

let home: string;
let cluster: Cluster;
let port: number;
let url: string;
let server: ChildProcess | undefined;
let runner: Parameters<typeof shell>[1];

beforeEach(async ({ skip }) => {
  // Left out in CI, too: no release of Debian has a pgBackRest for PostgreSQL 18 yet.
  skip(!found, NO_PGBACKREST);
  home = await temporaryHome();
  cluster = await openCluster({ home, sync: false, log: () => undefined });
  port = await findFreePort();
  url = `postgres://pressroom:${encodeURIComponent(cluster.password)}@127.0.0.1:${port}/postgres`;
  await configure();
  await start();
  await migrate(url, join(ROOT, 'migrations'));
});

afterEach(async () => {
  await stop();
  if (home) await rm(home, { recursive: true, force: true });
  if (cluster) await rm(cluster.directory, { recursive: true, force: true });
});

/** A fenced block of docs/backup.md that contains `mark`. */
async function printed(mark: string): Promise<string> {
  const text = await readFile(join(ROOT, 'docs/backup.md'), 'utf8');
  const blocks = [...text.matchAll(/^ *```(?:sh|ini)\n(.*?)^ *```$/gms)].map(([, block = '']) => block);
  const block = blocks.find((one) => one.includes(mark));
  if (block === undefined) throw new Error(`docs/backup.md has no block with ${mark}`);
  return block.replaceAll(/^ +/gm, '');
}

/** The documented configuration with the places of this test. */
async function configure(): Promise<void> {
  const places: Record<string, string> = {
    'repo1-path': join(home, 'repository'),
    'pg1-path': cluster.directory,
    'pg1-user': 'pressroom',
    'repo1-cipher-pass': 'of the test',
  };
  const documented = await printed('[pressroom]');
  const lines = documented.split('\n').map((line) => {
    const [name = ''] = line.split('=');
    return name in places ? `${name}=${places[name]}` : line;
  });
  const own = { 'lock-path': 'lock', 'log-path': 'log', 'spool-path': 'spool', 'pg1-socket-path': 'socket' };
  for (const [name, folder] of Object.entries({ ...own, 'repo1-path': 'repository' })) {
    await mkdir(join(home, folder), { recursive: true });
    await give(join(home, folder));
    if (name in own) lines.push(`${name}=${join(home, folder)}`);
  }
  lines.push(`pg1-port=${port}`);
  const file = join(home, 'pgbackrest.conf');
  await writeFile(file, lines.join('\n'));
  await give(file);
  const { PATH } = process.env;
  const env = { PATH, PGBACKREST_CONFIG: file, PGPASSWORD: cluster.password, LC_ALL: 'C' };
  runner = { ...cluster.user, env };
}

/** Hands a file to PostgreSQL's account. */
async function give(path: string): Promise<void> {
  const { uid, gid } = cluster.user;
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}

/** Starts the server with the documented settings, and resolves when it takes writes. */
async function start(): Promise<void> {
  const documented = (await printed('archive_mode')).split('\n').filter((line) => line.includes('='));
  const settings = [
    ...documented.map((line) => line.replace(/ *= */, '=').replaceAll("'", '')),
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${join(home, 'socket')}`,
    'fsync=off',
  ];
  const flags = settings.flatMap((setting) => ['-c', setting]);
  server = spawn(cluster.binaries.postgres, ['-D', cluster.directory, ...flags], {
    ...cluster.user,
    cwd: '/',
    env: runner.env,
    stdio: 'ignore',
  });
  await until('PostgreSQL takes writes', async () => {
    if (server?.exitCode !== null) throw new Error('PostgreSQL ended');
    const rows = await query('select pg_is_in_recovery() as recovering').catch(() => undefined);
    return rows?.[0]?.recovering === false;
  });
}

async function stop(): Promise<void> {
  if (server === undefined || server.exitCode !== null) return;
  const gone = once(server, 'exit');
  server.kill('SIGINT');
  await gone;
}

async function query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client.query(text, values).then(
    ({ rows }) => client.end().then(() => rows),
    (error: unknown) => client.end().then(() => Promise.reject(error)),
  );
}

async function select(id: string): Promise<void> {
  await query(
    `insert into news.item (id, title, source_name, original_url, canonical_url, published_at, selected)
     values ($1, $1, 'Source', 'https://source.example/' || $1, 'https://source.example/' || $1, now(), true)`,
    [id],
  );
}

/** Runs the documented commands that contain `mark`; each must succeed. */
async function obey(mark: string, adapt = (line: string) => line): Promise<string> {
  const lines = (await printed(mark)).split('\n').filter((line) => line.startsWith('pgbackrest '));
  expect(lines).not.toEqual([]);
  let text = '';
  for (const line of lines) {
    const result = await shell(adapt(line), runner);
    expect(result.code, `${line}: ${result.text}`).toBe(0);
    text += result.text;
  }
  return text;
}

test('a database goes back to a second before a mistake, and its followers begin again', async () => {
  await select('before-the-backup');
  // Rows written during the backup are in the WAL that it archives.
  let writing = true;
  let written = 0;
  const writer = (async () => {
    for (; writing; written += 1) await select(`meanwhile-${written}`);
  })();
  expect(await obey('stanza-create')).not.toContain('ERROR');
  writing = false;
  await writer;
  await select('kept');

  let feed = await startNewsFeed(url);
  const mirror = new Mirror({
    fields: 'minimal',
    server: () => feed.url,
    snapshotLimit: () => 100,
    changesLimit: () => 100,
  });
  await mirror.catchUp();
  const kept = [...mirror.disk.copy.keys()].sort();
  expect(kept).toEqual(expect.arrayContaining(['before-the-backup', 'kept']));
  const [{ target } = {}] = await query('select clock_timestamp()::text as target');
  await query("update news.item set selected = false where id <> 'kept'");
  await select('after');
  await mirror.catchUp();
  expect([...mirror.disk.copy.keys()].sort()).toEqual(['after', 'kept']);
  // Recovery must see that there is something after the target.
  const [{ last } = {}] = await query('select pg_walfile_name(pg_switch_wal()) as last');
  await until('everything is archived', async () => {
    const [row] = await query('select last_archived_wal >= $1 as archived from pg_stat_archiver', [last]);
    return row?.archived === true;
  });
  await feed.close();
  await stop();

  await obey('--type=time', (line) => line.replace(/"--target=[^"]*"/, `"--target=${target}"`));
  await start();
  const epoch = await run(['services/news-feed/src/cli.ts', 'ledger', 'new-epoch'], {
    env: { DATABASE_URL: url },
  });
  expect(epoch).toMatchObject({ code: 0, stderr: '' });
  feed = await startNewsFeed(url);
  const before = mirror.snapshots;
  await mirror.catchUp();
  expect(mirror.snapshots).toBe(before + 1);
  expect([...mirror.disk.copy.keys()].sort()).toEqual(kept);
  const pool = new pg.Pool({ connectionString: url });
  // The server may end a connection that is being closed.
  pool.on('connect', (client) => client.on('error', () => undefined));
  expect([...mirror.disk.copy.keys()].sort()).toEqual(
    [...(await selectedSet(pool, 'minimal')).keys()].sort(),
  );
  await pool.end();
  await feed.close();
});

test('a repository does not open with another key, and a time before the first backup is refused', async () => {
  await obey('stanza-create');
  await stop();
  const restore = (env: NodeJS.ProcessEnv, target: string): Promise<ShellResult> =>
    shell(`pgbackrest --stanza=pressroom --delta --type=time "--target=${target}" restore`, {
      ...runner,
      env: { ...runner.env, ...env },
    });
  const wrong = await restore({ PGBACKREST_REPO1_CIPHER_PASS: 'another' }, '2100-01-01 00:00:00+00');
  expect(wrong.code).not.toBe(0);
  expect(wrong.text).toMatch(/ERROR/);
  const early = await restore({}, '2000-01-01 00:00:00+00');
  expect(early.text).toMatch(/unable to find backup set/);
  // Neither has touched the data.
  await start();
  expect(await query('select count(*)::int as count from news.item')).toEqual([{ count: 0 }]);
});
