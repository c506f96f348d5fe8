import { ApiKeyStore } from '@pressroom/content/api-keys';
import type { ContentTables } from '@pressroom/content/tables';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { articleBody, type ContentClient, wholeArticle } from '../support/content-client.ts';
import { type Answer, type JsonBody, send } from '../support/http.ts';
import { sendLines } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

let fixture: ContentFixture;
let client: ContentClient;
let keys: ApiKeyStore;

beforeAll(async () => {
  fixture = await contentFixture();
  client = fixture.client;
  const dialect = new PostgresDialect({ pool: fixture.database.pool });
  keys = new ApiKeyStore(new Kysely<ContentTables>({ dialect }));
});

afterAll(() => fixture.close());

/** Every write operation, by method and path. */
const WRITES = [
  ['POST', '/api/articles'],
  ['PUT', '/api/articles/1'],
  ['PATCH', '/api/articles/1'],
  ['DELETE', '/api/articles/1'],
  ['POST', '/api/categories'],
  ['PUT', '/api/categories/1'],
  ['PATCH', '/api/categories/1'],
  ['DELETE', '/api/categories/1'],
] as const;

const READS = ['/api/articles', '/api/articles/1', '/api/categories', '/api/categories/1'] as const;

/** Expects a problem document (RFC 9457) with exactly the members that every one has. */
function expectProblem({ status, headers, body }: Answer, expected: number, code: string): void {
  expect([status, body.code]).toEqual([expected, code]);
  expect(headers.get('content-type')).toBe('application/problem+json');
  expect(headers.get('cache-control')).toBe('no-store');
  const members = ['code', 'detail', 'requestId', 'status', 'title', 'type'];
  expect(Object.keys(body).sort()).toEqual(expected === 422 ? [...members, 'errors'].sort() : members);
  expect(body).toMatchObject({
    type: 'about:blank',
    status: expected,
    requestId: headers.get('x-request-id'),
  });
  expect(body.title).toMatch(/^[A-Z]/);
  expect(body.detail).toMatch(/\w/);
}

describe('every status in the contract', () => {
  test('400: a bad id, a bad parameter, a body that is not JSON', async () => {
    expectProblem(await client.anonymously('/api/articles/x'), 400, 'invalid_request');
    expectProblem(await client.anonymously('/api/articles?page=x'), 400, 'invalid_request');
    const raw = { method: 'POST', raw: '{', headers: { 'content-type': 'application/json' } };
    expectProblem(await client.send('/api/articles', raw), 400, 'invalid_request');
  });

  test('401 and 403: no key, and an invalid one', async () => {
    const post = { method: 'POST', json: articleBody() };
    expectProblem(await client.anonymously('/api/articles', post), 401, 'unauthorized');
    const headers = { 'x-api-key': 'wrong' };
    expectProblem(await client.anonymously('/api/articles', { ...post, headers }), 403, 'forbidden');
  });

  test('404: an unknown path and an unknown id', async () => {
    expectProblem(await client.anonymously('/api/nothing'), 404, 'not_found');
    expectProblem(await client.anonymously('/api'), 404, 'not_found');
    expectProblem(await client.anonymously('/api/articles/2147483647'), 404, 'not_found');
  });

  test('405: a known path with another method', async () => {
    expectProblem(await client.send('/api/articles', { method: 'DELETE' }), 405, 'method_not_allowed');
  });

  test('409: a category that still has articles, and a slug that is taken', async () => {
    const { id, slug } = await client.category({ name: 'Full' });
    await client.article({ category_id: id });
    expectProblem(await client.delete(`/api/categories/${id}`), 409, 'category_not_empty');
    expectProblem(await client.post('/api/categories', { name: 'x', slug }), 409, 'slug_taken');
  });

  test('412, 413 and 415', async () => {
    const { id } = await client.article();
    const stale = { method: 'DELETE', headers: { 'if-match': '"stale"' } };
    expectProblem(await client.send(`/api/articles/${id}`, stale), 412, 'precondition_failed');
    const large = await client.post('/api/articles', { title: 'x'.repeat(3_000_000) });
    expectProblem(large, 413, 'payload_too_large');
    const text = { method: 'POST', raw: 'x', headers: { 'content-type': 'text/plain' } };
    expectProblem(await client.send('/api/articles', text), 415, 'unsupported_media_type');
  });

  test('422: a body that breaks a rule', async () => {
    expectProblem(await client.post('/api/articles', {}), 422, 'validation_failed');
    const unsafe = await client.post('/api/articles', articleBody({ content: `${'x'.repeat(50)}<base>` }));
    expectProblem(unsafe, 422, 'unsafe_html');
  });

  test('500: opaque, with everything in the log under the request id', async () => {
    const { pool } = fixture.database;
    await pool.query('alter table content.article rename to mislaid');
    try {
      const headers = { 'x-request-id': 'find-me-in-the-log' };
      const answer = await client.anonymously('/api/articles/1', { headers });
      expectProblem(answer, 500, 'internal_error');
      expect(answer.text).not.toMatch(/content\.|relation|mislaid|42P01|select|postgres|\.ts|stack| at /i);
      const event = fixture.log.events().find(({ msg }) => msg === 'request_failed');
      expect(event).toMatchObject({
        level: 'error',
        requestId: 'find-me-in-the-log',
        code: 'internal_error',
      });
      expect(JSON.stringify(event)).toContain('content.article');
    } finally {
      await pool.query('alter table content.mislaid rename to article');
    }
    expect((await client.anonymously('/api/articles')).status).toBe(200);
  });
});

