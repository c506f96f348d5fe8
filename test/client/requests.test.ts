import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ApiClient,
  ConnectionError,
  contentClient,
  galleryClient,
  isProblem,
  memoryCache,
  newsFeedClient,
  ProblemError,
  suggest,
  withCookies,
} from '@pressroom/client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { ADMIN, type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../support/news-feed.ts';

let content: ContentFixture;
let feed: NewsFeedFixture;
let gallery: GalleryFixture;
beforeAll(async () => {
  [content, feed, gallery] = await Promise.all([contentFixture(), newsFeedFixture(), galleryFixture()]);
});
afterAll(() => Promise.all([content, feed, gallery].map((fixture) => fixture?.close())));

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

interface Ping {
  '/ping': { get: Pinged; post: Pinged };
}
interface Pinged {
  parameters: { query?: never; path?: never };
  requestBody?: never;
  responses: { 200: { content: { 'application/json': { pong: number } } } };
}

/** A server that gives `answers` in turn, a client of it, and what it waited between its attempts. */
async function inTurn(...answers: ((response: ServerResponse, request: IncomingMessage) => void)[]) {
  let requests = 0;
  const server = createServer((request, response) => {
    answers[requests++]?.(response, request);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    server.closeAllConnections();
    await once(server.close(), 'close');
  });
  const waits: number[] = [];
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const retry = { random: () => 0.5, wait: async (ms: number) => void waits.push(ms) };
  return { baseUrl, client: new ApiClient<Ping>({ baseUrl, retry }), waits, requests: () => requests };
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}) => {
  return (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};
const problem = (status: number, headers: Record<string, string> = {}) =>
  json(
    status,
    { type: 'about:blank', title: 'No', status, detail: 'not now', code: 'later', requestId: 'r' },
    headers,
  );
const cut = (response: ServerResponse) => response.destroy();

test('reads and writes, typed by the description, and throws problems', async () => {
  const site = contentClient({ baseUrl: content.url, headers: { 'X-API-Key': content.key } });
  const body = { title: 'A first', content: `<p>${'word '.repeat(20)}</p>` };
  const created = await site.post('/api/articles', { body, idempotencyKey: 'once' });
  expect(await site.post('/api/articles', { body, idempotencyKey: 'once' })).toEqual(created);
  const { id } = created.data;
  const read = await site.request('get', '/api/articles/{id}', { path: { id } });
  expect(read.body.data.title).toBe('A first');
  const etag = read.headers.get('etag') ?? '';
  const changed = await site.patch('/api/articles/{id}', {
    path: { id },
    body: { title: 'B' },
    headers: { 'If-Match': etag },
  });
  expect(changed.data.title).toBe('B');

  const faulty = await site
    .patch('/api/articles/{id}', { path: { id }, body: { title: '' } })
    .catch((error) => error);
  expect(faulty).toBeInstanceOf(ProblemError);
  expect(faulty).toMatchObject({
    status: 422,
    code: 'validation_failed',
    errors: [{ field: 'title', code: 'required' }],
  });
  expect(faulty.requestId).toMatch(/./);
  expect(isProblem(faulty, 'validation_failed')).toBe(true);
  expect(isProblem(faulty, 'slug_taken')).toBe(false);
  const anonymous = contentClient({ baseUrl: content.url });
  await expect(anonymous.delete('/api/articles/{id}', { path: { id } })).rejects.toMatchObject({
    status: 401,
  });
});

test('escapes what goes into the address', async () => {
  const site = newsFeedClient({ baseUrl: feed.url });
  expect(site.url('/api/v1/stories/{publicId}', { path: { publicId: 'a/b?c' } })).toBe(
    `${feed.url}/api/v1/stories/a%2Fb%3Fc`,
  );
  const { query } = await site.get('/api/v1/items', { query: { mode: 'all', q: 'a&b=c +%' } });
  expect(query.q).toBe('a&b=c +%');
});

test('keeps the session in Node, and forgets it at the logout', async () => {
  const admin = galleryClient({ baseUrl: gallery.url, fetch: withCookies() });
  await expect(admin.get('/api/settings/buckets')).rejects.toMatchObject({
    status: 401,
    code: 'unauthorized',
  });
  await admin.post('/api/login', { body: ADMIN });
  expect((await admin.get('/api/settings/buckets')).data.runtime.activeBucketId).toBe('default');
  await admin.post('/api/logout');
  await expect(admin.get('/api/settings/buckets')).rejects.toMatchObject({ status: 401 });
});

test('asks with If-None-Match, and answers 304 from the cache that it is given', async () => {
  const statuses: number[] = [];
  const site = newsFeedClient({
    baseUrl: feed.url,
    cache: memoryCache(),
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      statuses.push(response.status);
      return response;
    },
  });
  const first = await site.get('/api/v1/items');
  expect(await site.get('/api/v1/items')).toEqual(first);
  expect(statuses).toEqual([200, 304]);
});

