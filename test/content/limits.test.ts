import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ContentFixture, contentFixture, startContent } from '../support/content.ts';
import { articleBody } from '../support/content-client.ts';
import { type Answer, type Sending, send } from '../support/http.ts';
import { startRedis } from '../support/redis/redis-server.ts';
import { until } from '../support/until.ts';

/** Limits that are reached in a few requests. */
const SMALL = { CONTENT_RATE_LIMIT: '5', CONTENT_KEY_RATE_LIMIT: '8' };

const started: { close: () => Promise<void> }[] = [];

// The windows of a minute stand still, however long a test takes.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }));
afterAll(() => void vi.useRealTimers());

afterEach(async () => {
  for (const service of started.splice(0)) await service.close();
});

async function serve(settings: Record<string, string> = {}): Promise<ContentFixture> {
  const fixture = await contentFixture({ ...SMALL, ...settings });
  started.push(fixture);
  return fixture;
}

/** The rate headers of an answer, as numbers. */
function rateOf({ headers }: Answer): { limit: number; remaining: number; reset: number } {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => {
    const value = headers.get(`x-ratelimit-${name}`);
    expect(value, name).toMatch(/^\d+$/);
    return Number(value);
  });
  return { limit: Number(limit), remaining: Number(remaining), reset: Number(reset) };
}

/** Expects a 429 that says when to come back. */
function expectRefused(answer: Answer, limit: number): void {
  expect([answer.status, answer.body.code]).toEqual([429, 'rate_limited']);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.body).toMatchObject({ status: 429, requestId: answer.headers.get('x-request-id') });
  const { reset, ...rate } = rateOf(answer);
  expect(rate).toEqual({ limit, remaining: 0 });
  const retryAfter = Number(answer.headers.get('retry-after'));
  expect(Number.isInteger(retryAfter)).toBe(true);
  expect(retryAfter).toBeGreaterThanOrEqual(1);
  expect(retryAfter).toBeLessThanOrEqual(60);
  expect(reset).toBe(retryAfter);
}

/** A request from a client behind the proxy. */
const from = (address: string): Sending => ({ headers: { 'x-forwarded-for': address } });

describe('anonymous requests', () => {
  test('count by address up to the limit, whatever they request and whatever the answer', async () => {
    const { url } = await serve();
    const etag = (await send(`${url}/api/articles`)).headers.get('etag') ?? '';
    const asked: [string, Sending, number][] = [
      ['/api/articles', { headers: { 'if-none-match': etag } }, 304],
      ['/api/articles?page=x', {}, 400],
      ['/api/nothing', {}, 404],
      ['/api/articles', { method: 'PUT', raw: '{', headers: { 'content-type': 'application/json' } }, 405],
    ];
    for (const [index, [path, sending, status]] of asked.entries()) {
      const answer = await send(url + path, sending);
      expect(answer.status).toBe(status);
      const { limit, remaining, reset } = rateOf(answer);
      expect([limit, remaining]).toEqual([5, 3 - index]);
      expect(reset).toBeGreaterThanOrEqual(1);
      expect(reset).toBeLessThanOrEqual(60);
    }
    for (const path of ['/api/articles', '/api/categories', '/api/nothing']) {
      expectRefused(await send(url + path), 5);
    }
    expectRefused(await send(`${url}/api/articles`, { method: 'DELETE' }), 5);
  });

  test('count from zero when the minute is over, and not before', async () => {
    const { url } = await serve();
    const ask = async () => rateOf(await send(`${url}/api/articles`));
    expect(await ask()).toEqual({ limit: 5, remaining: 4, reset: 60 });
    vi.setSystemTime(Date.now() + 59_000);
    expect(await ask()).toEqual({ limit: 5, remaining: 3, reset: 1 });
    vi.setSystemTime(Date.now() + 1000);
    expect(await ask()).toEqual({ limit: 5, remaining: 4, reset: 60 });
  });

  test('are not refused for an hour when the clock is set back an hour', async () => {
    const { url } = await serve();
    const ask = () => send(`${url}/api/articles`);
    for (let n = 0; n < 5; n += 1) await ask();
    expectRefused(await ask(), 5);
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(rateOf(await ask())).toEqual({ limit: 5, remaining: 4, reset: 60 });
  });

  test('are limited to 60 per minute by default, with a key to 1000', async () => {
    const { url, key } = await serve({ CONTENT_RATE_LIMIT: '', CONTENT_KEY_RATE_LIMIT: '' });
    expect(rateOf(await send(`${url}/api/articles`))).toMatchObject({ limit: 60, remaining: 59 });
    const keyed = await send(`${url}/api/articles`, { headers: { 'x-api-key': key } });
    expect(rateOf(keyed)).toMatchObject({ limit: 1000, remaining: 999 });
  });

  test('for suggestions count by themselves, up to twice as many', async () => {
    const { url, key } = await serve();
    const rate = async (path: string, headers = {}) => rateOf(await send(url + path, { headers }));
    for (let left = 9; left >= 7; left -= 1) {
      expect(await rate('/api/articles/suggest?q=a')).toMatchObject({ limit: 10, remaining: left });
    }
    expect(await rate('/api/articles')).toMatchObject({ limit: 5, remaining: 4 });
    expect(await rate('/api/articles/suggestions')).toMatchObject({ limit: 5, remaining: 3 });
    const keyed = { 'x-api-key': key };
    expect(await rate('/api/articles/suggest', keyed)).toMatchObject({ limit: 16, remaining: 15 });
    // Other sites are asked a 50th as often.
    expect(await rate('/api/articles/links/external', keyed)).toMatchObject({ limit: 1, remaining: 0 });
  });

  test('never stop the health checks or the documentation', async () => {
    const { url } = await serve();
    for (let n = 0; n < 6; n += 1) await send(`${url}/api/articles`);
    for (const path of ['/healthz', '/readyz', '/openapi.json']) {
      expect((await send(url + path)).status).toBe(200);
    }
  });
});

