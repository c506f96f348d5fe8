import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ContentFixture, contentFixture, startContent } from '../support/content.ts';
import { articleBody } from '../support/content-client.ts';
import { ADMIN, type GalleryFixture, galleryFixture, startGallery } from '../support/gallery.ts';
import { send } from '../support/http.ts';
import { needsNginx } from '../support/needs-nginx.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../support/news-feed.ts';
import { PROXY_FOLDER, type RunningProxy, startProxy, upstreamOf } from '../support/proxy.ts';

needsNginx();

let content: ContentFixture;
let news: NewsFeedFixture;
let gallery: GalleryFixture;
let proxy: RunningProxy | undefined;

beforeAll(async () => {
  content = await contentFixture({
    TRUST_PROXY: '1',
    CONTENT_SITE_URL: 'https://site.example',
    SITE_LANGUAGE: 'en',
  });
  news = await newsFeedFixture({ TRUST_PROXY: '1' });
  gallery = await galleryFixture({ TRUST_PROXY: '1' });
  proxy = await startProxy({
    CONTENT_UPSTREAM: upstreamOf(content.url),
    NEWS_FEED_UPSTREAM: upstreamOf(news.url),
    GALLERY_ADMIN_UPSTREAM: upstreamOf(gallery.url),
    STORE_UPSTREAM: upstreamOf(gallery.store.endpoint),
  });
});

afterAll(async () => {
  await proxy?.close();
  await content.close();
  await news.close();
  await gallery.close();
});

/** Sends a request with its own `Host`, which `fetch` does not allow. */
async function named(host: string, path: string) {
  const { statusCode, body } = await request(`${proxy?.url}${path}`, { headers: { host } });
  return { status: statusCode, text: await body.text() };
}

describe('one address', () => {
  test.each([
    ['/api/articles', 200],
    ['/api/categories', 200],
    ['/api/tags', 200],
    ['/api/authors', 200],
    ['/api/series', 200],
    ['/api/drafts', 405],
    ['/api/reviews', 401],
    ['/api/hooks', 401],
    ['/api/keys', 401],
    ['/api/sync/snapshot', 200],
    ['/api/v1/items', 200],
    ['/api/v1/selected/snapshot', 200],
    ['/openapi-v1.json', 200],
    ['/articles/feed.xml', 200],
    ['/articles/feed.json', 200],
    ['/sitemap.xml', 200],
    ['/news-sitemap.xml', 200],
    ['/dailies/feed.atom', 200],
    ['/feed/full.xml', 200],
    ['/llms.txt', 200],
    ['/api/public/fingerprint', 200],
    ['/feed/category/policy-standard.xml', 200],
    ['/api/gallery?json=1', 401],
    ['/docs', 200],
    ['/openapi.json', 200],
    ['/healthz', 200],
  ])('%s is %i', async (path, expected) => {
    expect((await send(`${proxy?.url}${path}`)).status).toBe(expected);
  });

  test.each([
    ['content', 'Pressroom content'],
    ['news-feed', 'Pressroom news feed'],
    ['gallery-admin', 'Pressroom gallery administration'],
  ])('/%s/docs is the reference of that API, and loads only what is there', async (name, title) => {
    const page = await send(`${proxy?.url}/${name}/docs`);
    expect(page.text).toContain(title);
    const scripts = [...page.text.matchAll(/<script src="([^"]+)"/g)].map(([, src = '']) => src);
    expect(scripts).toHaveLength(2);
    const texts = await Promise.all(scripts.map(async (src) => (await send(`${proxy?.url}${src}`)).text));
    const [, description = ''] = /"url":"([^"]+)"/.exec(texts.join('')) ?? [];
    expect((await send(`${proxy?.url}${description}`)).body.info.title).toBe(title);
  });

  test.each([
    ['content.site.example', '/openapi.json', 'Pressroom content'],
    ['news-feed.site.example', '/openapi.json', 'Pressroom news feed'],
    ['gallery-admin.site.example', '/openapi.json', 'Pressroom gallery administration'],
  ])('%s is a service at its root', async (host, path, title) => {
    expect(JSON.parse((await named(host, path)).text).info.title).toBe(title);
    expect((await named(host, '/readyz')).status).toBe(200);
  });
});

