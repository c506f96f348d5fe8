import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, skipWithout } from '../support/browser.ts';
import { type ContentFixture, contentFixture, startContent } from '../support/content.ts';
import { articleBody } from '../support/content-client.ts';
import { send } from '../support/http.ts';
import { exchange, parseAnswer } from '../support/raw-http.ts';

const EXPOSED =
  'ETag, Retry-After, X-Request-Id, Link, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset';

/** A page whose scripts the test writes, of an origin of its own. */
interface Site {
  origin: string;
  close: () => void;
}

async function openSite(): Promise<Site> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>A site</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => void server.close().closeAllConnections();
  return { origin: `http://127.0.0.1:${port}`, close };
}

let content: ContentFixture;
let [reader, editor]: Site[] = [];
let article: number;

beforeAll(async () => {
  [reader, editor] = [await openSite(), await openSite()];
  content = await contentFixture({ CONTENT_CORS_ORIGINS: `https://other.example, ${editor?.origin}/` });
  article = (await content.client.article({ is_published: true })).id;
});

afterAll(async () => {
  await content.close();
  for (const site of [reader, editor]) site?.close();
});

/** Sends the preflight of a request with this method and these headers from a page of `origin`. */
function ask(origin: string | undefined, method: string, headers: string, path = '/api/articles') {
  return send(content.url + path, {
    method: 'OPTIONS',
    headers: {
      origin: origin ?? '',
      'access-control-request-method': method,
      ...(headers && { 'access-control-request-headers': headers }),
    },
  });
}

/** Returns the permissions that an answer gives to other origins. */
function allowed({ headers }: { headers: Headers }) {
  const names = ['origin', 'methods', 'headers'].map((name) => headers.get(`access-control-allow-${name}`));
  return [...names, headers.get('access-control-max-age')];
}

describe('every answer', () => {
  test('can be read by scripts of any site, whatever its status', async () => {
    const limited = await startContent(content.database.url, { CONTENT_RATE_LIMIT: '1' });
    const { etag } = Object.fromEntries((await send(`${content.url}/api/articles/${article}`)).headers);
    const asJson = { 'content-type': 'application/json', 'x-api-key': content.key };
    await send(`${limited.url}/api/articles`);
    const answers = [
      await send(`${content.url}/api/articles/${article}`),
      // The same from memory.
      await send(`${content.url}/api/articles/${article}`),
      await send(`${content.url}/api/articles/${article}`, { headers: { 'if-none-match': etag ?? '' } }),
      await send(`${content.url}/api/articles?page=x`),
      await send(`${content.url}/api/articles`, { method: 'POST', json: {} }),
      await send(`${content.url}/api/articles`, { headers: { 'x-api-key': 'wrong' } }),
      await send(`${content.url}/api/articles/999999`),
      await send(`${content.url}/nothing`),
      await send(`${content.url}/api/articles`, { method: 'POST', raw: '{}', headers: asJson }),
      await send(`${limited.url}/api/articles`),
      await send(`${content.url}/readyz`),
    ];
    await limited.close();
    expect(answers.map(({ status }) => status)).toEqual(
      expect.arrayContaining([200, 304, 400, 401, 403, 404, 422, 429]),
    );
    for (const { status, headers } of answers) {
      expect([status, headers.get('access-control-allow-origin')]).toEqual([status, '*']);
      expect(headers.get('access-control-expose-headers')).toBe(EXPOSED);
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('vary') ?? '').not.toMatch(/origin/i);
    }
  });

  test('so can one to what is not HTTP', async () => {
    const { answer } = parseAnswer(await exchange(content.url, 'GET /api/articles HTTP/1.1\r\nHost\r\n\r\n'));
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([400, '*']);
  });
});

describe('a preflight', () => {
  const READS = 'GET, HEAD, OPTIONS';
  const WRITES = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

  test.each(['/api/articles', '/api/articles/1', '/api/categories/1', '/nothing', '/openapi.json'])(
    'for %s lets pages of any origin read, and those listed write, for a day',
    async (path) => {
      const reading = await ask(reader?.origin, 'GET', 'if-none-match', path);
      expect([reading.status, reading.text, ...allowed(reading)]).toEqual([
        ...[204, '', '*', READS, 'if-none-match', '86400'],
      ]);
      const writing = await ask(editor?.origin, 'PATCH', 'content-type,x-api-key', path);
      expect([writing.status, writing.text, ...allowed(writing)]).toEqual([
        ...[204, '', '*', WRITES, 'content-type,x-api-key', '86400'],
      ]);
      for (const { headers } of [reading, writing]) {
        expect(headers.get('vary')).toBe('Origin, Access-Control-Request-Headers');
      }
    },
  );

  test.each([
    'x-api-key,content-type',
    'content-type, X-API-Key',
    'authorization,content-type,Authorization',
  ])('for %s allows no page but those listed to send a key, not even with a GET', async (headers) => {
    for (const origin of [reader?.origin, 'null', `${editor?.origin}.example`, 'https://other.example:444']) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await ask(origin, method, headers);
        const [, methods, names] = allowed(answer);
        expect([answer.status, methods, names?.trim()]).toEqual([204, READS, 'content-type']);
      }
    }
    expect(allowed(await ask('https://other.example', 'POST', headers))).toEqual([
      '*',
      WRITES,
      headers,
      '86400',
    ]);
  });

  test('without CONTENT_CORS_ORIGINS allows nobody to write, and counts against nobody', async () => {
    const plain = await startContent(content.database.url, { CONTENT_RATE_LIMIT: '1' });
    const headers = { origin: editor?.origin ?? '', 'access-control-request-method': 'PUT' };
    const answers = [];
    for (let time = 0; time < 3; time += 1)
      answers.push(await send(`${plain.url}/api/articles/1`, { method: 'OPTIONS', headers }));
    await plain.close();
    for (const answer of answers)
      expect([answer.status, ...allowed(answer)]).toEqual([204, '*', READS, null, '86400']);
  });

  test('is more than OPTIONS with an Origin, which is 405', async () => {
    const { status, headers } = await send(`${content.url}/api/articles`, {
      method: 'OPTIONS',
      headers: { origin: reader?.origin ?? '' },
    });
    expect([status, headers.get('allow'), headers.get('access-control-allow-origin')]).toEqual([
      ...[405, 'GET, HEAD, POST', '*'],
    ]);
  });
});

