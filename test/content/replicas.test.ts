import { ApiKeyStore } from '@pressroom/content/api-keys';
import type { ContentTables } from '@pressroom/content/tables';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type ContentFixture,
  contentFixture,
  type RunningContent,
  startContent,
} from '../support/content.ts';
import { send } from '../support/http.ts';
import { until } from '../support/until.ts';

let content: ContentFixture;
let replica: RunningContent;
beforeAll(async () => {
  content = await contentFixture();
  replica = await startContent(content.database.url);
});
afterAll(async () => {
  await replica.close();
  await content.close();
});

/** Counts the services' statements that PostgreSQL has run in this database, except heartbeats. */
async function statements(): Promise<number> {
  const { rows } = await content.database.pool.query(
    `select idx_scan::int + coalesce(seq_scan, 0)::int as scans from pg_stat_user_tables
     where schemaname = 'content' and relname = 'list_count'`,
  );
  return rows[0].scans;
}

let category: number;
let path: string;
beforeEach(async () => {
  category ??= (await content.client.category({ name: 'Replicated' })).id;
  const { body } = await content.client.publish({ title: 'Seen everywhere', category_id: category });
  path = `/api/articles/${body.data.id}`;
});

test('a write is seen by the next read of the replica that made it', async () => {
  for (let round = 0; round < 20; round += 1) {
    await send(`${content.url}${path}`);
    await content.client.patch(path, { excerpt: `Round ${round}` });
    const { body } = await send(`${content.url}${path}`);
    expect(body.data.excerpt).toBe(`Round ${round}`);
  }
});

test('a write is seen by another replica, in the detail, the lists and the categories', async () => {
  const urls = [path, '/api/articles', '/api/categories', `/api/categories/${category}`];
  for (const url of urls) {
    const before = await send(`${replica.url}${url}`);
    await content.client.patch(path, { title: `Changed for ${url}` });
    await content.client.patch(`/api/categories/${category}`, { name: `Named for ${url}` });
    await until(`${url} differs`, async () => {
      const after = await send(`${replica.url}${url}`, {
        headers: { 'if-none-match': before.headers.get('etag') ?? '' },
      });
      return after.status === 200;
    });
  }
});

test('a change made directly in SQL is seen too', async () => {
  await send(`${content.url}${path}`);
  await content.database.pool.query(`update content.article set excerpt = 'By hand' where id = $1`, [
    path.split('/').at(-1),
  ]);
  await until(
    'the change is seen',
    async () => (await send(`${content.url}${path}`)).body.data.excerpt === 'By hand',
  );
});

test('a hot read costs no query', async () => {
  const read = () => send(`${content.url}/api/articles?per_page=7`);
  await read();
  const settled = await until('the statistics are written', async () => {
    await content.database.pool.query('select pg_stat_force_next_flush()');
    const before = await statements();
    await read();
    return (await statements()) === before ? before : undefined;
  });
  for (let index = 0; index < 200; index += 1) await read();
  expect(await statements()).toBe(settled);
});

test('a reader never gets a state that was outdated before the request was sent', async () => {
  let written = 0;
  let stop = false;
  const writer = (async () => {
    while (!stop) {
      const next = written + 1;
      await content.client.patch(path, { excerpt: String(next) });
      written = next;
    }
  })();
  for (let index = 0; index < 300; index += 1) {
    const known = written;
    const { body } = await send(`${content.url}${path}`);
    expect(Number(body.data.excerpt ?? 0)).toBeGreaterThanOrEqual(known);
  }
  stop = true;
  await writer;
});

test('a key works on every replica once it is made, and on none 5 s after it is revoked', async () => {
  const pool = content.database.pool;
  const keys = new ApiKeyStore(new Kysely<ContentTables>({ dialect: new PostgresDialect({ pool }) }));
  const { key } = await keys.create({ name: 'Somebody' });
  const statuses = () =>
    Promise.all(
      [content, replica].map(async ({ url }) => {
        const headers = { 'x-api-key': key };
        return (await send(`${url}/api/articles?status=draft`, { headers })).status;
      }),
    );
  expect(await statuses()).toEqual([200, 200]);
  await keys.revoke(key.slice(3, 11));
  const revoked = performance.now();
  await until('5 s have passed', () => performance.now() >= revoked + 5000);
  expect(await statuses()).toEqual([403, 403]);
});
