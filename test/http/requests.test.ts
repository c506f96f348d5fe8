import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture, startContent } from '../support/content.ts';
import { articleBody } from '../support/content-client.ts';
import { send } from '../support/http.ts';
import { exchange, parseAnswer, type RawAnswer } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

/** The largest body of this file's service, in bytes. */
const BODY_LIMIT = 2 * 2 ** 20;

let content: ContentFixture;

beforeAll(async () => {
  content = await contentFixture();
});

afterAll(() => content.close());

/** A request with a Host, after whose answer the server hangs up. */
function request(firstLine: string, headers: string[] = [], body = ''): string {
  return [firstLine, 'Host: test', 'Connection: close', ...headers, '', body].join('\r\n');
}

function expectProblem(answer: RawAnswer, status: number, code: string): void {
  expect(answer.status).toBe(status);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  const document = JSON.parse(answer.body);
  expect(document).toMatchObject({ type: 'about:blank', status, code, detail: expect.stringMatching(/\S/) });
  expect(document.requestId).toBe(answer.headers['x-request-id']);
  expect(document.requestId).toMatch(/\S/);
}

const CHUNKED = 'Transfer-Encoding: chunked';

test.each([
  ['headers that are too large', request('GET / HTTP/1.1', [`X-Large: ${'a'.repeat(20_000)}`]), 431],
  ['a method that is none', request('FOO / HTTP/1.1'), 400],
  ['bytes that are not HTTP', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 400],
  ['another version of HTTP', request('GET / HTTP/3.0'), 400],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['two lengths of a body', request('POST / HTTP/1.1', ['Content-Length: 5', CHUNKED], '0\r\n\r\n'), 400],
  ['a length that is not a number', request('POST / HTTP/1.1', ['Content-Length: x']), 400],
  ['a chunk without a length', request('POST /api/articles HTTP/1.1', [CHUNKED], 'zz\r\n'), 400],
  ['a header without a name', request('GET / HTTP/1.1', [': x']), 400],
  ['a header with a line feed', request('GET / HTTP/1.1', ['X-A: b\nX-C: d\u0000']), 400],
  ['a missing Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ['a percent sign that encodes nothing', request('GET /api/%zz HTTP/1.1'), 400],
  ['a path that is not UTF-8', request('GET /api/articles/%ff HTTP/1.1'), 400],
  ['a NUL in the path', request('GET /api/articles/%00 HTTP/1.1'), 400],
  ['a byte of the path that is not a visible character', request('GET /api/a\tb HTTP/1.1'), 400],
  ['a path that is not encoded', request('GET /api/\xe9 HTTP/1.1'), 400],
  ['a segment that is too long', request(`GET /api/articles/${'9'.repeat(5000)} HTTP/1.1`), 400],
  ['two Hosts', request('GET /healthz HTTP/1.1', ['Host: other']), 400],
  ['one Host twice', request('GET /healthz HTTP/1.1', ['host: test']), 400],
  ...['', 'a b', 'a,b', 'user@a', 'a/b', 'a:b', 'a:1:2', '[::1', '[::g]', 'a?b', 'https://a', 'é'].map(
    (host): [string, string, number] => [
      `the Host "${host}"`,
      `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      400,
    ],
  ),
])('%s is a problem', async (_what, text, status) => {
  const { answer, rest } = parseAnswer(await exchange(content.url, text));
  expectProblem(answer, status, 'invalid_request');
  expect(rest).toBe('');
});

test.each(['test', 'a.example:4003', '127.0.0.1:80', '[::1]:4003', 'xn--bcher-kva.example', 'my_host'])(
  'the Host "%s" is one',
  async (host) => {
    const text = `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    expect(parseAnswer(await exchange(content.url, text)).answer.status).toBe(200);
  },
);

test.each(['/api/%zz', '/api/articles/%ff', '/%', `/api/articles/${'9'.repeat(5000)}`, '/caf%E9?page=1'])(
  'the path %s, which cannot be read, is counted as any other',
  async (path) => {
    const limited = await startContent(content.database.url, { CONTENT_RATE_LIMIT: '2' });
    const ask = async () => parseAnswer(await exchange(limited.url, request(`GET ${path} HTTP/1.1`))).answer;
    const answers = [await ask(), await ask(), await ask()];
    await limited.close();
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 429]);
    for (const { headers } of answers) expect(headers['x-ratelimit-limit']).toBe('2');
  },
);

test('a request that cannot be read is in the log by the id that it was answered with', async () => {
  const { answer } = parseAnswer(await exchange(content.url, request('FOO / HTTP/1.1')));
  const events = content.log.events().filter(({ requestId }) => requestId === answer.headers['x-request-id']);
  expect(events).toMatchObject([{ msg: 'request_unreadable', status: 400, fault: 'HPE_INVALID_METHOD' }]);
});

test.each([
  ['PROPFIND /api/articles', 405, 'GET, HEAD, POST'],
  ['TRACE /api/articles/1', 405, 'DELETE, GET, HEAD, PATCH, PUT'],
  ['POST /healthz', 405, 'GET, HEAD'],
  ['OPTIONS /api/articles', 405, 'GET, HEAD, POST'],
  ['PROPFIND /nowhere', 404, undefined],
  ['OPTIONS *', 404, undefined],
])('%s is %i', async (firstLine, status, allow) => {
  const { answer } = parseAnswer(await exchange(content.url, request(`${firstLine} HTTP/1.1`)));
  expectProblem(answer, status, status === 405 ? 'method_not_allowed' : 'not_found');
  expect(answer.headers.allow).toBe(allow);
});

test('HEAD answers as GET, without the body', async () => {
  const get = parseAnswer(await exchange(content.url, request('GET /api/articles HTTP/1.1')));
  const head = parseAnswer(await exchange(content.url, request('HEAD /api/articles HTTP/1.1')));
  expect(head.answer.body + head.rest).toBe('');
  for (const name of ['etag', 'content-length', 'content-type', 'cache-control', 'vary']) {
    expect(head.answer.headers[name]).toBe(get.answer.headers[name]);
    expect(head.answer.headers[name]).toMatch(/\S/);
  }
  const missing = parseAnswer(await exchange(content.url, request('HEAD /api/articles/99 HTTP/1.1')));
  expect(missing.answer.status).toBe(404);
  expect(missing.answer.body + missing.rest).toBe('');
});

test('short and long answers declare their length in bytes correctly, in any script', async () => {
  const title = 'Überblick: 新闻 📰';
  for (const characters of [100, 1100]) {
    const text = `<p>${'字'.repeat(characters)}</p>`;
    const { id } = await content.client.article({ title, content: text, is_published: true });
    const ask = async (method: string) =>
      parseAnswer(await exchange(content.url, request(`${method} /api/articles/${id} HTTP/1.1`)));
    for (const asked of ['first', 'again']) {
      const { answer, rest } = await ask('GET');
      const { data } = JSON.parse(Buffer.from(answer.body, 'latin1').toString());
      expect([data.title, data.content, rest], asked).toEqual([title, text, '']);
      const head = await ask('HEAD');
      expect(head.answer.headers['content-length']).toBe(answer.headers['content-length']);
    }
  }
});

test('requests that are sent ahead are answered in their order', async () => {
  const ask = (path: string, id: string) =>
    `GET ${path} HTTP/1.1\r\nHost: test\r\nX-Request-Id: ${id}\r\n\r\n`;
  const ahead = ask('/api/articles', 'first') + ask('/nowhere', 'second') + ask('/healthz', 'third');
  let rest = await exchange(content.url, ahead + request('GET /readyz HTTP/1.1', ['X-Request-Id: last']));
  const answers: [number, string | undefined][] = [];
  while (rest !== '') {
    const parsed = parseAnswer(rest);
    answers.push([parsed.answer.status, parsed.answer.headers['x-request-id']]);
    rest = parsed.rest;
  }
  expect(answers).toEqual([
    [200, 'first'],
    [404, 'second'],
    [200, 'third'],
    [200, 'last'],
  ]);
});

test('Expect: 100-continue is answered with 100, and other expectations are ignored', async () => {
  const json = JSON.stringify(articleBody({ title: 'Expected', is_published: true }));
  const headers = [
    `X-API-Key: ${content.key}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(json)}`,
  ];
  const post = (expectation: string) =>
    exchange(
      content.url,
      request('POST /api/articles HTTP/1.1', [...headers, `Expect: ${expectation}`], json),
    );
  const [, interim, final = ''] =
    /^(HTTP\/1\.1 100 Continue\r\n\r\n)(.*)$/s.exec(await post('100-continue')) ?? [];
  expect(interim).toBeDefined();
  expect(parseAnswer(final).answer.status).toBe(201);
  expect(parseAnswer(await post('a-miracle')).answer.status).toBe(201);
});

test('a request in absolute form is answered', async () => {
  const { answer } = parseAnswer(await exchange(content.url, request('GET http://test/healthz HTTP/1.1')));
  expect(answer.status).toBe(200);
});

test('a body up to the limit is read, and one byte more is 413, announced or not', async () => {
  const bodyOf = (bytes: number) => {
    const json = JSON.stringify({
      ...articleBody({ title: 'As long as can be', is_published: true }),
      excerpt: '',
    });
    return json + ' '.repeat(bytes - Buffer.byteLength(json));
  };
  const headers = { 'x-api-key': content.key, 'content-type': 'application/json' };
  const post = (raw: string) => send(`${content.url}/api/articles`, { method: 'POST', headers, raw });
  expect((await post(bodyOf(BODY_LIMIT))).status).toBe(201);
  const announced = await post(bodyOf(BODY_LIMIT + 1));
  expect([announced.status, announced.body.code]).toEqual([413, 'payload_too_large']);

  const raw = [`X-API-Key: ${content.key}`, 'Content-Type: application/json'];
  const chunk = bodyOf(BODY_LIMIT + 1);
  const chunked = `${chunk.length.toString(16)}\r\n${chunk}\r\n0\r\n\r\n`;
  const text = await exchange(
    content.url,
    request('POST /api/articles HTTP/1.1', [...raw, CHUNKED], chunked),
  );
  expectProblem(parseAnswer(text).answer, 413, 'payload_too_large');
});

test.each([
  [['Content-Type: application/json', 'Content-Encoding: gzip'], 'Content-Encoding'],
  [['Content-Type: application/json', 'Content-Encoding: br, gzip'], 'Content-Encoding'],
  [['Content-Type: application/json; charset=utf-16'], 'UTF-8'],
  [['Content-Type: application/json;charset="iso-8859-1"'], 'UTF-8'],
  [['Content-Type: application/json; charset=utf-8;charset=utf-16'], 'UTF-8'],
  [['Content-Type: application/json; charset=utf-16;charset=utf-8'], 'UTF-8'],
  [['Content-Type: application/json; charset='], 'UTF-8'],
])('a body with %j is 415, which says how to send it', async (form, hint) => {
  const headers = [`X-API-Key: ${content.key}`, 'Content-Length: 2', ...form];
  const { answer } = parseAnswer(
    await exchange(content.url, request('POST /api/articles HTTP/1.1', headers, '{}')),
  );
  expectProblem(answer, 415, 'unsupported_media_type');
  expect(JSON.parse(answer.body).detail).toContain(hint);
});

test.each(['utf-8', 'UTF-8', '"utf-8"'])('a body in charset=%s is read', async (charset) => {
  const headers = {
    'content-type': `application/json; charset=${charset}`,
    'content-encoding': 'identity',
  };
  expect((await content.client.send('/api/articles', { method: 'POST', headers, raw: '{}' })).status).toBe(
    422,
  );
});

test('many thousand unknown members are counted, and the first 20 are named', async () => {
  const roomy = await startContent(content.database.url);
  const json = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`m${index}`, 1]));
  const raw = JSON.stringify({ ...articleBody(), ...json });
  // This test's own requests kept the event loop busy, which it shares with the service.
  await until('it is at rest', async () => (await send(`${roomy.url}/api/articles`)).status === 200);
  const answer = await send(`${roomy.url}/api/articles`, {
    method: 'POST',
    headers: { 'x-api-key': content.key, 'content-type': 'application/json' },
    raw,
  });
  await roomy.close();
  expect(answer.status, answer.text.slice(0, 300)).toBe(422);
  const named = answer.body.errors.filter(({ code }: { code: string }) => code === 'unknown_member');
  expect(named.map(({ field }: { field: string }) => field)).toEqual(
    Array.from({ length: 20 }, (_, index) => `m${index}`),
  );
  expect(answer.body.errors.at(-1)).toMatchObject({
    code: 'unknown_members',
    message: expect.stringContaining('39980'),
  });
});

