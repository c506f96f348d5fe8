import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { validate } from '@readme/openapi-parser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture, startContent } from '../support/content.ts';
import { type Sending, send } from '../support/http.ts';
import { exchange } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

let content: ContentFixture;

beforeAll(async () => {
  content = await contentFixture({ METRICS_PORT: '0' });
});

afterAll(() => content.close());

/** The event of the one request that was sent with `id`. */
async function eventsOf(id: string): Promise<Record<string, unknown>[]> {
  const events = () => content.log.events().filter(({ requestId }) => requestId === id);
  await until('the request is in the log', () => events().length > 0);
  return events();
}

test('/healthz and /readyz answer, and are not cached; /healthz has the version', async () => {
  const version = expect.stringMatching(/^\d+\.\d+\.\d+$/);
  for (const [path, body] of [
    ['/healthz', { status: 'ok', version }],
    ['/readyz', { status: 'ok' }],
  ] as const) {
    const answer = await send(`${content.url}${path}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(body);
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
  }
});

test('metrics are on a separate port, and count requests by route and status', async () => {
  await send(`${content.url}/api/articles/4711`);
  await send(`${content.url}/api/articles/4712`);
  const event = await until('the port is known', () =>
    content.log.events().find(({ msg }) => msg === 'metrics_listening'),
  );
  const { port } = event.address as { port: number };
  const metrics = await send(`http://127.0.0.1:${port}/metrics`);
  expect(metrics.status).toBe(200);
  expect(metrics.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(metrics.text).toContain(
    'http_request_duration_seconds_count{method="GET",route="/api/articles/:id",status="404"} 2\n',
  );
  expect(metrics.text).toMatch(/^process_resident_memory_bytes \d+/m);
  expect((await send(`http://127.0.0.1:${port}/api/articles`)).status).toBe(404);
  expect((await send(`${content.url}/metrics`)).status).toBe(404);
});

test('without METRICS_PORT there are no metrics', async () => {
  const plain = await startContent(content.database.url);
  expect((await send(`${plain.url}/metrics`)).status).toBe(404);
  expect(plain.log.events().map(({ msg }) => msg)).not.toContain('metrics_listening');
  await plain.close();
});

test('/openapi.json is a valid OpenAPI 3.1 description of every endpoint', async () => {
  const answer = await send(`${content.url}/openapi.json`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.body.openapi).toMatch(/^3\.1\./);
  const paths: Record<string, object> = structuredClone(answer.body.paths);
  const description = answer.body as unknown as Parameters<typeof validate>[0];
  expect(await validate(description)).toEqual({ valid: true, warnings: [], specification: 'OpenAPI' });
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(operations.sort()).toEqual([
    'delete /api/articles/{id}',
    'delete /api/articles/{id}/comments/{comment_id}',
    'delete /api/articles/{id}/previews/{preview_id}',
    'delete /api/articles/{id}/working-copy',
    'delete /api/authors/{id}',
    'delete /api/categories/{id}',
    'delete /api/hooks/{id}',
    'delete /api/imports/{id}',
    'delete /api/keys/{prefix}',
    'delete /api/redirects/{id}',
    'delete /api/releases/{name}',
    'delete /api/series/{id}',
    'delete /api/tags/{id}',
    'delete /api/trash',
    'delete /api/trash/{id}',
    'get /api/articles',
    'get /api/articles/by-slug/{slug}',
    'get /api/articles/suggest',
    'get /api/articles/{id}',
    'get /api/articles/{id}/comments',
    'get /api/articles/{id}/previews',
    'get /api/articles/{id}/review',
    'get /api/articles/{id}/revisions',
    'get /api/articles/{id}/revisions/{revision}',
    'get /api/articles/{id}/working-copy',
    'get /api/audit',
    'get /api/authors',
    'get /api/authors/by-slug/{slug}',
    'get /api/authors/{id}',
    'get /api/categories',
    'get /api/categories/by-slug/{slug}',
    'get /api/categories/{id}',
    'get /api/embeds',
    'get /api/exports/content.jsonl',
    'get /api/hooks',
    'get /api/hooks/{id}',
    'get /api/hooks/{id}/deliveries',
    'get /api/imports',
    'get /api/imports/{id}',
    'get /api/imports/{id}/entries',
    'get /api/keys',
    'get /api/redirects',
    'get /api/redirects/exports/nginx.conf',
    'get /api/releases',
    'get /api/releases/{name}',
    'get /api/reviews',
    'get /api/schedule',
    'get /api/series',
    'get /api/series/by-slug/{slug}',
    'get /api/series/{id}',
    'get /api/site',
    'get /api/sync/changes',
    'get /api/sync/snapshot',
    'get /api/tags',
    'get /api/tags/by-slug/{slug}',
    'get /api/tags/{id}',
    'get /api/trash',
    'get /articles/feed.atom',
    'get /articles/feed.json',
    'get /articles/feed.xml',
    'get /healthz',
    'get /news-sitemap.xml',
    'get /readyz',
    'get /sitemap.xml',
    'patch /api/articles/{id}',
    'patch /api/articles/{id}/comments/{comment_id}',
    'patch /api/authors/{id}',
    'patch /api/categories/{id}',
    'patch /api/drafts/{id}',
    'patch /api/hooks/{id}',
    'patch /api/redirects/{id}',
    'patch /api/series/{id}',
    'patch /api/site',
    'patch /api/tags/{id}',
    'post /api/articles',
    'post /api/articles/links',
    'post /api/articles/links/external',
    'post /api/articles/{id}/comments',
    'post /api/articles/{id}/previews',
    'post /api/articles/{id}/restore',
    'post /api/articles/{id}/revisions/{revision}/restore',
    'post /api/articles/{id}/working-copy/publish',
    'post /api/authors',
    'post /api/authors/{id}/merge',
    'post /api/categories',
    'post /api/drafts',
    'post /api/hooks',
    'post /api/hooks/{id}/replay',
    'post /api/hooks/{id}/secret',
    'post /api/hooks/{id}/test',
    'post /api/imports',
    'post /api/imports/pictures',
    'post /api/imports/{id}/check',
    'post /api/imports/{id}/run',
    'post /api/imports/{id}/undo',
    'post /api/keys',
    'post /api/redirects',
    'post /api/series',
    'post /api/tags',
    'post /api/tags/{id}/merge',
    'put /api/articles/{id}',
    'put /api/articles/{id}/assignee',
    'put /api/articles/{id}/review',
    'put /api/articles/{id}/working-copy',
    'put /api/authors/{id}',
    'put /api/categories/{id}',
    'put /api/imports/{id}/parts/{number}',
    'put /api/releases/{name}',
    'put /api/series/{id}',
    'put /api/series/{id}/articles',
    'put /api/tags/{id}',
  ]);
});

test('every path of content leads to it, through the proxy and the Ingress', async () => {
  const { paths } = (await send(`${content.url}/openapi.json`)).body;
  const found = Object.keys(paths).flatMap((path) => /^\/api\/[a-z]+/.exec(path) ?? []);
  const deploy = join(import.meta.dirname, '../../deploy');
  const proxy = await readFile(join(deploy, 'proxy/servers.conf'), 'utf8');
  const ingress = await readFile(join(deploy, 'helm/base/ingress.yaml'), 'utf8');
  const [, resources = ''] = /location ~ \^\/api\/\((articles[^)]*)\)/.exec(proxy) ?? [];
  for (const path of new Set(found)) {
    expect(resources.split('|')).toContain(path.replace('/api/', ''));
    expect(ingress).toContain(`- path: ${path}\n`);
  }
});

test('/openapi.json has a validator', async () => {
  const first = await send(`${content.url}/openapi.json`);
  const again = await send(`${content.url}/openapi.json`, {
    headers: { 'if-none-match': first.headers.get('etag') ?? '' },
  });
  expect(again.status).toBe(304);
  expect(again.text).toBe('');
});

test('/docs is a page whose parts all come from this service, under a policy that lets no other in', async () => {
  for (const path of ['/docs', '/docs/']) {
    const page = await send(`${content.url}${path}`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
    expect(page.text).toContain('<title>Pressroom content: API reference</title>');
    expect(page.text).not.toMatch(/<script(?![^>]* src=)|https?:\/\/(?!www\.w3\.org)/);
    const parts = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, part]) => part);
    expect(parts.sort()).toEqual(['/docs/page.js', '/docs/reference.js', '/openapi.json']);
    for (const part of parts) expect((await send(`${content.url}${part}`)).status, part).toBe(200);
  }
});

