import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { articleBody } from '../support/content-client.ts';
import { ADMIN, type GalleryFixture, galleryFixture, login, startGallery } from '../support/gallery.ts';
import { send } from '../support/http.ts';
import { sendLines } from '../support/raw-http.ts';

const DESK_KEY = 'a-key-of-the-desk-that-nobody-guesses';

/** A request that has reached the service behind the desk. */
interface Arrived {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

let content: ContentFixture;
let gallery: GalleryFixture;
/** A service that records what arrives, in the place of the newsroom. */
const arrived: Arrived[] = [];
let answer: (response: ServerResponse) => void;
const recorder = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  // The gallery also asks by itself, every minute.
  if (request.url !== '/api/vocabulary')
    arrived.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
  answer(response);
});
const recorderUrl = () => `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`;

beforeAll(async () => {
  await once(recorder.listen(0, '127.0.0.1'), 'listening');
  content = await contentFixture({ DESK_KEY, CONTENT_SITE_URL: 'https://site.example' });
  gallery = await galleryFixture({
    CONTENT_URL: content.url,
    NEWSROOM_URL: recorderUrl(),
    DESK_KEY,
    CONTENT_SITE_URL: 'https://site.example/',
    MEDIA_PUBLIC: 'public/',
  });
});
afterAll(async () => {
  await gallery?.close();
  await content?.close();
  recorder.closeAllConnections();
  recorder.close();
});
beforeEach(() => {
  arrived.length = 0;
  answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});

const origin = () => ({ cookie: gallery.cookie, origin: gallery.url });
const NEWSROOM = '/api/desk/newsroom';
const CONTENT = '/api/desk/content';