describe('what the proxy answers itself', () => {
  test('is a problem document with the id of the request', async () => {
    const { status, headers, body } = await send(`${proxy?.url}/nothing`, {
      headers: { 'x-request-id': 'mine' },
    });
    expect([status, headers.get('content-type')]).toEqual([404, 'application/problem+json']);
    expect(headers.get('x-request-id')).toBe('mine');
    expect(body).toMatchObject({ status: 404, code: 'not_found', requestId: 'mine' });
  });

  test('stays JSON whatever the id of the request is made of', async () => {
    const { status, body } = await send(`${proxy?.url}/nothing`, { headers: { 'x-request-id': 'a"b\\c' } });
    expect([status, body.code]).toEqual([404, 'not_found']);
  });

  test('a body over the limit is 413', async () => {
    const raw = Buffer.alloc(3 * 2 ** 20);
    const { status, body } = await send(`${proxy?.url}/api/articles`, { method: 'POST', raw });
    expect([status, body.code]).toEqual([413, 'payload_too_large']);
  });

  test('as much as the gallery accepts reaches it', async () => {
    const paths = Array.from({ length: 12_000 }, (_, number) => `${'x'.repeat(900)}${number}`);
    const { status, body } = await send(`${proxy?.url}/api/gallery/delete`, {
      method: 'POST',
      json: { paths },
      headers: { cookie: gallery.cookie },
    });
    // The gallery's own word on it, not the proxy's.
    expect([status, body.success]).not.toContain(413);
    expect(body.message).not.toMatch(/larger than this API accepts/);
  });

  test('a service that does not answer is 503 with Retry-After', async () => {
    const alone = await startProxy({});
    const { status, headers, body } = await send(`${alone?.url}/api/articles`);
    await alone?.close();
    expect([status, body.code]).toEqual([503, 'temporarily_unavailable']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });
});

test('pages of other sites read what the proxy keeps, passes on and answers itself, and ask in advance', async () => {
  const { id } = await content.client.article({ is_published: true });
  const path = `${proxy?.url}/api/articles/${id}`;
  const first = await send(path);
  const kept = { 'if-none-match': first.headers.get('etag') ?? '' };
  const answers = [
    first,
    await send(path, { headers: kept }),
    await send(`${proxy?.url}/api/articles/999999`),
    await send(`${proxy?.url}/api/articles`, { method: 'POST', raw: Buffer.alloc(3 * 2 ** 20) }),
  ];
  for (const { headers } of answers) {
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-expose-headers')).toContain('X-Request-Id');
  }
  expect(answers.map(({ status }) => status)).toEqual([200, 304, 404, 413]);
  const asked = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'if-none-match' };
  const headers = { origin: 'https://reader.example', ...asked };
  const preflight = await send(path, { method: 'OPTIONS', headers });
  expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
    ...[204, 'if-none-match'],
  ]);
});

test('the gallery may take longer than the others, whose clients learn that the work may still finish', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pressroom-proxy-'));
  await cp(PROXY_FOLDER, folder, { recursive: true });
  const nginx = join(folder, 'nginx.conf');
  const text = await readFile(nginx, 'utf8');
  await writeFile(nginx, text.replace('proxy_read_timeout 75s;', 'proxy_read_timeout 1s;'));
  const slow = createServer((_request, response) => setTimeout(() => response.end('moved'), 2500));
  slow.listen(0, '127.0.0.1');
  await once(slow, 'listening');
  const upstream = `127.0.0.1:${(slow.address() as AddressInfo).port}`;
  const before = await startProxy(
    { CONTENT_UPSTREAM: upstream, GALLERY_ADMIN_UPSTREAM: upstream },
    { folder },
  );
  const post = (path: string) => send(`${before?.url}${path}`, { method: 'POST', json: {} });
  const [moved, late] = await Promise.all([post('/api/gallery/batch'), post('/api/articles')]);
  await before?.close();
  slow.close();
  await rm(folder, { recursive: true });
  expect([moved.status, moved.text]).toEqual([200, 'moved']);
  expect([late.status, late.body.code]).toEqual([504, 'upstream_timeout']);
  expect(late.body.detail).toContain('may still finish');
});

