import { afterAll, beforeAll, describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { send } from '../../support/http.ts';
import { type NewsFeedFixture, newsFeedFixture, startNewsFeed } from '../../support/news-feed.ts';
import { exchange, parseAnswer } from '../../support/raw-http.ts';

const SNAPSHOT = '/api/v1/selected/snapshot';

let feed: NewsFeedFixture;

beforeAll(async () => {
  feed = await newsFeedFixture();
});
afterAll(() => feed.close());

describe('browsers', () => {
  it('may read from a page of any site', async () => {
    for (const path of [SNAPSHOT, '/nothing', `${SNAPSHOT}?limit=x`]) {
      const { headers } = await send(feed.url + path, { headers: { origin: 'https://reader.example' } });
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-expose-headers')).toBe('ETag, Retry-After, X-Request-Id, Link');
    }
  });

  it('are told so in advance for a day, about any path', async () => {
    for (const path of [SNAPSHOT, '/api/v1/stories/any']) {
      const { status, headers, text } = await send(feed.url + path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://reader.example',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'if-none-match',
        },
      });
      expect({ status, text }).toEqual({ status: 204, text: '' });
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS');
      expect(headers.get('access-control-allow-headers')).toBe('if-none-match');
      expect(headers.get('access-control-max-age')).toBe('86400');
    }
  });
});

test.each([[{}], [{ origin: 'https://reader.example' }], [{ 'access-control-request-method': 'GET' }]])(
  'OPTIONS with %j is not a preflight: 405, and none of its headers',
  async (headers: Record<string, string>) => {
    const answer = await send(feed.url + SNAPSHOT, { method: 'OPTIONS', headers });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    for (const name of ['methods', 'headers']) {
      expect(answer.headers.get(`access-control-allow-${name}`)).toBeNull();
    }
    expect(answer.headers.get('access-control-max-age')).toBeNull();
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  },
);

describe('a client', () => {
  it('is one client whatever its port; if it is not an address, the hop before it counts', async () => {
    const settings = { NEWS_RATE_LIMIT: '3', DENY_CIDRS: '10.1.0.0/16', TRUST_PROXY: '2' };
    const trusting = await startNewsFeed(feed.database.url, settings);
    const from = async (address: string) => {
      const answer = await send(trusting.url + SNAPSHOT, { headers: { 'x-forwarded-for': address } });
      return `${answer.status} ${answer.headers.get('x-ratelimit-remaining')}`;
    };
    const answers = [];
    for (const address of [
      '7.7.7.8:1234',
      '7.7.7.8:1235',
      '7.7.7.8',
      '7.7.7.8:1, 9.9.9.1',
      '[2001:db8:1:2::3]:5',
      '[2001:db8:1:2::4]',
      '2001:db8:1:2::5',
      'unknown, 9.9.9.2:80',
      'other, 9.9.9.2',
      '10.1.2.3:443',
    ])
      answers.push(await from(address));
    await trusting.close();
    expect(answers).toEqual([
      '200 2',
      '200 1',
      '200 0',
      '429 0',
      '200 2',
      '200 1',
      '200 0',
      '200 2',
      '200 1',
      '403 null',
    ]);
  });

  it('may send any User-Agent of up to 2048 characters', async () => {
    for (const [length, status] of [
      [2048, 200],
      [2049, 400],
    ] as const) {
      const answer = await send(feed.url + SNAPSHOT, { headers: { 'user-agent': 'x'.repeat(length) } });
      expect(answer.status).toBe(status);
    }
    const { body } = await send(feed.url + SNAPSHOT, { headers: { 'user-agent': 'x'.repeat(3000) } });
    expect(body).toMatchObject({ code: 'invalid_request', detail: expect.stringContaining('user-agent') });
  });

  it('is refused from a denied address, which it cannot disguise', async () => {
    const settings = { DENY_CIDRS: '10.1.0.0/16, 2001:db8::/32', TRUST_PROXY: '127.0.0.1' };
    const trusting = await startNewsFeed(feed.database.url, settings);
    const from = async (address: string) => {
      const answer = await send(trusting.url + SNAPSHOT, { headers: { 'x-forwarded-for': address } });
      return [answer.status, answer.body.code];
    };
    const answers = {
      denied: await from('10.1.2.3'),
      denied6: await from('2001:db8::1'),
      mapped: await from('::ffff:10.1.2.3'),
      other: await from('10.2.2.3'),
      other6: await from('2001:db9::1'),
      garbled: await from('not-an-address'),
      garbled6: await from('not:an:address'),
    };
    const health = await send(`${trusting.url}/healthz`, { headers: { 'x-forwarded-for': '10.1.2.3' } });
    await trusting.close();
    expect(answers).toEqual({
      denied: [403, 'forbidden'],
      denied6: [403, 'forbidden'],
      mapped: [403, 'forbidden'],
      other: [200, undefined],
      other6: [200, undefined],
      garbled: [200, undefined],
      garbled6: [200, undefined],
    });
    expect(health.status).toBe(200);
  });

  it('has NEWS_RATE_LIMIT requests per minute, not counting preflights, then gets 429 with Retry-After', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    onTestFinished(() => void vi.useRealTimers());
    const limited = await startNewsFeed(feed.database.url, { NEWS_RATE_LIMIT: '3' });
    const preflight = await send(limited.url + SNAPSHOT, {
      method: 'OPTIONS',
      headers: { origin: 'https://reader.example', 'access-control-request-method': 'GET' },
    });
    expect(preflight.status).toBe(204);
    const answers = [];
    for (let request = 0; request < 4; request += 1) answers.push(await send(limited.url + SNAPSHOT));
    const other = await send(`${limited.url}/healthz`);
    await limited.close();
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers[3]?.body.code).toBe('rate_limited');
    expect(answers[3]?.headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
    expect(answers[3]?.headers.get('cache-control')).toBe('no-store');
    expect(other.status).toBe(200);
  });
});

