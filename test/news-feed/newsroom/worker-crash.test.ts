import { fileURLToPath } from 'node:url';
import { migrate } from '@pressroom/common/database/migrations';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rss } from '../../support/feed-host.ts';
import { send } from '../../support/http.ts';
import { type RunningNewsFeed, startNewsFeed } from '../../support/news-feed.ts';
import { OwnPostgres } from '../../support/own-postgres.ts';
import { type Desk, openDesk } from '../../support/polling.ts';
import { until } from '../../support/until.ts';

const SNAPSHOT = '/api/v1/selected/snapshot';

let server: OwnPostgres;
let desk: Desk;
let feed: RunningNewsFeed;

beforeAll(async () => {
  // Commits that do not wait for the disk reach it long after.
  server = await OwnPostgres.create(undefined, {
    wal_writer_delay: '10s',
    wal_writer_flush_after: '64MB',
    autovacuum: 'off',
  });
  await migrate(server.url, fileURLToPath(new URL('../../../migrations', import.meta.url)));
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
  // The WAL writer may come by between the commit and the crash, but hardly each time.
  for (let attempt = 1; ; attempt += 1) {
    publish(`/plain-${attempt}`, [`${attempt}a`, `${attempt}b`, `${attempt}c`]);
    const id = await desk.add(`/plain-${attempt}`, { select: 'none' });
    await desk.poll(id);
    const before = await desk.items();
    expect(before).toHaveLength(3 * attempt);
    await crash();
    const left = await desk.items();
    if (left.length === before.length && attempt < 5) continue;
    // The commit was not waited for; without that, this test would show nothing.
    expect(left).toHaveLength(3 * (attempt - 1));
    // The leases of the entries end.
    await desk.database.pool.query("update news.source_entry set retry_at = now() where state = 'pending'");
    await desk.poll(id);
    expect(await desk.items()).toEqual(before);
    return;
  }
});

test('a crash takes nothing back that is in the selected set, though nobody had asked for it', async () => {
  publish('/selected', ['chosen']);
  const id = await desk.add('/selected', { select: 'all' });
  await desk.poll(id);
  await crash();
  expect((await desk.items()).map(({ title }) => title)).toContain('chosen');
  await until('it is shown', async () => {
    const { status, body } = await send(feed.url + SNAPSHOT);
    return status === 200 && body.items.some(({ title }: { title: string }) => title === 'chosen');
  });
});