test('a compressed answer has a weak ETag, and the state that it names holds in If-Match', async () => {
  const { id } = await content.client.article({
    is_published: true,
    content: `<p>${'word '.repeat(500)}</p>`,
  });
  const url = `${proxy?.url}/api/articles/${id}`;
  const plain = await request(url);
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(plain.headers.etag).toMatch(/^"/);
  const packed = await request(url, { headers: { 'accept-encoding': 'gzip' } });
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(packed.headers.etag).toBe(`W/${plain.headers.etag}`);
  expect(gunzipSync(await packed.body.bytes()).toString()).toBe(await plain.body.text());

  const change = (title: string) =>
    send(url, {
      method: 'PATCH',
      json: { title },
      headers: { 'x-api-key': content.key, 'if-match': String(packed.headers.etag) },
    });
  expect((await change('Changed once')).status).toBe(200);
  expect((await change('Changed by somebody who has not seen it')).status).toBe(412);
});

test('a forged X-Forwarded-For does not escape a limit', async () => {
  const limited = await startContent(content.database.url, { CONTENT_RATE_LIMIT: '3', TRUST_PROXY: '1' });
  const before = await startProxy({ CONTENT_UPSTREAM: upstreamOf(limited.url) });
  const statuses: number[] = [];
  for (let number = 1; number <= 6; number += 1) {
    // Each is another URL, so that none is answered from the cache.
    const { status } = await send(`${before?.url}/api/articles?page=${number}`, {
      headers: { 'x-forwarded-for': `203.0.113.${number}`, 'x-real-ip': `203.0.113.${number}` },
    });
    statuses.push(status);
  }
  await before?.close();
  await limited.close();
  expect(statuses).toEqual([200, 200, 200, 429, 429, 429]);
});

test.each([
  ['nobody is trusted', {}, 'http'],
  ['others are trusted', { TRUSTED_PROXIES: '192.0.2.1,198.51.100.0/24' }, 'http'],
  ['its sender is trusted', { TRUSTED_PROXIES: '192.0.2.1,127.0.0.0/8' }, 'https'],
])('X-Forwarded-Proto where %s', async (_who, settings, expected) => {
  const heard: unknown[] = [];
  const upstream = createServer(({ headers }, response) => {
    heard.push(headers['x-forwarded-proto']);
    response.end();
  });
  await once(upstream.listen(0, '127.0.0.1'), 'listening');
  const { port } = upstream.address() as AddressInfo;
  const before = await startProxy({ CONTENT_UPSTREAM: `127.0.0.1:${port}`, ...settings });
  const options = { headers: { 'x-forwarded-proto': 'https' } };
  expect((await send(`${before?.url}/api/articles`, options)).status).toBe(200);
  await before?.close();
  upstream.close();
  expect(heard).toEqual([expected]);
});

test.each([
  ['from anybody', {}, undefined],
  ['where others are trusted', { TRUSTED_PROXIES: '192.0.2.1' }, undefined],
  ['where its sender is trusted', { TRUSTED_PROXIES: '127.0.0.0/8' }, 'ann@example.org'],
])('who is logged in at a proxy in front, %s', async (_who, settings, expected) => {
  const heard: unknown[] = [];
  const upstream = createServer(({ headers }, response) => {
    heard.push(headers['x-forwarded-email']);
    response.end();
  });
  await once(upstream.listen(0, '127.0.0.1'), 'listening');
  const { port } = upstream.address() as AddressInfo;
  const before = await startProxy({
    GALLERY_ADMIN_UPSTREAM: `127.0.0.1:${port}`,
    LOGIN_PROXY_HEADER: 'X-Forwarded-Email',
    ...settings,
  });
  const paths = [
    '/api/login/proxy',
    '/api/login',
    '/api/login/methods',
    '/api/oidc/work/login',
    '/desk/media',
  ];
  for (const path of paths) {
    const headers = { 'x-forwarded-email': 'ann@example.org', 'X-FORWARDED_EMAIL': 'ann@example.org' };
    expect((await send(`${before?.url}${path}`, { headers })).status).toBe(200);
  }
  await before?.close();
  upstream.close();
  expect(heard).toEqual(paths.map(() => expected));
});

test('what the desk says of its people never comes from outside', async () => {
  const heard: unknown[] = [];
  const upstream = createServer(({ headers }, response) => {
    heard.push([headers['x-api-key'], headers['x-desk-person'], headers['x-forwarded-host'] !== undefined]);
    response.end();
  });
  await once(upstream.listen(0, '127.0.0.1'), 'listening');
  const { port } = upstream.address() as AddressInfo;
  const before = await startProxy({ CONTENT_UPSTREAM: `127.0.0.1:${port}` });
  await send(`${before?.url}/api/trash`, { headers: { 'x-api-key': 'key', 'x-desk-person': 'Ada' } });
  await before?.close();
  upstream.close();
  expect(heard).toEqual([['key', undefined, true]]);
});

test('logins beyond the limit are 429 before they cost the gallery anything', async () => {
  const before = await startProxy({
    GALLERY_ADMIN_UPSTREAM: upstreamOf(gallery.url),
  });
  const login = (number: number) =>
    send(`${before?.url}/api/login`, {
      method: 'POST',
      json: { ...ADMIN, username: `nobody${number}` },
      headers: { 'x-forwarded-for': `203.0.113.${number}` },
    });
  const answers = await Promise.all(Array.from({ length: 16 }, (_, number) => login(number)));
  await before?.close();
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(1);
  expect(answers.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(3);
  for (const { body, headers } of refused) {
    expect(body).toMatchObject({ code: 'rate_limited', success: false });
    expect(headers.get('retry-after')).toBe('60');
  }
});

test('a login through the proxy works from a page of the same address, and not from another', async () => {
  const origin = new URL(proxy?.url ?? '').origin;
  const login = (from: string) =>
    send(`${proxy?.url}/api/login`, { method: 'POST', json: ADMIN, headers: { origin: from } });
  expect((await login(origin)).status).toBe(200);
  expect((await login('https://elsewhere.example')).status).toBe(403);
});

test('a file is uploaded to the public address of the store and read from it, whatever its name', async () => {
  const service = await startGallery({
    ...gallery.settings,
    S3_PUBLIC_ENDPOINT: proxy?.storeUrl ?? '',
    TRUST_PROXY: '1',
  });
  const before = await startProxy({ GALLERY_ADMIN_UPSTREAM: upstreamOf(service.url) });
  const headers = { cookie: gallery.cookie };
  const filename = "it's a+b %20#?&=.txt";
  const asked = { filename, path: 'Фото//'.slice(0, -1), contentType: 'text/plain' };
  const { body } = await send(`${before?.url}/api/upload`, { method: 'POST', json: asked, headers });
  expect(new URL(body.url).origin).toBe(proxy?.storeUrl);
  const type = { 'content-type': 'text/plain' };
  expect((await send(body.url, { method: 'PUT', raw: 'the file', headers: type })).status).toBe(200);
  const listing = await send(`${before?.url}/api/gallery?json=1&path=${encodeURIComponent('Фото')}`, {
    headers,
  });
  expect((await send(listing.body.data.files[0].url)).text).toBe('the file');
  await before?.close();
  await service.close();
});

test('with two replicas, one of which is gone, every read and every write is answered', async () => {
  const gone = await startContent(content.database.url, { TRUST_PROXY: '1' });
  const before = await startProxy({
    CONTENT_UPSTREAM: `${upstreamOf(gone.url)},${upstreamOf(content.url)}`,
  });
  await gone.close();
  const statuses = new Set<number>();
  for (let number = 1; number <= 20; number += 1) {
    statuses.add((await send(`${before?.url}/api/articles?page=${number}`)).status);
    const headers = { 'x-api-key': content.key };
    const json = articleBody({ title: `Written ${number}` });
    statuses.add((await send(`${before?.url}/api/articles`, { method: 'POST', json, headers })).status);
  }
  await before?.close();
  expect(statuses).toEqual(new Set([200, 201]));
});

test('a setting that could add directives does not start the proxy', async () => {
  await expect(startProxy({ CONTENT_UPSTREAM: 'content:4003; return 200' })).rejects.toThrow(
    /CONTENT_UPSTREAM is "content:4003; return 200", expected/,
  );
});