describe('keys', () => {
  test.each(WRITES)(
    '%s %s without a key is 401, with a wrong one 403, before anything is read',
    async (method, path) => {
      const url = fixture.url + path;
      const missing = await send(url, { method });
      expectProblem(missing, 401, 'unauthorized');
      expect(missing.headers.get('www-authenticate')).toBe('Bearer');
      const wrong = {
        method,
        raw: 'not json',
        headers: { 'content-type': 'text/plain', 'x-api-key': 'wrong' },
      };
      expectProblem(await send(url, wrong), 403, 'forbidden');
    },
  );

  test.each(READS)('GET %s with a wrong key is 403', async (path) => {
    expectProblem(await client.anonymously(path, { headers: { 'x-api-key': 'wrong' } }), 403, 'forbidden');
  });

  /** The status of a create with these headers. */
  const createWith = async (headers: Record<string, string>) => {
    const { status } = await client.anonymously('/api/articles', {
      method: 'POST',
      json: articleBody(),
      headers,
    });
    return status;
  };

  test('a valid key is accepted in X-API-Key and as Bearer, with any case of the scheme', async () => {
    expect(await createWith({ 'x-api-key': fixture.key })).toBe(201);
    expect(await createWith({ authorization: `Bearer ${fixture.key}` })).toBe(201);
    expect(await createWith({ authorization: `bearer ${fixture.key}` })).toBe(201);
  });

  test.each([
    ['an empty X-API-Key', { 'x-api-key': '' }],
    ['an empty Bearer', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: 'Basic dTpw' }],
  ])('%s does not count as a key: 401', async (_what, headers) => {
    expect(await createWith(headers)).toBe(401);
    expect((await client.anonymously('/api/articles', { headers })).status).toBe(200);
  });

  test('an empty X-API-Key does not hide a Bearer', async () => {
    expect(await createWith({ 'x-api-key': '', authorization: `Bearer ${fixture.key}` })).toBe(201);
  });

  test('a key with an error in any part is 403', async () => {
    const { key } = fixture;
    const other = key.endsWith('A') ? 'B' : 'A';
    const wrong = [
      ...[`${key}x`, key.slice(0, -1), key.slice(0, -1) + other, key.toUpperCase(), key.slice(3)],
      ...['pk_', 'x'.repeat(5000), `${key}, ${key}`, "pk_' or '1'='1_", `pk_AAAAAAAA_${key.slice(12)}`],
    ];
    for (const given of wrong) {
      expect(await createWith({ 'x-api-key': given }), given).toBe(403);
      expect(await createWith({ authorization: `Bearer ${given}` }), given).toBe(403);
    }
    expect(await createWith({ 'x-api-key': 'wrong', authorization: `Bearer ${key}` })).toBe(403);
  });

  test('an expired key is 403, and one that expires stops', async () => {
    const { key: expired } = await keys.create({ name: 'Expired', expires_at: new Date(Date.now() - 1000) });
    expect(await createWith({ 'x-api-key': expired })).toBe(403);
    const { key: expiring } = await keys.create({
      name: 'Expiring',
      expires_at: new Date(Date.now() + 3_600_000),
    });
    expect(await createWith({ 'x-api-key': expiring })).toBe(201);
    await fixture.database.pool.query(
      'update content.api_key set expires_at = clock_timestamp() where prefix = $1',
      [expiring.slice(3, 11)],
    );
    await until('the key is refused', async () => (await createWith({ 'x-api-key': expiring })) === 403);
  });

  test('a revoked key stops working', async () => {
    const { key } = await keys.create({ name: 'Revoked' });
    expect(await createWith({ 'x-api-key': key })).toBe(201);
    expect(await keys.revoke(key.slice(3, 11))).toBe(true);
    await until('the key is refused', async () => (await createWith({ 'x-api-key': key })) === 403);
    expect(await keys.revoke(key.slice(3, 11))).toBe(false);
  });

  test('look as documented, are stored as a hash, and record their last use', async () => {
    const { key } = await keys.create({ name: 'Seen' });
    expect(key).toMatch(/^pk_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}$/);
    const stored = async () => {
      const { rows } = await fixture.database.pool.query(
        `select last_used_at, to_jsonb(api_key)::text as text from content.api_key where prefix = $1`,
        [key.slice(3, 11)],
      );
      return rows[0];
    };
    expect((await stored()).last_used_at).toBe(null);
    expect((await stored()).text).not.toContain(key.slice(12));
    await createWith({ 'x-api-key': key });
    expect((await stored()).last_used_at).toBeInstanceOf(Date);
  });

  test('no key is ever logged', async () => {
    await client.anonymously('/api/articles', { headers: { authorization: `Bearer ${fixture.key}` } });
    await client.delete('/api/articles/2147483647');
    expect(fixture.log.text()).not.toContain(fixture.key.slice(12));
  });
});