test.each([
  ['/api/articles?page=%ff', '"page"'],
  ['/api/articles?page=caf%E9', '"page"'],
  ['/api/articles?page=1%', '"page"'],
  ['/api/articles?%ff=1', 'name'],
  ['/api/articles?&&&', 'empty parameter'],
  ['/api/articles?&page=1', 'empty parameter'],
  ['/api/articles?page=1&', 'empty parameter'],
  ['/api/articles?page=1&&per_page=2', 'empty parameter'],
  ['/api/articles?=1', 'without a name'],
  ['/healthz?&', 'empty parameter'],
])('%s is 400, which says what is wrong', async (target, fault) => {
  const { answer } = parseAnswer(await exchange(content.url, request(`GET ${target} HTTP/1.1`)));
  expectProblem(answer, 400, 'invalid_request');
  expect(JSON.parse(answer.body).detail).toMatch(/^query string: /);
  expect(JSON.parse(answer.body).detail).toContain(fault);
});

test('a query string that is there and empty is none', async () => {
  expect((await send(`${content.url}/api/articles?`)).status).toBe(200);
});

test('many unknown parameters are counted, and the first 20 are named', async () => {
  const query = Array.from({ length: 500 }, (_, index) => `p${index}=1`).join('&');
  const answer = await send(`${content.url}/api/articles?${query}`);
  expect(answer.status).toBe(400);
  expect(answer.body.detail).toMatch(/"p19"; 480 more unknown parameters; remove them$/);
});

