import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey, startContent } from '../support/content.ts';
import { ContentClient } from '../support/content-client.ts';
import { FeedHost, rss } from '../support/feed-host.ts';
import { ADMIN, type GalleryFixture, galleryFixture, login, startGallery } from '../support/gallery.ts';
import { HookReceiver } from '../support/hook-receiver.ts';
import { type JsonBody, send } from '../support/http.ts';
import { startNewsroom } from '../support/news-desk.ts';
import { proxyDatabase } from '../support/proxied-database.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const DESK_KEY = 'a-key-of-the-desk-that-nobody-guesses';
const HOUR = 3_600_000;

const proxies = {} as Record<'content' | 'newsroom' | 'store', TcpProxy>;
let direct: GalleryFixture;
let receiver: HookReceiver;
let host: FeedHost;
let client: ContentClient;
/** A replica that reaches everything through a proxy. */
let url: string;
let cookie: string;
const closings: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  direct = await galleryFixture();
  const { database, store } = direct;
  [receiver, host] = await Promise.all([new HookReceiver().start(), FeedHost.start()]);
  const content = await startContent(database.url, {
    DESK_KEY,
    CONTENT_HOOKS_KEY: randomBytes(32).toString('base64'),
    CONTENT_HOOKS_PRIVATE_HOSTS: '127.0.0.1',
  });
  client = new ContentClient(content.url, await createKey(database, 'Test'));
  const newsroom = await startNewsroom(database.url);
  const at: Record<string, string> = {};
  for (const [name, address] of [
    ['content', content.url],
    ['newsroom', newsroom.url],
    ['store', store.endpoint],
  ] as const) {
    const proxied = await proxyDatabase(address);
    [proxies[name], at[name]] = [proxied.proxy, proxied.url];
  }
  const replica = await startGallery({
    ...direct.settings,
    DESK_KEY,
    CONTENT_URL: at.content ?? '',
    NEWSROOM_URL: at.newsroom ?? '',
    S3_ENDPOINT: at.store ?? '',
  });
  ({ url } = replica);
  cookie = await login(url, ADMIN);
  closings.push(
    replica.close,
    ...Object.values(proxies).map((proxy) => () => proxy.close()),
    ...[newsroom.stop, content.close, () => receiver.stop(), () => host.close(), direct.close],
  );
});
afterAll(async () => {
  for (const close of closings) await close();
});

const ask = (path: string, options: object = {}) =>
  send(`${url}${path}`, { headers: { cookie }, ...options });

async function read() {
  const { status, body, headers } = await ask('/api/desk/operations');
  expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store']);
  return body.data;
}

/** The first answer that fulfils a condition: a machine with too much to do misses the deadline. */
async function readWhen(what: string, isMet: (data: JsonBody) => boolean): Promise<JsonBody> {
  let found: JsonBody | undefined;
  await until(what, async () => {
    const data = await read();
    if (isMet(data)) found = data;
    return found !== undefined;
  });
  return found as JsonBody;
}

const allAnswer = ({ content, newsroom, store }: JsonBody) =>
  [content, newsroom, store].every(({ since }) => since === null);

test('where all is well, it says so, with versions', async () => {
  const data = await readWhen('all answer', allAnswer);
  const version = expect.stringMatching(/^\d+\.\d+\.\d+/);
  const ready = { state: 'ready', since: null, version };
  expect(data.content).toEqual({ ...ready, hooks: [], lateSince: null });
  expect(data.newsroom).toMatchObject({ ...ready, workers: 1, failed: [] });
  expect(Date.now() - Date.parse(data.newsroom.lastTurnAt)).toBeLessThan(60_000);
  expect(data.newsroom.schedules.map(({ name }: { name: string }) => name)).toContain('ranking');
  expect(data.newsroom.queues).toContainEqual({ name: 'poll', waiting: 0, running: 0, failed: 0 });
  expect(data.store).toEqual({ answers: true, since: null });
  expect(data.database).toEqual({ bytes: expect.any(Number), version: expect.stringMatching(/^\d+\.\d+$/) });
  expect(data.database.bytes).toBeGreaterThan(1_000_000);
  expect(data.release).toEqual({ version, node: process.version, schema: { state: 'same', names: [] } });
  expect(data.files).toEqual({ running: 0, stopped: [] });
});

test('backups: none, in order, failing, late', async () => {
  const report = (sql: string, ...values: unknown[]) => direct.database.pool.query(sql, values);
  expect((await read()).backups).toMatchObject({ state: 'none', newest: null, failing: [] });
  const ago = (hours: number) => new Date(Date.now() - hours * HOUR);
  await report(
    `insert into gallery.backup_report
       (reported_at, kept, made_at, bytes, encrypted, verified_at, due_at, failing, disk_free, disk_size)
     values (now(), 3, $1, 5000000000, true, $1, $2, '{}', 10, 100)`,
    ...[ago(25), ago(1)],
  );
  expect((await read()).backups).toEqual({
    ...{ state: 'ok', reportedAt: expect.any(String), kept: 3, dueAt: expect.any(String) },
    newest: { madeAt: expect.any(String), bytes: 5_000_000_000, encrypted: true },
    ...{ verifiedAt: expect.any(String), failing: [], disk: { free: 10, size: 100 } },
  });
  const since = ago(3).toISOString();
  await report('update gallery.backup_report set failing = $1', JSON.stringify({ copy: since }));
  expect((await read()).backups).toMatchObject({ state: 'failing', failing: [{ step: 'copy', since }] });
  await report('update gallery.backup_report set due_at = $1', ago(2.1));
  expect((await read()).backups).toMatchObject({ state: 'late', failing: [{ step: 'copy', since }] });
});

