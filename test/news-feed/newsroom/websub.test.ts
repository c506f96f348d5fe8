import { createHmac } from 'node:crypto';
import { removeSource } from '@pressroom/news-feed/reading/sources';
import { FETCH_LIMITS, WebFetcher } from '@pressroom/news-feed/reading/web-fetcher';
import { askHubs } from '@pressroom/news-feed/reading/websub';
import { serveCallback } from '@pressroom/news-feed/reading/websub-callback';
import { failedJobs } from '@pressroom/news-feed/work/status';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { rss } from '../../support/feed-host.ts';
import { memoryLog } from '../../support/log.ts';
import { type Desk, openDesk } from '../../support/polling.ts';
import { exchange } from '../../support/raw-http.ts';
import { until } from '../../support/until.ts';

let desk: Desk;
let fetcher: WebFetcher;
let callback: Awaited<ReturnType<typeof serveCallback>>;
/** Requests to the hub, in order. */
let asked: URLSearchParams[] = [];
/** The hub's status; 202 accepts. */
let hubStatus = 202;

const NO_SIGNAL = new AbortController().signal;
const HOUR = 3_600_000;

beforeAll(async () => {
  desk = await openDesk();
  desk = desk.with({ subscribes: true });
  fetcher = new WebFetcher({ ...FETCH_LIMITS, privateHosts: ['127.0.0.1'] });
  const { log } = memoryLog('newsroom');
  callback = await serveCallback({ db: desk.db, clock: desk.parts.clock, log }, 0, '127.0.0.1');
});

afterAll(async () => {
  callback.close();
  await fetcher.close();
  await desk.close();
});

beforeEach(async () => {
  await desk.clear();
  await desk.db.deleteFrom('news.websub_subscription').execute();
  asked = [];
  hubStatus = 202;
  desk.host.set('/hub', async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    asked.push(new URLSearchParams(body));
    response.writeHead(hubStatus).end();
  });
  desk.host.set('/feed', { body: feed('one') });
});

function feed(...guids: string[]): string {
  const channel = [
    `<atom:link xmlns:atom="http://www.w3.org/2005/Atom" rel="hub" href="${desk.host.at('/hub')}"/>`,
    `<atom:link xmlns:atom="http://www.w3.org/2005/Atom" rel="self" href="${desk.host.at('/feed')}"/>`,
  ].join('');
  return rss(
    guids.map((guid) => ({ guid })),
    { channel },
  );
}

/** Lets the newsroom ask the hubs for what is due. */
function ask(): Promise<number> {
  const callbackUrl = `http://127.0.0.1:${callback.port}`;
  return askHubs({ db: desk.db, post: fetcher.post, callbackUrl }, NO_SIGNAL);
}

/** Lets time pass for the subscriptions, which go by the database's clock. */
async function pass(hours: number): Promise<void> {
  await sql`update news.websub_subscription set ask_at = ask_at - ${hours} * interval '1 hour'`.execute(
    desk.db,
  );
}