test.each([
  ['text', 'text/plain', '{}', 415, 'unsupported_media_type'],
  ['a form', 'application/x-www-form-urlencoded', 'title=x', 415, 'unsupported_media_type'],
  ['no type', undefined, '{}', 415, 'unsupported_media_type'],
  ['a type that is none', 'json', '{}', 415, 'unsupported_media_type'],
  ['nothing', 'application/json', '', 400, 'invalid_request'],
  ['half of JSON', 'application/json', '{"title":', 400, 'invalid_request'],
  ['JSON that reaches for prototypes', 'application/json', '{"__proto__": {}}', 422, 'validation_failed'],
  ['bytes that are not UTF-8', 'application/json', '{"title": "\xe9"}', 400, 'invalid_request'],
  ['JSON that is not an object', 'application/json; charset=utf-8', '[]', 422, 'validation_failed'],
])('a body of %s (%s) is %4$i', async (_what, type, body, status, code) => {
  const headers = [`X-API-Key: ${content.key}`, `Content-Length: ${body.length}`];
  if (type !== undefined) headers.push(`Content-Type: ${type}`);
  const { answer } = parseAnswer(
    await exchange(content.url, request('POST /api/articles HTTP/1.1', headers, body)),
  );
  expectProblem(answer, status, code);
});