test('a hook that fails is named by its host, and delivers again when that is tried', async () => {
  receiver.answer = (response) => response.writeHead(500).end();
  const address = `${receiver.url}?token=a-secret-of-the-hook`;
  const { id } = (await client.post('/api/hooks', { url: address, events: ['article.*'] })).body.data;
  await client.publish({ title: 'The gauge' });
  const hookWhen = async (what: string, isMet: (hook: JsonBody) => boolean) =>
    (await readWhen(what, ({ content }) => content.hooks.some(isMet))).content.hooks[0];
  const found = await hookWhen('the hook fails', ({ state }) => state === 'failing');
  expect(found).toMatchObject({ id, host: new URL(address).host, since: null, waiting: 2 });
  expect(found.failures).toBeGreaterThan(0);
  expect(Date.parse(found.againAt)).toBeGreaterThan(Date.now());
  expect(Date.now() - Date.parse(found.waitingSince)).toBeLessThan(600_000);
  const { text } = await ask('/api/desk/operations');
  for (const secret of ['a-secret-of-the-hook', DESK_KEY, direct.store.secretAccessKey])
    expect(text).not.toContain(secret);

  receiver.answer = (response) => response.writeHead(204).end();
  const again = { method: 'PATCH', json: { is_paused: false } };
  for (const _ of ['once', 'twice'])
    expect((await ask(`/api/desk/content/hooks/${id}`, again)).status).toBe(200);
  expect(await hookWhen('nothing waits', ({ waiting }) => waiting === 0)).toMatchObject({
    state: 'ok',
    failures: 0,
    againAt: null,
    waitingSince: null,
  });
});

test('a source that cannot be read is named, and a schedule that failed', async () => {
  host.set('/feed.xml', { status: 500 });
  const json = { url: host.at('/feed.xml'), name: 'The coast' };
  const { id } = (await ask('/api/desk/newsroom/sources', { method: 'POST', json })).body;
  await direct.database.pool.query(
    `insert into news.schedule (name, failures, last_error, last_error_code, retry_at)
     values ('daily', 1, 'x', 'temporarily_unavailable', now() + interval '1 day')
     on conflict (name) do update set failures = 1, last_error = 'x', retry_at = excluded.retry_at,
       last_error_code = excluded.last_error_code`,
  );
  const failing = await readWhen('both fail', ({ newsroom }) => newsroom.failed.length === 2);
  const { failed, queues, schedules } = failing.newsroom;
  expect(failed).toEqual([
    {
      ...{ queue: 'poll', source: { id: Number(id), name: 'The coast' } },
      ...{ failures: expect.any(Number), againAt: expect.any(String), code: 'source_answers_error' },
    },
    {
      ...{ queue: 'schedule', source: null, failures: 1, againAt: expect.any(String) },
      code: 'temporarily_unavailable',
    },
  ]);
  expect(queues.find(({ name }: { name: string }) => name === 'poll').failed).toBe(1);
  expect(schedules.find(({ name }: { name: string }) => name === 'daily')).toMatchObject({
    state: 'failing',
    code: 'temporarily_unavailable',
  });

  host.set('/feed.xml', { body: rss([{ guid: '1' }]) });
  const again = { method: 'POST', json: {} };
  expect((await ask(`/api/desk/newsroom/sources/${id}/resume`, again)).status).toBe(200);
  await readWhen('the source is read', ({ newsroom }) => newsroom.failed.length === 1);
});

test('what hangs or is away is named, since when, on every replica, and the rest is told', async () => {
  proxies.newsroom.pause();
  await proxies.store.refuse();
  const first = await readWhen('content answers', ({ content }) => content.state === 'ready');
  expect(first.newsroom).toMatchObject({ state: 'unavailable', version: null, workers: null, failed: [] });
  expect(first.store).toEqual({ answers: false, since: expect.any(String) });
  await proxies.content.refuse();
  const second = await read();
  expect(second.newsroom.since).toBe(first.newsroom.since);
  expect(second.store.since).toBe(first.store.since);
  expect(second.content).toMatchObject({ state: 'unavailable', hooks: [] });
  expect(Date.now() - Date.parse(second.content.since)).toBeLessThan(600_000);

  await Promise.all([proxies.content.accept(), proxies.store.accept()]);
  proxies.newsroom.resume();
  await readWhen('all answer again', allAnswer);
});

test('without the other services they are said to be not configured', async () => {
  const { data } = (await direct.ask('/api/desk/operations')).body;
  expect(data.content).toMatchObject({ state: 'not_configured', since: null });
  expect(data.newsroom).toMatchObject({ state: 'not_configured', since: null });
});

test('a database that a newer release has migrated is named as such, and one that lacks a migration', async () => {
  const { pool } = direct.database;
  await pool.query(`insert into pressroom.migration_file (name, checksum) values ('9999_ahead', 'x')`);
  expect((await read()).release.schema).toEqual({ state: 'newer', names: ['9999_ahead'] });
  await pool.query(
    `delete from pressroom.migration_file where name in ('9999_ahead', '0035_content_drafts')`,
  );
  expect((await read()).release.schema).toEqual({ state: 'behind', names: ['0035_content_drafts'] });
});