describe('requests with a key', () => {
  test('count by key, including reads, and not against the address', async () => {
    const { url, key } = await serve();
    for (let n = 0; n < 6; n += 1) await send(`${url}/api/articles`);
    const headers = { 'x-api-key': key };
    const write = { method: 'POST', json: articleBody(), headers };
    for (let n = 0; n < 4; n += 1) {
      const read = await send(`${url}/api/articles`, { headers });
      expect(read.status).toBe(200);
      expect(rateOf(read)).toMatchObject({ limit: 8, remaining: 7 - 2 * n });
      const written = await send(`${url}/api/articles`, write);
      expect(written.status).toBe(201);
      expect(rateOf(written)).toMatchObject({ limit: 8, remaining: 6 - 2 * n });
    }
    expectRefused(await send(`${url}/api/articles`, write), 8);
    const bearer = { headers: { authorization: `Bearer ${key}` } };
    expectRefused(await send(`${url}/api/articles/1`, bearer), 8);
  });

  test('count against the address with a wrong key, and without one', async () => {
    const { url, key } = await serve();
    const wrong = { 'x-api-key': `${key.slice(0, -2)}xx` };
    expect(rateOf(await send(`${url}/api/articles`, { headers: wrong }))).toMatchObject({
      limit: 5,
      remaining: 4,
    });
    const post = { method: 'POST', json: articleBody() };
    expect(rateOf(await send(`${url}/api/articles`, { ...post, headers: wrong })).remaining).toBe(3);
    expect(rateOf(await send(`${url}/api/articles`, post)).remaining).toBe(2);
    expect(rateOf(await send(`${url}/api/articles`)).remaining).toBe(1);
    expect((await send(`${url}/api/articles`, { headers: wrong })).status).toBe(403);
    expectRefused(await send(`${url}/api/articles`, { headers: wrong }), 5);
    expect((await send(`${url}/api/articles`, { headers: { 'x-api-key': key } })).status).toBe(200);
  });

  test('with wrong keys are counted before they are looked up, however many come at once', async () => {
    const { url, key } = await serve();
    const wrong = Array.from(
      { length: 40 },
      (_, index) => `${key.slice(0, 20)}${String(index).padStart(35, 'x')}`,
    );
    const answers = await Promise.all(
      wrong.map((one) => send(`${url}/api/articles`, { headers: { 'x-api-key': one } })),
    );
    const statuses = answers.map(({ status }) => status);
    for (const status of statuses) expect([403, 429]).toContain(status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(35);
    const refused = await send(`${url}/api/articles`, { headers: { 'x-api-key': wrong[0] ?? '' } });
    expectRefused(refused, 5);
  });

  test('are counted separately for each key', async () => {
    const { url, key, database } = await serve();
    await database.pool.query(`insert into content.api_key (prefix, name, secret_hash)
      select 'AAAAAAAA', 'Other', sha256(convert_to('pk_AAAAAAAA_' || repeat('x', 43), 'UTF8'))`);
    for (let n = 0; n < 8; n += 1) await send(`${url}/api/articles`, { headers: { 'x-api-key': key } });
    expectRefused(await send(`${url}/api/articles`, { headers: { 'x-api-key': key } }), 8);
    const other = { headers: { 'x-api-key': `pk_AAAAAAAA_${'x'.repeat(43)}` } };
    expect(rateOf(await send(`${url}/api/articles`, other))).toMatchObject({ limit: 8, remaining: 7 });
  });
});

describe('the address of a client', () => {
  /** Returns the requests that each of these clients has left after one more. */
  const remaining = async (url: string, addresses: string[]) => {
    const left: number[] = [];
    for (const address of addresses)
      left.push(rateOf(await send(`${url}/api/articles`, from(address))).remaining);
    return left;
  };

  test('is that of the connection, whatever X-Forwarded-For says', async () => {
    const { url } = await serve();
    expect(await remaining(url, ['203.0.113.1', '203.0.113.2', '203.0.113.3'])).toEqual([4, 3, 2]);
  });

  test.each(['1', '127.0.0.0/8'])('is what the proxy says behind TRUST_PROXY=%s', async (TRUST_PROXY) => {
    const { url } = await serve({ TRUST_PROXY });
    expect(await remaining(url, ['203.0.113.1', '203.0.113.2', '203.0.113.1'])).toEqual([4, 4, 3]);
    // The part that a client adds in front does not come from the proxy.
    expect(await remaining(url, ['198.51.100.7, 203.0.113.1', '198.51.100.8, 203.0.113.1'])).toEqual([2, 1]);
  });

  test('is that of the connection if the proxy is not trusted', async () => {
    const { url } = await serve({ TRUST_PROXY: '192.0.2.1' });
    expect(await remaining(url, ['203.0.113.1', '203.0.113.2'])).toEqual([4, 3]);
  });

  test('never counts against a key, whatever the proxy passes on', async () => {
    const { url, database } = await serve({ TRUST_PROXY: '1' });
    await database.pool.query(`insert into content.api_key (prefix, name, secret_hash)
      select 'aaaaaaaa', 'Other', sha256(convert_to('pk_aaaaaaaa_' || repeat('x', 43), 'UTF8'))`);
    expect(await remaining(url, ['key:aaaaaaaa', 'key:aaaaaaaa'])).toEqual([4, 3]);
    const keyed = { headers: { 'x-api-key': `pk_aaaaaaaa_${'x'.repeat(43)}` } };
    expect(rateOf(await send(`${url}/api/articles`, keyed))).toMatchObject({ limit: 8, remaining: 7 });
  });

  test('is the /64 of an IPv6 client, and the IPv4 one that is mapped', async () => {
    const { url } = await serve({ TRUST_PROXY: '1' });
    const sameNetwork = ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:DB8:1:2:0:0:0:9'];
    expect(await remaining(url, sameNetwork)).toEqual([4, 3, 2]);
    expect(await remaining(url, ['2001:db8:1:3::1'])).toEqual([4]);
    expect(await remaining(url, ['203.0.113.9', '::ffff:203.0.113.9'])).toEqual([4, 3]);
  });
});

describe('behind REDIS_URL', () => {
  test('replicas share a count', async () => {
    const redis = await startRedis();
    onTestFinished(redis.stop);
    const first = await serve({ REDIS_URL: redis.url });
    const second = await startContent(first.database.url, { ...SMALL, REDIS_URL: redis.url });
    try {
      const left = [];
      for (const { url } of [first, second, first, second, first]) {
        left.push(rateOf(await send(`${url}/api/articles`)).remaining);
      }
      expect(left).toEqual([4, 3, 2, 1, 0]);
      for (const { url } of [first, second]) expectRefused(await send(`${url}/api/articles`), 5);
      const headers = { 'x-api-key': first.key };
      expect(rateOf(await send(`${first.url}/api/articles`, { headers })).remaining).toBe(7);
      expect(rateOf(await send(`${second.url}/api/articles`, { headers })).remaining).toBe(6);
    } finally {
      await second.close();
    }
  });

  test('requests continue while Redis is down, with one log line, and share counts again when it is back', async () => {
    const redis = await startRedis();
    onTestFinished(redis.stop);
    const { url, log } = await serve({ REDIS_URL: redis.url });
    const lines = (name: string) => log.events().filter(({ msg }) => msg === name);
    expect(rateOf(await send(`${url}/api/articles`)).remaining).toBe(4);

    await redis.stop();
    for (const remaining of [4, 3, 2]) {
      const answer = await send(`${url}/api/articles`);
      expect(answer.status).toBe(200);
      expect(rateOf(answer).remaining).toBe(remaining);
    }
    expect(lines('rate_limit_redis_away')).toHaveLength(1);
    expect(log.text()).not.toContain(redis.url);

    const again = await startRedis({ port: redis.port });
    onTestFinished(again.stop);
    await until('Redis is noticed', () => lines('rate_limit_redis_back').length > 0);
    expect(rateOf(await send(`${url}/api/articles`)).remaining).toBe(4);
    expect(rateOf(await send(`${url}/api/articles`)).remaining).toBe(3);
    expect(lines('rate_limit_redis_away')).toHaveLength(1);
    expect(lines('rate_limit_redis_back')).toHaveLength(1);
  });

  test('the service starts while Redis is down', async () => {
    const redis = await startRedis();
    await redis.stop();
    const { url } = await serve({ REDIS_URL: redis.url });
    const answers = await Promise.all([1, 2, 3].map(() => send(`${url}/api/articles`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.map((answer) => rateOf(answer).remaining).sort()).toEqual([2, 3, 4]);
  });
});