test('a request that cannot be read is a problem that scripts of any site can read', async () => {
  const large = `GET ${SNAPSHOT} HTTP/1.1\r\nHost: test\r\nX-Large: ${'a'.repeat(20_000)}\r\n\r\n`;
  const { answer } = parseAnswer(await exchange(feed.url, large));
  expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([431, '*']);
});

describe('a body', () => {
  const json = 'Content-Type: application/json';

  it.each([
    ['announced, but not sent', 'GET', [json], '', 200],
    ['with a length', 'GET', [json, 'Content-Length: 7'], '{"a":1}', 200],
    ['in chunks', 'GET', [json, 'Transfer-Encoding: chunked'], '7\r\n{"a":1}\r\n0\r\n\r\n', 200],
    ['of a POST, announced, but not sent', 'POST', [json], '', 405],
    ['of a POST', 'POST', [json, 'Content-Length: 7'], '{"a":1}', 405],
  ])(
    '%s is ignored, and the next request on the connection is answered',
    async (_what, method, headers, body, status) => {
      const first = [`${method} ${SNAPSHOT} HTTP/1.1`, 'Host: test', ...headers, '', body].join('\r\n');
      const next = 'GET /healthz HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n';
      const { answer, rest } = parseAnswer(await exchange(feed.url, first + next));
      expect([answer.status, parseAnswer(rest).answer.status]).toEqual([status, 200]);
    },
  );
});

describe('an unknown path or method', () => {
  it('is 404 for a minute, for unknown paths whatever the method', async () => {
    for (const method of ['GET', 'POST']) {
      const { status, body, headers } = await send(`${feed.url}/api/v1/nothing`, { method });
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'not_found' });
      expect(headers.get('cache-control')).toBe('public, max-age=60');
    }
  });

  it('is 405 for known paths with another method, and not kept', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, body, headers } = await send(feed.url + SNAPSHOT, { method });
      expect({ status, code: body.code }).toEqual({ status: 405, code: 'method_not_allowed' });
      expect(headers.get('allow')).toBe('GET, HEAD');
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });
});

describe('the description', () => {
  it('is version 2.0.0 of OpenAPI 3.1, at both of its addresses', async () => {
    const [one, two] = [await send(`${feed.url}/openapi.json`), await send(`${feed.url}/openapi-v1.json`)];
    expect(one.body).toMatchObject({ openapi: '3.1.0', info: { version: '2.0.0' } });
    expect(two.body).toEqual(one.body);
    expect(Object.keys(one.body.paths)).toEqual(
      expect.arrayContaining([SNAPSHOT, '/api/v1/selected/changes']),
    );
  });
});