describe('methods', () => {
  test.each([
    ['/api/articles', 'GET, HEAD, POST', ['PUT', 'PATCH', 'DELETE', 'OPTIONS']],
    ['/api/articles/1', 'DELETE, GET, HEAD, PATCH, PUT', ['POST', 'OPTIONS']],
    ['/api/categories', 'GET, HEAD, POST', ['PUT', 'PATCH', 'DELETE', 'OPTIONS']],
    ['/api/categories/1', 'DELETE, GET, HEAD, PATCH, PUT', ['POST', 'OPTIONS']],
    ['/healthz', 'GET, HEAD', ['POST']],
    ['/openapi.json', 'GET, HEAD', ['POST']],
  ])('%s answers to %s', async (path, allow, others) => {
    for (const method of others) {
      for (const sending of [{}, { json: {} }, { raw: 'x', headers: { 'content-type': 'text/plain' } }]) {
        const answer = await client.send(path, { method, ...sending });
        expectProblem(answer, 405, 'method_not_allowed');
        expect(answer.headers.get('allow')).toBe(allow);
        expect(answer.body.detail).toContain(allow);
      }
    }
  });

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '%s of an unknown path is 404',
    async (method) => {
      for (const path of ['/api/article', '/api/articles/1/votes', '/api', '/API/articles', '/.env']) {
        expectProblem(await client.send(path, { method }), 404, 'not_found');
      }
      if (method === 'GET') return;
      const odd = { method, raw: 'x', headers: { 'content-type': 'text/plain' } };
      expectProblem(await client.send('/api/nothing', odd), 404, 'not_found');
      const broken = { method, raw: '{', headers: { 'content-type': 'application/json' } };
      expectProblem(await client.send('/api/nothing', broken), 404, 'not_found');
    },
  );
});

describe('query strings', () => {
  test.each(READS)('GET %s refuses an unknown parameter by its name', async (path) => {
    for (const query of [
      'utm_source=x',
      'Page=1',
      'page[]=1',
      '__proto__=1',
      'constructor=1',
      'unheard-of',
    ]) {
      const answer = await client.anonymously(`${path}?${query}`);
      expectProblem(answer, 400, 'invalid_request');
      expect(answer.body.detail).toContain(query.split('=')[0]);
    }
  });

  test.each(WRITES)('%s %s refuses any parameter by its name', async (method, path) => {
    const body = path.includes('articles') ? wholeArticle() : { name: 'x', description: null };
    const json = method === 'DELETE' ? undefined : body;
    const answer = await client.send(`${path}?dry_run=1`, { method, json });
    expectProblem(answer, 400, 'invalid_request');
    expect(answer.body.detail).toContain('dry_run');
  });

  test.each(['page', 'per_page', 'category_id', 'status'])(
    '%s given twice is refused for that',
    async (name) => {
      const value = name === 'status' ? 'published' : '1';
      const answer = await client.anonymously(`/api/articles?${name}=${value}&${name}=${value}`);
      expectProblem(answer, 400, 'invalid_request');
      expect(answer.body.detail).toMatch(new RegExp(`"${name}".*once`));
    },
  );
});

describe('ids', () => {
  test.each(['0', '-1', '1.0', '01', 'x', '1e3', '0x1', '%31x', '1%20', '١', 'null', '1,2'])(
    '%s is 400 wherever it occurs',
    async (id) => {
      for (const resource of ['articles', 'categories']) {
        for (const [method, json] of [
          ['GET', undefined],
          ['PUT', resource === 'articles' ? wholeArticle() : { name: 'x', description: null }],
          ['PATCH', resource === 'articles' ? { title: 'x' } : { name: 'x' }],
          ['DELETE', undefined],
        ] as const) {
          const answer = await client.send(`/api/${resource}/${id}`, { method, json });
          expectProblem(answer, 400, 'invalid_request');
          expect(answer.body.detail).toContain('id');
        }
      }
    },
  );

  test('%zz, which is not an encoding, is 400', async () => {
    expectProblem(await client.anonymously('/api/articles/%zz'), 400, 'invalid_request');
  });

  test('one of ten thousand characters is refused', async () => {
    const { status, headers } = await client.anonymously(`/api/articles/${'x'.repeat(10_000)}`);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(headers.get('x-request-id')).toBeTruthy();
  });
});