describe('in Chromium, a page of another origin', () => {
  let browser: Browser | undefined;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  skipWithout(() => browser);
  afterAll(() => browser?.close());

  /** Status, readable headers and body of a request that a page of this site sends, or why it failed. */
  async function fetchFrom(site: Site | undefined, path: string, init: RequestInit = {}) {
    const page = (await browser?.newPage()) as Page;
    await page.goto(site?.origin ?? '');
    const [url, cache] = [content.url + path, 'no-store'];
    const answer = await page.evaluate(
      `fetch(${JSON.stringify(url)}, ${JSON.stringify({ cache, ...init })}).then(async (response) => ({
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text: await response.text(),
      }), (error) => ({ status: error.name, headers: {}, text: '' }))`,
    );
    await page.close();
    return answer as { status: number | string; headers: Record<string, string>; text: string };
  }

  test('reads an article, its validator and what is left of the rate, and 304 with the validator', async () => {
    const first = await fetchFrom(reader, `/api/articles/${article}`);
    expect([first.status, JSON.parse(first.text).data.id]).toEqual([200, article]);
    expect(first.headers).toMatchObject({
      etag: expect.stringMatching(/^".+"$/),
      'x-ratelimit-limit': '1000000',
      'x-ratelimit-remaining': expect.any(String),
      'x-ratelimit-reset': expect.any(String),
      'x-request-id': expect.any(String),
    });
    const headers = { 'if-none-match': first.headers.etag ?? '' };
    const again = await fetchFrom(reader, `/api/articles/${article}`, { headers });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', first.headers.etag]);
  });

  test('follows a slug to the one that it has become, with a header that takes a preflight', async () => {
    const { id } = await content.client.article({ slug: 'before', is_published: true });
    await content.client.patch(`/api/articles/${id}`, { slug: 'after' });
    const headers = { 'if-none-match': '"other"' };
    const { status, text } = await fetchFrom(reader, '/api/articles/by-slug/before', { headers });
    expect([status, JSON.parse(text).data.slug]).toEqual([200, 'after']);
  });

  test('reads why it was refused', async () => {
    for (const [path, status] of [
      ['/api/articles/999999', 404],
      ['/api/articles?status=draft', 401],
      ['/api/articles?page=x', 400],
    ] as const) {
      const answer = await fetchFrom(reader, path);
      expect([answer.status, JSON.parse(answer.text).status]).toEqual([status, status]);
    }
  });

  test('writes from a listed origin, and reads 422', async () => {
    const headers = { 'x-api-key': content.key, 'content-type': 'application/json' };
    const post = (json: unknown) =>
      fetchFrom(editor, '/api/articles', { method: 'POST', headers, body: JSON.stringify(json) });
    const created = await post(articleBody());
    expect(created.status).toBe(201);
    const refused = await post({ title: '' });
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([422, 'validation_failed']);
    const { id } = JSON.parse(created.text).data;
    const draft = await fetchFrom(editor, `/api/articles/${id}`, { headers });
    expect([draft.status, draft.headers['cache-control']]).toEqual([200, 'private, no-store']);
    expect((await fetchFrom(editor, `/api/articles/${id}`, { method: 'DELETE', headers })).status).toBe(200);
  });

  test('neither writes nor reads with a key from any other origin, and nothing is written', async () => {
    const count = async () => (await content.client.send('/api/articles?status=all')).body.meta.total;
    const before = await count();
    const headers = { 'x-api-key': content.key, 'content-type': 'application/json' };
    // The browser remembers what it was told about these headers.
    await fetchFrom(reader, '/api/articles', { headers: { 'content-type': 'application/json' } });
    const body = JSON.stringify(articleBody());
    for (const init of [{ headers }, { method: 'POST', headers, body }]) {
      expect((await fetchFrom(reader, '/api/articles', init)).status).toBe('TypeError');
    }
    const path = `/api/articles/${article}`;
    expect((await fetchFrom(reader, path, { method: 'DELETE', headers })).status).toBe('TypeError');
    expect(await count()).toBe(before);
  });
});