/** The hub asks whether the newsroom wants what it was last asked for. */
async function verify(changes: Record<string, string> = {}) {
  const request = asked.at(-1);
  const url = new URL(request?.get('hub.callback') ?? '');
  const query = {
    'hub.mode': request?.get('hub.mode') ?? '',
    'hub.topic': request?.get('hub.topic') ?? '',
    'hub.challenge': 'a challenge',
    'hub.lease_seconds': '7200',
    ...changes,
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
}

/** The hub notifies; `sign` is the key of its signature. */
function notify(
  sign: string,
  { method = 'sha256', callbackUrl = asked.at(-1)?.get('hub.callback') ?? '' } = {},
) {
  const body = feed('one', 'two');
  const signature = `${method}=${createHmac(method, sign).update(body).digest('hex')}`;
  return fetch(callbackUrl, { method: 'POST', body, headers: { 'x-hub-signature': signature } });
}

async function subscribed(): Promise<{ id: number; secret: string }> {
  const id = await desk.add('/feed');
  await desk.poll(id);
  await ask();
  expect(await verify()).toEqual({ status: 200, text: 'a challenge' });
  return { id, secret: asked.at(-1)?.get('hub.secret') ?? '' };
}

test('a feed that names a hub is subscribed, once the hub has verified that the newsroom wants it', async () => {
  await subscribed();
  expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({
    'hub.mode': 'subscribe',
    'hub.topic': desk.host.at('/feed'),
    'hub.secret': expect.stringMatching(/^[\w-]{43}$/),
    'hub.callback': expect.stringMatching(/\/websub\/[\w-]{43}$/),
  });
  expect(await ask()).toBe(0);
});

test('a hub on a private host is asked for sources that an editor gave such a host alone', async () => {
  const id = await desk.add('/feed');
  await desk.poll(id);
  const given_url = 'https://public.example/feed';
  await desk.db.updateTable('news.source').set({ given_url }).where('id', '=', id).execute();
  expect(await ask()).toBe(1);
  expect(asked).toEqual([]);
  const { last_error } = await desk.db
    .selectFrom('news.websub_subscription')
    .select('last_error')
    .executeTakeFirstOrThrow();
  expect(last_error).toMatch(/127\.0\.0\.1 is not public/);
});

test('a signed notification triggers an immediate poll, and its text is not taken', async () => {
  const { id, secret } = await subscribed();
  desk.now.value = new Date(desk.now.value.getTime() + HOUR / 60);
  expect((await notify(secret)).status).toBe(202);
  expect((await desk.source(id)).next_poll_at).toEqual(desk.now.value);
  // The hub's push named a second entry; the feed itself does not.
  await desk.poll(id);
  expect((await desk.items()).map(({ title }) => title)).toEqual(['Title of one']);
});

test.each([
  ['another key', 'not the secret', 'sha256'],
  ['SHA-1', undefined, 'sha1'],
])('a notification signed with %s changes nothing', async (_name, key, method) => {
  const { id, secret } = await subscribed();
  const before = (await desk.source(id)).next_poll_at;
  desk.now.value = new Date(desk.now.value.getTime() + HOUR / 60);
  expect((await notify(key ?? secret, { method })).status).toBe(202);
  expect((await desk.source(id)).next_poll_at).toEqual(before);
});

test('a notification to an unknown address is 410', async () => {
  await subscribed();
  const callbackUrl = `http://127.0.0.1:${callback.port}/websub/${'x'.repeat(43)}`;
  expect((await notify('any', { callbackUrl })).status).toBe(410);
});

test('a hub that notifies all the time does not make the source be polled more than every 10 s', async () => {
  const { id, secret } = await subscribed();
  desk.now.value = new Date(desk.now.value.getTime() + HOUR / 60);
  await notify(secret);
  await desk.poll(id);
  const polled = desk.now.value.getTime();
  desk.now.value = new Date(polled + 1000);
  await notify(secret);
  expect((await desk.source(id)).next_poll_at).toEqual(new Date(polled + 10_000));
});

test.each([
  ['has news', ['one', 'two']],
  ['has not changed', ['one']],
])(
  'a notification while the source is polled, which %s, makes it be polled again soon',
  async (_what, guids) => {
    const { id, secret } = await subscribed();
    desk.host.set('/feed', async (_request, response) => {
      await notify(secret);
      response.writeHead(200).end(feed(...guids));
    });
    await desk.poll(id);
    expect((await desk.source(id)).next_poll_at).toEqual(new Date(desk.now.value.getTime() + 10_000));
    desk.host.set('/feed', { body: feed('one', 'two', 'three') });
    await desk.poll(id);
    expect((await desk.source(id)).next_poll_at.getTime()).toBeGreaterThan(desk.now.value.getTime() + 10_000);
  },
);

test('a notification that changes nothing is not announced to the workers', async () => {
  const { id, secret } = await subscribed();
  const client = await desk.database.pool.connect();
  const heard: unknown[] = [];
  client.on('notification', ({ payload }) => heard.push(payload));
  await client.query('listen newsroom_due');
  const due = { next_poll_at: new Date(0), last_polled_at: new Date(0) };
  await desk.db.updateTable('news.source').set(due).where('id', '=', id).execute();
  for (let sent = 0; sent < 3; sent += 1) await notify(secret);
  await client.query("notify newsroom_due, 'end'");
  await until('the last is heard', () => heard.includes('end'));
  client.release(true);
  expect(heard).toEqual(['', 'end']);
});

test('a subscription that nobody asked for is not verified', async () => {
  const id = await desk.add('/feed');
  await desk.poll(id);
  await ask();
  expect((await verify({ 'hub.topic': 'https://other.example/' })).status).toBe(404);
  expect((await verify({ 'hub.mode': 'unsubscribe' })).status).toBe(404);
  expect((await verify({ 'hub.challenge': '' })).status).toBe(404);
  expect(await verify()).toEqual({ status: 200, text: 'a challenge' });
});

test('a lease is renewed before it ends', async () => {
  await subscribed();
  await pass(1.4);
  expect(await ask()).toBe(0);
  await pass(0.2);
  expect(await ask()).toBe(1);
  expect(asked[1]?.get('hub.callback')).toBe(asked[0]?.get('hub.callback'));
  expect((await verify()).status).toBe(200);
  expect(await ask()).toBe(0);
});

test('a hub that fails is asked again later', async () => {
  hubStatus = 500;
  const id = await desk.add('/feed');
  await desk.poll(id);
  await ask();
  expect(await ask()).toBe(0);
  const row = await desk.db.selectFrom('news.websub_subscription').selectAll().executeTakeFirstOrThrow();
  expect(row).toMatchObject({ source_id: id, last_error: 'the hub answered with status 500' });
  expect(await failedJobs(desk.db)).toMatchObject([{ queue: 'websub', code: 'hub_answers_error' }]);
  await pass(1);
  hubStatus = 202;
  expect(await ask()).toBe(1);
  expect((await verify()).status).toBe(200);
});

test('removing a source ends its subscription', async () => {
  const { id } = await subscribed();
  await removeSource(desk.db, id);
  await pass(1);
  expect(await ask()).toBe(1);
  expect(asked.at(-1)?.get('hub.mode')).toBe('unsubscribe');
  expect((await verify()).status).toBe(200);
  expect(await desk.db.selectFrom('news.websub_subscription').selectAll().execute()).toEqual([]);
});

test('a feed that moves to another hub ends the subscription at the first', async () => {
  const { id } = await subscribed();
  desk.host.set('/other-hub', { status: 202 });
  desk.host.set('/feed', { body: feed('one', 'two').replace('/hub"', '/other-hub"') });
  await desk.poll(id);
  await pass(1);
  await ask();
  expect(asked.at(-1)?.get('hub.mode')).toBe('unsubscribe');
  expect(desk.host.to('/other-hub')).toHaveLength(1);
});

test('a hub at a private address is not asked', async () => {
  const guarded = new WebFetcher({ ...FETCH_LIMITS, privateHosts: [] });
  try {
    const hub = desk.host.at('/hub');
    await expect(guarded.post(hub, new URLSearchParams(), NO_SIGNAL, hub)).rejects.toThrow('private');
  } finally {
    await guarded.close();
  }
});

test('whatever else is asked of the callback gets an answer that is no fault of it', async () => {
  await subscribed();
  const own = new URL(asked[0]?.get('hub.callback') ?? '').pathname;
  const ask = (line: string, head = '') =>
    exchange(
      `http://127.0.0.1:${callback.port}`,
      `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${head}\r\n`,
    );
  for (const [line, head, status] of [
    [`GET ${own}%00`, '', 404],
    [`GET ${own}?hub.topic=%ff%fe%`, '', 404],
    ['GET /websub/%E0%A4%A', '', 404],
    ['GET //[', '', 404],
    ['GET http://[::1', '', 404],
    ['OPTIONS *', '', 404],
    [`PUT ${own}`, '', 405],
    [`HEAD ${own}`, '', 405],
    [`GET ${own}?${'x'.repeat(20_000)}`, '', 431],
    [`GET ${own}`, `X-Long: ${'x'.repeat(20_000)}\r\n`, 431],
    [`GET ${own}?\x00`, '', 400],
    [`POST ${own}`, 'Transfer-Encoding: chunked\r\nContent-Length: 3\r\n', 400],
  ] as const) {
    expect([line.slice(0, 60), /^HTTP\/1\.1 (\d+)/.exec(await ask(line, head))?.[1]]).toEqual([
      line.slice(0, 60),
      String(status),
    ]);
  }
});

test.each(['hub.topic', 'hub.mode', 'hub.challenge', 'hub.reason', 'hub.lease_seconds', 'x%00'])(
  'a NUL character in %s is refused, and changes nothing',
  async (name) => {
    await subscribed();
    const address = asked[0]?.get('hub.callback');
    for (const mode of ['subscribe', 'denied']) {
      const query = `hub.topic=${encodeURIComponent(desk.host.at('/feed'))}&hub.challenge=c&${name}=%00`;
      const { status } = await fetch(`${address}?hub.mode=${mode}&${query}`);
      expect(status).toBe(400);
    }
    const { last_error } = await desk.db
      .selectFrom('news.websub_subscription')
      .select('last_error')
      .executeTakeFirstOrThrow();
    expect(last_error).toBeNull();
  },
);