test('follows a slug that has moved, and asks with If-None-Match there too', async () => {
  const statuses: number[] = [];
  const site = contentClient({
    baseUrl: content.url,
    cache: memoryCache(),
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      statuses.push(response.status);
      return response;
    },
  });
  const { id } = (await content.client.publish({ title: 'Where it was' })).body.data;
  await content.client.patch(`/api/articles/${id}`, { slug: 'where-it-is' });
  const read = () => site.get('/api/articles/by-slug/{slug}', { path: { slug: 'where-it-was' } });
  const first = await read();
  expect(first.data).toMatchObject({ id, slug: 'where-it-is' });
  expect(await read()).toEqual(first);
  expect(statuses).toEqual([200, 304]);
});

test('a cache in memory keeps what was used last', () => {
  const cache = memoryCache(2);
  for (const name of ['a', 'b']) cache.set(name, { etag: name, text: name });
  cache.get('a');
  cache.set('c', { etag: 'c', text: 'c' });
  expect(['a', 'b', 'c'].map((name) => cache.get(name) !== undefined)).toEqual([true, false, true]);
});

test('waits as long as Retry-After says, and a little longer by chance', async () => {
  const { client, waits } = await inTurn(
    problem(503, { 'retry-after': '2' }),
    problem(429, { 'retry-after': '20' }),
    json(200, { pong: 3 }),
  );
  expect(await client.get('/ping')).toEqual({ pong: 3 });
  expect(waits).toEqual([2500, 22_500]);
});

test('does not wait longer than it may, and says when to come back', async () => {
  const { client, waits } = await inTurn(
    problem(429, { 'retry-after': '900' }),
    problem(429, { 'retry-after': '20' }),
    problem(429, { 'retry-after': '20' }),
  );
  await expect(client.get('/ping')).rejects.toMatchObject({ status: 429, retryAfter: 900 });
  expect(waits).toEqual([]);
  await expect(client.get('/ping')).rejects.toMatchObject({ status: 429, retryAfter: 20 });
  expect(waits).toEqual([22_500]);
});

test('with patience, a request waits for its turn as often and as long as the service says', async () => {
  const turns = Array.from({ length: 6 }, () => problem(429, { 'retry-after': '60' }));
  const { client, waits } = await inTurn(...turns, json(200, { pong: 1 }));
  expect(await client.get('/ping', { patience: Number.POSITIVE_INFINITY })).toEqual({ pong: 1 });
  expect(waits).toEqual(turns.map(() => 67_500));
});

test('patience is for a service that is well: one that fails is given up', async () => {
  const { client, waits } = await inTurn(
    ...Array.from({ length: 4 }, () => problem(503, { 'retry-after': '1' })),
    problem(503, { 'retry-after': '900' }),
  );
  const patient = { patience: Number.POSITIVE_INFINITY };
  await expect(client.get('/ping', patient)).rejects.toMatchObject({ status: 503 });
  await expect(client.get('/ping', patient)).rejects.toMatchObject({ status: 503, retryAfter: 900 });
  expect(waits).toEqual([1500, 1500, 1500]);
});

test('no wait is longer than a timer can hold', async () => {
  const { client, waits } = await inTurn(
    problem(429, { 'retry-after': '9999999' }),
    problem(429, { 'retry-after': '0' }),
    json(200, { pong: 1 }),
  );
  await client.get('/ping', { patience: Number.POSITIVE_INFINITY });
  expect(waits).toEqual([2 ** 31 - 1, 500]);
});

