import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type ContentFixture, contentFixture, startContent } from '../support/content.ts';
import { send } from '../support/http.ts';
import { needsNginx } from '../support/needs-nginx.ts';
import { itemRow, type NewsFeedFixture, newsFeedFixture } from '../support/news-feed.ts';
import { proxyDatabase } from '../support/proxied-database.ts';
import { type RunningProxy, startProxy, upstreamOf } from '../support/proxy.ts';
import { type ShortLived, shortLived } from '../support/short-lived.ts';
import { until } from '../support/until.ts';

needsNginx();

/** Stands for the 60 seconds of `s-maxage`, and for those of `stale-while-revalidate`. */
const SECONDS = 2;

let content: ContentFixture;
let news: NewsFeedFixture;
let relay: ShortLived;
let proxy: RunningProxy | undefined;

beforeAll(async () => {
  content = await contentFixture({ TRUST_PROXY: '1' });
  news = await newsFeedFixture({ TRUST_PROXY: '1' });
  relay = await shortLived(content.url, SECONDS);
  proxy = await startProxy({
    CONTENT_UPSTREAM: upstreamOf(relay.url),
    NEWS_FEED_UPSTREAM: upstreamOf(news.url),
  });
});

afterAll(async () => {
  await proxy?.close();
  await relay.close();
  await content.close();
  await news.close();
});

/** Reads a path through the proxy. */
const read = (path: string, headers: Record<string, string> = {}) =>
  send(`${proxy?.url}${path}`, { headers });

/** The status of every request to `path`, one after the other, until it has been 404 for a second. */
async function statusesUntilGone(path: string): Promise<{ sentAfterMs: number; status: number }[]> {
  const begun = performance.now();
  const statuses: { sentAfterMs: number; status: number }[] = [];
  let goneAt: number | undefined;
  await until(`${path} is gone`, async () => {
    const sentAfterMs = performance.now() - begun;
    const { status } = await read(path);
    statuses.push({ sentAfterMs, status });
    if (status !== 404) goneAt = undefined;
    else goneAt ??= sentAfterMs;
    return goneAt !== undefined && sentAfterMs - goneAt > 1000;
  });
  return statuses;
}

test.each([
  ['deleted', (path: string) => content.client.delete(path)],
  ['unpublished', (path: string) => content.client.patch(path, { is_published: false })],
])(
  'an article that is %s is gone within s-maxage and stale-while-revalidate, however often it is asked for',
  async (_what, take) => {
    const { id } = await content.client.article({ is_published: true });
    const path = `/api/articles/${id}`;
    expect((await read(path)).status).toBe(200);
    expect((await take(path)).status).toBe(200);

    const statuses = await statusesUntilGone(path);
    // nginx counts in whole seconds.
    const late = statuses.filter(({ sentAfterMs }) => sentAfterMs > (2 * SECONDS + 1) * 1000);
    expect(late.filter(({ status }) => status !== 404)).toEqual([]);
  },
);

test('what is kept is served without asking the service, and 304 to those who have it', async () => {
  const { id } = await content.client.article({ is_published: true });
  const path = `/api/articles/${id}?`;
  const first = await read(path.slice(0, -1));
  const before = relay.passed();
  // A slow machine may have outlived what is kept: then the service is asked once more.
  const second = await read(path.slice(0, -1), { 'if-none-match': first.headers.get('etag') ?? '' });
  expect(second.status).toBe(304);
  expect(relay.passed() - before).toBeLessThanOrEqual(1);
  expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
});

test('while the database is away, what is kept is served for its stale-while-revalidate, and all else is 503', async () => {
  const database = await proxyDatabase(content.database.url);
  const service = await startContent(database.url, { TRUST_PROXY: '1' });
  const quick = await shortLived(service.url, 1, 600);
  const own = await startProxy({ CONTENT_UPSTREAM: upstreamOf(quick.url) });
  onTestFinished(async () => {
    await own?.close();
    await quick.close();
    await service.close();
    await database.proxy.close();
  });
  const path = `/api/articles/${(await content.client.article({ is_published: true })).id}`;
  const kept = await send(own?.url + path);
  expect(kept.status).toBe(200);

  await database.proxy.refuse();
  await until('the service refuses', async () => (await send(service.url + path)).status === 503);
  await until('the proxy has a stale one only', async () => {
    const { status, text, headers } = await send(own?.url + path);
    expect([status, text]).toEqual([200, kept.text]);
    return /"cache":"(STALE|UPDATING)"/.test((await own?.logged(headers.get('x-request-id') ?? '')) ?? '');
  });
  const other = await send(`${own?.url}/api/articles?per_page=7`);
  expect([other.status, other.headers.get('retry-after')]).toEqual([503, '1']);
});

test('an answer to a key is never kept', async () => {
  const { id } = await content.client.article({ title: 'A draft' });
  const path = `/api/articles/${id}`;
  expect((await read(path, { 'x-api-key': content.key })).status).toBe(200);
  expect((await read(path)).status).toBe(404);
});

test.each([
  ['news', '/api/v1/selected'],
  ['content', '/api/sync'],
])('after a new epoch of %s a mirror finds the new snapshot at once', async (schema, set) => {
  await news.db
    .insertInto('news.item')
    .values(itemRow(`selected-${schema}`, { selected: true }))
    .execute();
  const cursorNow = async () => {
    const { body } = await read(`${set}/snapshot?limit=1`);
    return body.cursor ?? body.meta.cursor;
  };
  const before = await cursorNow();
  expect(await cursorNow()).toBe(before);

  const { pool } = schema === 'news' ? news.database : content.database;
  await pool.query(`select ${schema}.start_ledger_epoch()`);
  const changes = (cursor: string) => read(`${set}/changes?cursor=${cursor}`);
  expect((await changes(before)).body).toMatchObject({ status: 409, code: 'snapshot_required' });
  const after = await cursorNow();
  expect(after).not.toBe(before);
  expect((await changes(after)).status).toBe(200);
});