describe('X-Request-Id', () => {
  const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
  const idOf = async (given: string, path = '/api/articles') => {
    const { headers } = await client.anonymously(path, { headers: { 'x-request-id': given } });
    return headers.get('x-request-id');
  };

  test('is kept when it is 1 to 128 visible ASCII characters', async () => {
    for (const given of ['a', 'x'.repeat(128), '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~']) {
      expect(await idOf(given)).toBe(given);
    }
  });

  test('is replaced otherwise, and generated if missing', async () => {
    for (const given of ['', 'x'.repeat(129), 'a b', 'é', 'a\tb']) expect(await idOf(given)).toMatch(UUID);
    const ids = [await client.anonymously('/api/articles'), await client.anonymously('/api/articles')].map(
      ({ headers }) => headers.get('x-request-id'),
    );
    expect(ids[0]).toMatch(UUID);
    expect(ids[0]).not.toBe(ids[1]);
  });

  test('two of them count as missing', async () => {
    const { headers } = await sendLines(fixture.url, [
      ...[
        'GET /api/articles HTTP/1.1',
        'Host: x',
        'Connection: close',
        'X-Request-Id: a',
        'X-Request-Id: b',
        '',
      ],
    ]);
    expect(headers['x-request-id']).toMatch(UUID);
  });

  test.each([
    ...[
      '/api/articles',
      '/api/articles/x',
      '/api/articles/%zz',
      '/api/nothing',
      '/api/articles?x=1',
      '/healthz',
    ],
    ...['/readyz', '/openapi.json', '/docs/', `/api/articles/${'x'.repeat(5000)}`],
  ])('is on the answer to %s', async (path) => {
    expect(await idOf('kept', path)).toBe('kept');
  });

  test('is on the log line of the request', async () => {
    await idOf('on-the-line', '/api/articles/x');
    const event = await until('the line is written', () =>
      fixture.log.events().find(({ requestId }) => requestId === 'on-the-line'),
    );
    expect(event).toMatchObject({ method: 'GET', url: '/api/articles/x', status: 400 });
  });
});

describe('malformed HTTP', () => {
  test.each([
    ['an invalid request line', 400, ['NONSENSE', '']],
    ['an unknown method', 400, ['BREW /api/articles HTTP/1.1', 'Host: x', 'Connection: close', '']],
    ['a malformed header', 400, ['GET /api/articles HTTP/1.1', 'Host: x', 'no colon', '']],
    ['oversized headers', 431, ['GET /api/articles HTTP/1.1', 'Host: x', `X: ${'x'.repeat(20_000)}`, '']],
  ])('%s is a problem document, too', async (_what, expected, lines) => {
    const { status, headers, body } = await sendLines(fixture.url, lines);
    expect(status).toBe(expected);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(headers['x-request-id']).toBeTruthy();
    expect(JSON.parse(body)).toMatchObject({
      ...{ type: 'about:blank', status: expected, code: 'invalid_request' },
      requestId: headers['x-request-id'],
    });
  });
});

test('every answer has the security headers, including errors', async () => {
  for (const path of ['/api/articles', '/api/nothing', '/api/articles/x', '/api/articles/%zz']) {
    const { headers } = await client.anonymously(path);
    expect(headers.get('x-content-type-options'), path).toBe('nosniff');
    expect(headers.get('content-security-policy'), path).toContain("default-src 'none'");
  }
});

test('no number in an address is too large to be answered', async () => {
  const { paths, components } = (await client.send('/openapi.json')).body;
  const failed: string[] = [];
  for (const [path, { get, parameters = [] }] of Object.entries<JsonBody>(paths)) {
    if (get === undefined) continue;
    const named = [...parameters, ...(get.parameters ?? [])].map((one: JsonBody) =>
      one.$ref === undefined ? one : components.parameters[one.$ref.split('/').at(-1)],
    );
    const numbers = named.filter((one: JsonBody) => one.in === 'query' && one.schema.type === 'integer');
    const cursor = named.filter((one: JsonBody) => one.in === 'query' && one.name === 'cursor');
    for (const value of ['2147483648', '9007199254740991', '99999999999999_999999999999999']) {
      const address = path.replaceAll(/\{\w+\}/g, value);
      const queries = [...numbers, ...cursor].map(
        ({ name }) => `${path.replaceAll(/\{\w+\}/g, '1')}?${name}=${value}`,
      );
      for (const asked of new Set([address, ...queries]))
        if ((await client.send(asked)).status >= 500) failed.push(asked);
    }
  }
  expect(failed).toEqual([]);
});