test('asks again when the answer of a read is lost, with growing pauses, and gives up in the end', async () => {
  const { client, waits, requests } = await inTurn(cut, cut, json(200, { pong: 1 }), cut, cut, cut, cut);
  expect(await client.get('/ping')).toEqual({ pong: 1 });
  expect(waits).toEqual([187.5, 375]);
  await expect(client.get('/ping')).rejects.toBeInstanceOf(ConnectionError);
  expect(requests()).toBe(7);
});

test('repeats a write after 429, and otherwise only with an Idempotency-Key', async () => {
  const { client, requests } = await inTurn(
    problem(429, { 'retry-after': '1' }),
    json(200, { pong: 1 }),
    cut,
    problem(503, { 'retry-after': '1' }),
    cut,
    json(200, { pong: 2 }),
  );
  expect(await client.post('/ping')).toEqual({ pong: 1 });
  await expect(client.post('/ping')).rejects.toBeInstanceOf(ConnectionError);
  await expect(client.post('/ping')).rejects.toMatchObject({ status: 503 });
  expect(await client.post('/ping', { idempotencyKey: 'k' })).toEqual({ pong: 2 });
  expect(requests()).toBe(6);
});

test('tells an answer of a proxy from one of the service', async () => {
  const page = (status: number) => (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>No</h1>');
  const { client } = await inTurn(page(403), page(200));
  await expect(client.get('/ping')).rejects.toMatchObject({ status: 403, code: 'unexpected_answer' });
  await expect(client.get('/ping')).rejects.toMatchObject({ status: 200, code: 'unexpected_answer' });
});

test('stops when it is told to, also while it waits', async () => {
  const stop = new AbortController();
  const { client } = await inTurn(problem(503, { 'retry-after': '20' }));
  const patient = new ApiClient<Ping>({
    baseUrl: client.url('/ping').replace('/ping', ''),
    retry: {
      wait: (_, signal) => {
        stop.abort(new Error('enough'));
        return Promise.reject(signal?.reason);
      },
    },
  });
  await expect(patient.get('/ping', { signal: stop.signal })).rejects.toThrow('enough');
  await expect(client.get('/ping', { signal: stop.signal })).rejects.toThrow('enough');
});

test('a base URL may end with a slash', async () => {
  const { baseUrl } = await inTurn((response, { url }) => json(200, { pong: url })(response));
  expect(await new ApiClient<Ping>({ baseUrl: `${baseUrl}/` }).get('/ping')).toEqual({ pong: '/ping' });
});

/** A search field whose clock and service do nothing by themselves. */
function field() {
  const pauses: { ms: number; end: () => void }[] = [];
  const asked: { url: string; signal: AbortSignal | null | undefined; answer: (status: number) => void }[] =
    [];
  const client = contentClient({
    baseUrl: '',
    fetch: (url, { signal }) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        const headers = { 'content-type': 'application/json', 'retry-after': '20' };
        const body = JSON.stringify({ data: url, status: 429, code: 'rate_limited' });
        asked.push({ url, signal, answer: (status) => resolve(new Response(body, { status, headers })) });
      }),
  });
  const wait = (ms: number, signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
      pauses.push({ ms, end: resolve });
    });
  return { typed: suggest(client, { wait }), pauses, asked };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a service is asked once typing pauses, and only for what was typed last', async () => {
  const { typed, pauses, asked } = field();
  const calls = ['m', 'mo', ' Moon '].map(typed);
  expect(pauses.map(({ ms }) => ms)).toEqual([150, 150, 150]);
  for (const { end } of pauses) end();
  await turn();
  expect(asked.map(({ url }) => url)).toEqual(['/api/articles/suggest?q=moon']);
  asked[0]?.answer(200);
  expect(await Promise.all(calls)).toEqual([undefined, undefined, '/api/articles/suggest?q=moon']);
});

test('a request for what has been typed over is aborted, also when the field is emptied', async () => {
  const { typed, pauses, asked } = field();
  const first = typed('moon');
  pauses[0]?.end();
  await turn();
  expect(await typed('  ')).toBeUndefined();
  expect([asked[0]?.signal?.aborted, await first, pauses.length]).toEqual([true, undefined, 1]);
});

test('a limit is told at once: the next letter would not wait for it', async () => {
  const { typed, pauses, asked } = field();
  const call = typed('moon');
  pauses[0]?.end();
  await turn();
  asked[0]?.answer(429);
  await expect(call).rejects.toMatchObject({ status: 429 });
});
