import { fileURLToPath } from 'node:url';
import { migrate } from '@pressroom/common/database/migrate';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rss } from '../support/feed-host.ts';
import { send } from '../support/http.ts';
import { type RunningNewsFeed, startNewsFeed } from '../support/news-feed.ts';
import { OwnPostgres } from '../support/own-postgres.ts';
import { type Desk, openDesk } from '../support/polling.ts';
import { until } from '../support/until.ts';

const SNAPSHOT = '/api/v1/selected/snapshot';

/** Longer than the lease of entries that a worker has taken. */
const LEASE_MS = 600_000;

let server: OwnPostgres;
let desk: Desk;
let feed: RunningNewsFeed;

beforeAll(async () => {
  // What does not wait for the disk is on it long after.
  server = await OwnPostgres.create(undefined, {
    wal_writer_delay: '10s',
    wal_writer_flush_after: '64MB',
    autovacuum: 'off',
  });
  await migrate(server.url, fileURLToPath(new URL('../../migrations', import.meta.url)));
  const pool = new pg.Pool({ connectionString: server.url });
  pool.on('error', () => undefined);
  desk = await openDesk({ url: server.url, pool, drop: () => pool.end() });
  feed = await startNewsFeed(server.url, { DATABASE_CONNECT_TIMEOUT_MS: '500' });
});
afterAll(async () => {
  await feed.close();
  await desk.close();
  await server.destroy();
});

async function crash(): Promise<void> {
  await server.kill();
  await server.start();
  await until('the database answers', () =>
    desk.database.pool.query('select').then(
      () => true,
      () => undefined,
    ),
  );
}

function publish(path: string, names: readonly string[]): void {
  const entries = names.map((name) => ({ guid: name, title: name, link: `https://source.example/${name}` }));
  desk.host.set(path, { body: rss(entries) });
}

test('what a crash of the database takes back is made again, as it was', async () => {
  publish('/plain', ['one', 'two', 'three']);
  const id = await desk.add('/plain', { select: 'none' });
  await desk.poll(id);
  const before = await desk.items();
  expect(before.map(({ title }) => title)).toEqual(['one', 'three', 'two']);
  await crash();
  // The commit was not waited for; without that, this test would show nothing.
  expect(await desk.items()).toEqual([]);
  desk.now.value = new Date(desk.now.value.getTime() + LEASE_MS);
  await desk.poll(id);
  expect(await desk.items()).toEqual(before);
});

test('a crash takes nothing back that a follower of the selected set has seen', async () => {
  publish('/selected', ['chosen']);
  const id = await desk.add('/selected', { select: 'all' });
  const titles = async () => {
    const { status, body } = await send(feed.url + SNAPSHOT);
    return status === 200 ? body.items.map(({ title }: { title: string }) => title) : [];
  };
  await desk.poll(id);
  await until('it is shown', async () => (await titles()).includes('chosen'));
  await crash();
  expect((await desk.items()).map(({ title }) => title)).toContain('chosen');
  await until('it is still shown', async () => (await titles()).includes('chosen'));
});