test('what /docs is made of is a script with a validator; nothing else is below it', async () => {
  for (const path of ['/docs', '/docs/page.js', '/docs/reference.js']) {
    const first = await send(`${content.url}${path}`);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect(first.headers.get('cache-control')).toBe('public, max-age=300');
    const again = await send(`${content.url}${path}`, { headers: { 'if-none-match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
    const head = await send(`${content.url}${path}`, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag'), head.text]).toEqual([200, etag, '']);
    if (path !== '/docs') expect(first.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  }
  for (const path of ['/docs/json', '/docs/nothing', '/docs/../package.json', '/docs/%2e%2e/x']) {
    const { status, body } = await send(`${content.url}${path}`);
    expect([status, body.code], path).toEqual([404, 'not_found']);
  }
});

test('a request is one JSON event', async () => {
  await send(`${content.url}/api/articles?page=1`, { headers: { 'x-request-id': 'one-event' } });
  const events = await eventsOf('one-event');
  expect(events).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      service: 'content',
      msg: 'request_answered',
      requestId: 'one-event',
      method: 'GET',
      url: '/api/articles?page=1',
      status: 200,
      ms: expect.any(Number),
      address: '127.0.0.1',
    },
  ]);
});

test('whatever a request contains, its event is one line that includes it', async () => {
  const [id, path] = ['"quoted\\"', '/api/articles?page="\\\\'];
  await exchange(
    content.url,
    `GET ${path} HTTP/1.1\r\nHost: test\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n`,
  );
  expect(await eventsOf(id)).toMatchObject([{ requestId: id, url: path, status: 400 }]);
});

test('a request that the router refuses is in the log as well', async () => {
  await send(`${content.url}/api/%zz`, { headers: { 'x-request-id': 'bad-url' } });
  expect(await eventsOf('bad-url')).toMatchObject([
    { msg: 'request_answered', status: 400, url: '/api/%zz' },
  ]);
});

test('successful probes are at debug, so that they can be left out', async () => {
  await send(`${content.url}/healthz`, { headers: { 'x-request-id': 'probe' } });
  expect(await eventsOf('probe')).toMatchObject([{ level: 'debug', url: '/healthz' }]);
});

test('no credential is ever in the log, however the request ends', async () => {
  const wrongKey = `${content.key.slice(0, -6)}secret`;
  const secrets = [content.key, wrongKey, 'bearer-secret', 'cookie-secret', 'basic-secret'];
  const common = { cookie: 'session=cookie-secret', 'x-request-id': 'credentials' };
  const requests: (Sending & { path: string })[] = [
    { path: '/api/articles', method: 'POST', headers: { 'x-api-key': content.key }, raw: '{' },
    { path: '/api/articles/1', method: 'DELETE', headers: { 'x-api-key': wrongKey } },
    { path: '/api/articles', method: 'GET', headers: { authorization: 'Bearer bearer-secret' } },
    { path: '/nowhere', method: 'GET', headers: { authorization: 'Basic basic-secret' } },
    { path: '/api/%zz', method: 'GET', headers: { 'x-api-key': content.key } },
  ];
  for (const { path, ...request } of requests) {
    await send(`${content.url}${path}`, { ...request, headers: { ...common, ...request.headers } });
  }
  await until('all are in the log', async () => (await eventsOf('credentials')).length >= requests.length);
  for (const secret of [...secrets, content.database.url, new URL(content.database.url).password]) {
    expect(content.log.text()).not.toContain(secret);
  }
});

test('an API key in the URL is never in the log, however the request ends', async () => {
  const { key } = content;
  const secret = key.slice('pk_12345678_'.length);
  const paths = [
    `/api/articles?api_key=${key}`,
    `/api/articles?page=1&X-API-Key=${secret}`,
    `/api/articles?${key}`,
    `/api/articles?page=${key}`,
    `/api/articles?page=1&token=${encodeURIComponent(key).replace('_', '%5F')}`,
    `/api/articles/${key}`,
    `/nowhere?key=${key}`,
    `/docs?key=${key}`,
    `/api/%zz?key=${key}`,
    `/api/articles?&access_token=${key}`,
  ];
  const id = { 'x-request-id': 'key-in-url' };
  for (const path of paths) await send(`${content.url}${path}`, { headers: id });
  await until('all are in the log', async () => (await eventsOf('key-in-url')).length >= paths.length);
  expect(content.log.text()).not.toContain(secret);
  const urls = (await eventsOf('key-in-url')).map(({ url }) => url);
  expect(urls.slice(0, 2)).toEqual([
    '/api/articles?api_key=(hidden)',
    '/api/articles?page=1&X-API-Key=(hidden)',
  ]);
});

test('an API key that is sent as the request id is never in the log, and is returned as it was sent', async () => {
  const { key } = content;
  const id = { 'x-request-id': `${key}:as-id` };
  for (const path of ['/api/articles?page=1', '/nowhere', '/api/articles?page=x']) {
    const { headers } = await send(`${content.url}${path}`, { headers: id });
    expect(headers.get('x-request-id')).toBe(id['x-request-id']);
  }
  await content.database.pool.query('alter table content.category rename to category_gone');
  expect((await send(`${content.url}/api/categories`, { headers: id })).status).toBe(500);
  await content.database.pool.query('alter table content.category_gone rename to category');
  await until('all are in the log', async () => (await eventsOf('pk_(hidden):as-id')).length === 5);
  const secret = key.slice('pk_12345678_'.length);
  expect(content.log.text()).not.toContain(secret);
});

test('a file that the documentation does not have is a problem', async () => {
  for (const path of ['/docs/static/nothing.js', '/docs/nothing']) {
    const answer = await send(`${content.url}${path}`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toMatchObject({ code: 'not_found', requestId: answer.headers.get('x-request-id') });
  }
});

test('a failure of ours is in the log with its cause and the request id, and opaque outside', async () => {
  await content.database.pool.query('alter table content.category rename to category_gone');
  const answer = await send(`${content.url}/api/categories`, { headers: { 'x-request-id': 'ours' } });
  await content.database.pool.query('alter table content.category_gone rename to category');
  expect(answer.status).toBe(500);
  expect(answer.body).toEqual({
    type: 'about:blank',
    title: 'Internal Server Error',
    status: 500,
    detail: 'something went wrong on the server; include the request id when you report it',
    code: 'internal_error',
    requestId: 'ours',
  });
  await until('both events are written', async () => (await eventsOf('ours')).length === 2);
  expect(await eventsOf('ours')).toMatchObject([
    { level: 'error', msg: 'request_failed', err: { message: expect.stringContaining('does not exist') } },
    { level: 'info', msg: 'request_answered', status: 500 },
  ]);
});

test('an acceptable request id is kept, any other is replaced; the answer, its body and the log agree', async () => {
  const kept = await send(`${content.url}/nowhere`, { headers: { 'x-request-id': 'From-outside:1' } });
  expect(kept.headers.get('x-request-id')).toBe('From-outside:1');
  expect(kept.body.requestId).toBe('From-outside:1');
  const replaced = await send(`${content.url}/nowhere`, { headers: { 'x-request-id': 'with space' } });
  const id = replaced.headers.get('x-request-id') ?? '';
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(replaced.body.requestId).toBe(id);
  expect(await eventsOf(id)).toHaveLength(1);
});

test.each(['/api/articles', '/nowhere', '/healthz', '/openapi.json', '/api/%zz', '/api/articles/x'])(
  'the answer of %s has the security headers',
  async (path) => {
    const { headers } = await send(`${content.url}${path}`);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('server')).toBeNull();
  },
);