test.each([
  ['POST /api/articles', 400],
  ['DELETE /api/articles/4711', 404],
])('%s without a body, not even an empty one, but with a Content-Type is %i', async (line, status) => {
  const headers = [`X-API-Key: ${content.key}`, 'Content-Type: application/json'];
  const { answer } = parseAnswer(await exchange(content.url, request(`${line} HTTP/1.1`, headers)));
  expect(answer.status).toBe(status);
});

test.each([
  '/api/articles?pages=1',
  '/api/articles?page=1&page=2',
  '/healthz?x',
  '/openapi.json?y=1',
  '/api/articles?__proto__=1',
])('the query string of %s is refused by name', async (path) => {
  const answer = await send(`${content.url}${path}`);
  expect(answer.status).toBe(400);
  expect(answer.body.code).toBe('invalid_request');
  const [, name] = /\?(\w+)/.exec(path) ?? [];
  expect(answer.body.detail).toContain(`"${name}"`);
});

test('an address that was shared leads to the one without what was added', async () => {
  const page = await send(`${content.url}/?fbclid=IwAR0&utm_source=x/`);
  expect([page.status, page.headers.get('location')]).toEqual([301, './']);
  const map = await send(`${content.url}/sitemap.xml?gclid=1&part=articles-1`);
  expect([map.status, map.headers.get('location')]).toEqual([301, './sitemap.xml?part=articles-1']);
  const post = await send(`${content.url}/sitemap.xml?gclid=1`, { method: 'POST', json: {} });
  expect(post.status).toBe(405);
  expect((await send(`${content.url}/api/articles?gclid=1`)).status).toBe(400);
});
