import { createHmac, randomBytes } from 'node:crypto';
import { serveCallback } from '@pressroom/news-feed/reading/websub-callback';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rss } from '../support/feed-host.ts';
import { send } from '../support/http.ts';
import { memoryLog } from '../support/log.ts';
import { needsNginx } from '../support/needs-nginx.ts';
import { type Desk, openDesk } from '../support/polling.ts';
import { type RunningProxy, startProxy } from '../support/proxy.ts';

needsNginx();

const TOKEN = randomBytes(32).toString('base64url');
const SECRET = randomBytes(32).toString('base64url');

let desk: Desk;
let worker: Awaited<ReturnType<typeof serveCallback>>;
let proxy: RunningProxy | undefined;
let source: number;

beforeAll(async () => {
  desk = await openDesk();
  const { log } = memoryLog('newsroom');
  worker = await serveCallback({ db: desk.db, clock: desk.parts.clock, log }, 0, '127.0.0.1');
  desk.host.set('/feed', { body: rss([{ guid: 'one' }]) });
  source = await desk.add('/feed');
  await desk.poll(source);
  const subscription = {
    source_id: source,
    hub: desk.host.at('/hub'),
    topic: desk.host.at('/feed'),
    token: TOKEN,
    secret: SECRET,
    ask_at: desk.now.value,
  };
  await desk.db.insertInto('news.websub_subscription').values(subscription).execute();
  proxy = await startProxy({ NEWSROOM_UPSTREAM: `127.0.0.1:${worker.port}` });
});

afterAll(async () => {
  await proxy?.close();
  worker.close();
  await desk.close();
});

/** A hub notifies, with a body of so many bytes. */
function notify(path: string, bytes = 100) {
  const raw = Buffer.alloc(bytes, 'x');
  const signature = `sha256=${createHmac('sha256', SECRET).update(raw).digest('hex')}`;
  return send(`${proxy?.url}${path}`, { method: 'POST', raw, headers: { 'x-hub-signature': signature } });
}

test.each([
  ['the one address', undefined],
  ["the news feed's own name", 'news-feed.site.example'],
])('a hub that asks at %s hears from the worker', async (_what, host) => {
  const query = `hub.mode=denied&hub.topic=${encodeURIComponent(desk.host.at('/feed'))}&hub.reason=full`;
  const { statusCode } = await request(`${proxy?.url}/websub/${TOKEN}?${query}`, {
    headers: host === undefined ? {} : { host },
  });
  expect(statusCode).toBe(200);
});

test('a signed notification through the proxy triggers an immediate poll', async () => {
  desk.now.value = new Date(desk.now.value.getTime() + 60_000);
  expect((await notify(`/websub/${TOKEN}`)).status).toBe(202);
  expect((await desk.source(source)).next_poll_at).toEqual(desk.now.value);
});

test('a notification as large as the worker takes passes, and a larger one is a problem', async () => {
  expect((await notify(`/websub/${TOKEN}`, 10 * 2 ** 20)).status).toBe(202);
  const { status, body } = await notify(`/websub/${TOKEN}`, 10 * 2 ** 20 + 1);
  expect([status, body.code]).toEqual([413, 'payload_too_large']);
});

test.each(['/websub', '/websub/', '/websub/short', `/websub/${TOKEN}/more`])(
  '%s is not a callback, and the proxy says so itself',
  async (path) => {
    const { status, body } = await notify(path);
    expect([status, body.code]).toEqual([404, 'not_found']);
  },
);

test('the address of a callback, by which anybody could speak for the hub, is not logged', async () => {
  const id = randomBytes(8).toString('hex');
  await send(`${proxy?.url}/websub/${TOKEN}?hub.mode=none`, { headers: { 'x-request-id': id } });
  const line = (await proxy?.logged(id)) ?? '';
  expect(line).not.toContain(TOKEN);
  expect(JSON.parse(line)).toMatchObject({ path: '/websub/…', status: 404 });
});