test('an article is written, read, saved and published with the name of who is logged in', async () => {
  const made = await gallery.ask(`${CONTENT}/articles`, {
    method: 'POST',
    json: articleBody({ is_published: true }),
    headers: { 'idempotency-key': 'once' },
  });
  expect(made.status).toBe(201);
  const { id } = made.body.data;
  expect(made.headers.get('location')).toBe(`${CONTENT}/articles/${id}`);
  const path = `${CONTENT}/articles/${id}`;
  const read = await gallery.ask(path);
  expect(read.body.data.author).toBe(ADMIN.username);
  const etag = read.headers.get('etag') ?? '';
  expect((await gallery.ask(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
  expect((await gallery.ask(path, { method: 'HEAD' })).status).toBe(200);
  const patch = (headers: Record<string, string>) =>
    gallery.ask(path, { method: 'PATCH', json: { excerpt: 'Short' }, headers });
  expect((await patch({ 'if-match': etag })).status).toBe(200);
  const late = await patch({ 'if-match': etag });
  expect([late.status, late.body.code]).toEqual([412, 'precondition_failed']);
  const { body } = await gallery.ask(`${path}/revisions?per_page=1`);
  expect(body.data[0].key).toEqual({ prefix: 'desk', name: ADMIN.username });
  expect((await gallery.ask(`${CONTENT}/articles?per_page=0`)).status).toBe(400);
  const wrong = await gallery.ask(`${CONTENT}/articles`, { method: 'POST', json: { title: '' } });
  expect([wrong.status, wrong.body.code, wrong.headers.get('content-type')]).toEqual([
    422,
    'validation_failed',
    'application/problem+json',
  ]);
  expect((await gallery.ask(path, { method: 'DELETE' })).status).toBe(200);
});

test('the desk says what it has, and how it is', async () => {
  const { status, body, headers } = await gallery.ask('/api/desk');
  expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store']);
  expect(body).toEqual({
    success: true,
    data: {
      person: ADMIN.username,
      role: 'owner',
      sections: { content: { state: 'ready' }, newsroom: { state: 'ready' } },
      media: { publicPrefixes: ['public/'] },
      siteName: 'Pressroom',
      site: { url: 'https://site.example', articlePath: '/articles/{slug}' },
    },
  });
  const named = { name: 'Harbour', url: 'https://harbour.example', article_path: '/read/{id}' };
  const path = `${CONTENT}/site`;
  expect((await gallery.ask(path, { method: 'PATCH', json: named })).status).toBe(200);
  expect((await gallery.ask('/api/desk')).body.data).toMatchObject({
    siteName: 'Harbour',
    site: { url: 'https://harbour.example', articlePath: '/read/{id}' },
  });
  answer = (response) => response.writeHead(403).end();
  expect((await gallery.ask('/api/desk')).body.data.sections.newsroom.state).toBe('refused');
  answer = (response) => response.writeHead(500).end();
  expect((await gallery.ask('/api/desk')).body.data.sections.newsroom.state).toBe('unavailable');
});

test('nothing of the browser that is a secret goes on, and no cookie comes back', async () => {
  answer = (response) =>
    response
      .writeHead(200, {
        'content-type': 'application/json',
        'set-cookie': 'pressroom=evil',
        'access-control-allow-origin': '*',
        'content-security-policy': 'none',
        'x-powered-by': 'x',
        location: 'https://evil.example/',
        etag: '"1"',
        connection: 'close, x-secret',
        'x-secret': '1',
      })
      .end('{"a":1}');
  const { status, headers, body } = await gallery.ask(`${NEWSROOM}/items/a%20b/select?x=1&y=%2F`, {
    method: 'POST',
    json: { reason: 'because' },
    headers: {
      ...origin(),
      authorization: 'Bearer of-somebody',
      'x-api-key': 'pk_other',
      'x-desk-person': 'mallory',
      'x-desk-account': 'of-mallory',
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-host': 'evil.example',
      'if-match': '"2"',
      'x-other': 'y',
    },
  });
  expect([status, body]).toEqual([200, { a: 1 }]);
  expect(headers.get('etag')).toBe('"1"');
  expect(headers.get('cache-control')).toBe('private, no-store');
  for (const name of ['set-cookie', 'access-control-allow-origin', 'x-powered-by', 'x-secret', 'location'])
    expect([name, headers.get(name)]).toEqual([name, null]);
  const [request] = arrived;
  expect(request).toMatchObject({
    method: 'POST',
    url: '/api/items/a%20b/select?x=1&y=%2F',
    body: '{"reason":"because"}',
  });
  const { 'x-request-id': id, host, connection, ...rest } = request?.headers ?? {};
  expect(rest).toEqual({
    accept: '*/*',
    'content-type': 'application/json',
    'content-length': '20',
    'if-match': '"2"',
    'x-api-key': DESK_KEY,
    'x-desk-person': ADMIN.username,
    'x-forwarded-for': '127.0.0.1',
  });
  expect(host).toBe(new URL(recorderUrl()).host);
});

test.each([
  ['GET', '/'],
  ['GET', '/metrics'],
  ['GET', '/items/'],
  ['GET', '//items'],
  ['GET', '/items/x/y'],
  ['GET', '/../content/articles'],
  ['GET', '/items/..'],
  ['GET', '/items/.'],
  ['GET', '/items/%2e%2e'],
  ['GET', '/items/..%2f..%2fmetrics'],
  ['GET', '/items/a%2Fhistory'],
  ['GET', '/items/a%5Cb'],
  ['GET', '/items/a%00'],
  ['GET', '/items/a%0D%0AX-Api-Key:%20x'],
  ['GET', '/items;x'],
  ['GET', '/Items'],
  ['POST', '/import/schema/../../items'],
])('%s %s is not passed on', async (method, path) => {
  const { status } = await sendLines(gallery.url, [
    `${method} ${NEWSROOM}${path} HTTP/1.1`,
    'Host: x',
    `Cookie: ${gallery.cookie}`,
    'Connection: close',
    '',
  ]);
  expect(status).toBe(404);
  expect(arrived).toEqual([]);
});

test.each([
  ['GET', '', 404],
  ['GET', '/', 404],
  ['GET', '/sync/snapshot', 404],
  ['GET', '/sync%2Fchanges', 404],
  ['GET', '/%73ync/changes', 404],
  ['GET', '/nothing', 404],
  ['GET', '/audit', 404],
  ['GET', '/articlesx', 404],
  ['GET', '/articles/', 404],
  ['GET', '//articles', 404],
  ['GET', '/../newsroom/items', 404],
  ['GET', '/..%2Fhealthz', 404],
  ['GET', '/articles/..%2F..%2Fhealthz', 404],
  ['GET', '/articles/%2e%2e/%2e%2e/healthz', 404],
  ['GET', '/articles%5C..', 404],
  ['DELETE', '/articles', 405],
  ['OPTIONS', '/articles', 405],
])('content: %s %s is %i', async (method, path, status) => {
  const answer = await sendLines(gallery.url, [
    `${method} ${CONTENT}${path} HTTP/1.1`,
    'Host: x',
    `Cookie: ${gallery.cookie}`,
    'Connection: close',
    '',
  ]);
  expect(answer.status).toBe(status);
});

test.each([
  ['a method that no route has', `DELETE ${NEWSROOM}/items HTTP/1.1`],
  ['OPTIONS', `OPTIONS ${NEWSROOM}/items HTTP/1.1`],
  ['TRACE', `TRACE ${NEWSROOM}/items HTTP/1.1`],
  ['a path that is not UTF-8', `GET ${NEWSROOM}/items/%FF HTTP/1.1`],
  ['a space in the path', `GET ${NEWSROOM}/items/a b HTTP/1.1`],
])('%s reaches nothing', async (_, line) => {
  const head = [line, 'Host: x', `Cookie: ${gallery.cookie}`, 'Connection: close', ''];
  const { status } = await sendLines(gallery.url, head).catch(() => ({ status: 400 }));
  expect([400, 404, 405]).toContain(status);
  expect(arrived).toEqual([]);
});

test('an absolute address of elsewhere leads to the newsroom alone', async () => {
  const { status } = await sendLines(gallery.url, [
    `GET http://evil.example${NEWSROOM}/items?limit=1 HTTP/1.1`,
    'Host: evil.example',
    `Cookie: ${gallery.cookie}`,
    'Connection: close',
    '',
  ]);
  expect(status).toBe(200);
  expect(arrived.map(({ url, headers }) => [url, headers.host])).toEqual([
    ['/api/items?limit=1', new URL(recorderUrl()).host],
  ]);
});

test('a body that says two lengths does not become two requests', async () => {
  const { status } = await sendLines(gallery.url, [
    `POST ${NEWSROOM}/ranking HTTP/1.1`,
    'Host: x',
    `Cookie: ${gallery.cookie}`,
    'Content-Type: application/json',
    'Content-Length: 80',
    'Transfer-Encoding: chunked',
    '',
    '0',
    '',
    `GET ${NEWSROOM}/jobs HTTP/1.1`,
    'Host: x',
    `Cookie: ${gallery.cookie}`,
    'Connection: close',
    '',
  ]);
  expect(status).toBe(400);
  expect(arrived).toEqual([]);
});

test('without a session, from another page, too large or in another form it is refused before it is passed on', async () => {
  const path = `${gallery.url}${NEWSROOM}/items/a/select`;
  const ask = (headers: Record<string, string>, body = '{}', type = 'application/json') =>
    send(path, { method: 'POST', raw: body, headers: { 'content-type': type, ...headers } });
  expect((await ask({})).status).toBe(401);
  expect((await ask({ cookie: gallery.cookie, origin: 'https://evil.example' })).status).toBe(403);
  expect((await ask({ cookie: gallery.cookie }, `"${'x'.repeat(2 * 2 ** 20)}"`)).status).toBe(413);
  expect((await ask({ cookie: gallery.cookie }, 'a=1', 'application/x-www-form-urlencoded')).status).toBe(
    415,
  );
  expect(arrived).toEqual([]);
  const imported = await send(`${gallery.url}${NEWSROOM}/import`, {
    method: 'POST',
    json: { lines: 'x'.repeat(3 * 2 ** 20) },
    headers: { cookie: gallery.cookie },
  });
  expect([imported.status, arrived.length]).toEqual([200, 1]);
});

test('a service that refuses the key, breaks off or is away is a defined answer', async () => {
  answer = (response) => response.writeHead(401).end();
  const refused = await gallery.ask(`${NEWSROOM}/jobs`);
  expect([refused.status, refused.body.code, refused.body.reason, refused.body.detail]).toEqual([
    503,
    'newsroom_unavailable',
    'key_refused',
    'newsroom refuses the desk: DESK_KEY must be the same in both',
  ]);
  answer = (response) => response.socket?.destroy();
  const broken = await gallery.ask(`${NEWSROOM}/jobs`);
  expect([broken.status, broken.body.code, broken.headers.get('retry-after')]).toEqual([
    503,
    'newsroom_unavailable',
    '5',
  ]);
  // Once: what fails is not repeated behind the person's back.
  expect(arrived).toHaveLength(2);
  answer = (response) => response.writeHead(503, { 'retry-after': '7' }).end();
  const busy = await gallery.ask(`${NEWSROOM}/jobs`);
  expect([busy.status, busy.headers.get('retry-after'), arrived.length]).toEqual([503, '7', 3]);
});

test('a section that is not configured, or whose service is away, says so, and the others go on', async () => {
  const away = `http://127.0.0.1:${await findFreePort()}`;
  const other = await startGallery({ ...gallery.settings, CONTENT_URL: away, NEWSROOM_URL: '' });
  const headers = { cookie: await login(other.url) };
  const desk = await send(`${other.url}/api/desk`, { headers });
  expect(desk.body.data.sections).toEqual({
    content: { state: 'unavailable' },
    newsroom: { state: 'not_configured' },
  });
  const articles = await send(`${other.url}${CONTENT}/articles`, { headers });
  expect([articles.status, articles.body.code]).toEqual([503, 'content_unavailable']);
  const items = await send(`${other.url}${NEWSROOM}/items`, { headers });
  expect([items.status, items.body.code]).toEqual([404, 'not_configured']);
  expect((await send(`${other.url}/api/gallery?json=1`, { headers })).status).toBe(200);
  await other.close();
});
