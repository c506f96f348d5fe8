import { replyConditionally } from '@pressroom/common/caching/conditional';
import { answerFromCache } from '@pressroom/common/caching/hot-answers';
import { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { createServer } from '@pressroom/common/http/create-server';
import { onEveryRequest } from '@pressroom/common/http/every-request';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentFixture } from '../support/content.ts';
import { send } from '../support/http.ts';
import { memoryLog, type TestLog } from '../support/log.ts';
import { itemRow, newsFeedFixture } from '../support/news-feed.ts';
import { exchange, parseAnswer } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

/** A request with this header is left to Fastify, which gives the answer that it would have without it. */
const BY_FASTIFY = ['Content-Length: 0'];

interface Asked {
  url: string;
  log: TestLog;
  close: () => Promise<void>;
}

/** Headers sent to each path, besides those that make the request valid. `TAG` is the entity tag. */
const HEADERS = [
  [],
  ['If-None-Match: TAG'],
  ['If-None-Match: "other", W/TAG'],
  ['If-None-Match: *', 'Accept-Encoding: gzip, br'],
  ['If-None-Match: "other"', 'If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT'],
  ['X-Request-Id: chosen'],
  ['X-Request-Id: not acceptable', 'Range: bytes=0-9'],
  ['X-Request-Id: pk_secret', 'Origin: https://other.example'],
  ['X-API-Key: wrong'],
  ['X-API-Key:', 'Authorization: Basic eDp5'],
  ['Authorization: Bearer wrong'],
  ['X-Forwarded-For: 203.0.113.7:4711', 'X-Forwarded-Host: api.example', 'X-Forwarded-Proto: https'],
  ['X-Forwarded-For: unknown, [2001:db8::1]:80'],
  [`User-Agent: ${'a'.repeat(3000)}`],
  ['Host: second'],
];

const services: Record<string, Asked & { paths: string[] }> = {};

beforeAll(async () => {
  const settings = { METRICS_PORT: '0', CONTENT_SITE_URL: 'https://site.example' };
  const content = await contentFixture(settings);
  const { id } = await content.client.article({ title: 'Überblick 新闻', is_published: true });
  await content.client.article({ title: 'Long', content: 'word '.repeat(5000), is_published: true });
  // A clock that stands, after the items: nothing expires between the two ways.
  const now = new Date(Date.now() + 60_000);
  const feed = await newsFeedFixture({ METRICS_PORT: '0', TRUST_PROXY: '1' }, () => now);
  await feed.db
    .insertInto('news.item')
    .values([itemRow('one'), itemRow('other')])
    .execute();
  services.content = { ...content, paths: await pathsOf(content, String(id)) };
  services['news-feed'] = { ...feed, paths: await pathsOf(feed, 'one') };
});

afterAll(() => Promise.all(Object.values(services).map(({ close }) => close())));

interface Described {
  security?: object[];
  responses: object;
}

/** The paths whose answers anyone may have from memory, by the description. */
async function pathsOf({ url }: { url: string }, id: string): Promise<string[]> {
  const { body } = await send(`${url}/openapi.json`);
  const paths = body.paths as unknown as Record<string, { get?: Described }>;
  return Object.entries(paths).flatMap(([path, { get }]) => {
    if (get === undefined || !('304' in get.responses)) return [];
    const { security = [] } = get;
    if (security.length > 0 && security.every((needed) => Object.keys(needed).length > 0)) return [];
    return [
      path
        .replace('{id}', id)
        .replace('{slug}', 'ueberblick')
        .replace(/\{\w+\}/, 'research'),
    ];
  });
}

/** The bytes of an answer, without what differs between two of the same. */
async function ask(service: Asked, firstLine: string, headers: readonly string[]): Promise<string> {
  const host = headers.includes('Host: second') ? ['Host: one', 'Host: second'] : ['Host: test'];
  const others = headers.filter((line) => !line.startsWith('Host'));
  const text = [`${firstLine}`, ...host, 'Connection: close', ...others, '', ''].join('\r\n');
  const answer = await exchange(service.url, text);
  return answer
    .replace(/[\da-f]{8}-[\da-f-]{27}/g, '(id)')
    .replace(/^(date|x-ratelimit-(?:remaining|reset)): .*$/gim, '$1: …')
    .replaceAll(/"(?:generated|generatedAt|updated)\w*":"[^"]*"/g, '');
}

/** Requests everything, in the same order every time, and returns what differs by how it is answered. */
async function askAll(service: Asked & { paths: string[] }, by: readonly string[]) {
  const before = { events: service.log.events().length, metrics: await countsOf(service) };
  const answers: Record<string, string> = {};
  let requests = 0;
  for (const path of service.paths) {
    const { answer } = parseAnswer(await ask(service, `GET ${path} HTTP/1.1`, BY_FASTIFY));
    const tag = answer.headers.etag ?? '"none"';
    for (const method of ['GET', 'HEAD']) {
      for (const headers of HEADERS) {
        const lines = headers.map((line) => line.replace('TAG', tag));
        const line = `${method} ${path} HTTP/1.1`;
        answers[`${line} ${headers}`] = await ask(service, line, [...lines, ...by]);
        requests += 1;
      }
    }
    answers[`old ${path}`] = await ask(service, `GET ${path} HTTP/1.0`, by);
    requests += 2;
  }
  const answered = () =>
    service.log
      .events()
      .slice(before.events)
      .filter(({ msg }) => msg === 'request_answered');
  await until('all are logged', () => answered().length >= requests);
  const events = answered().map(({ time: _time, ms: _ms, requestId, ...event }) => ({
    ...event,
    id: String(requestId).length === 36 ? '(id)' : requestId,
  }));
  const after = await countsOf(service);
  const counts = Object.entries(after).map(([name, value]) => [name, value - (before.metrics[name] ?? 0)]);
  return { answers, events, counts: Object.fromEntries(counts) };
}

/** The counters of requests and of the cache. */
async function countsOf({ log }: Asked): Promise<Record<string, number>> {
  const { address } = log.events().find(({ msg }) => msg === 'metrics_listening') ?? {};
  const { port } = address as { port: number };
  const { text } = await send(`http://127.0.0.1:${port}/metrics`);
  const lines = text.match(/^(?:http_request_duration_seconds_count|cache_answers_total)\S* \d+$/gm) ?? [];
  return Object.fromEntries(
    lines.map((line) => line.split(' ')).map(([name, value]) => [name, Number(value)]),
  );
}

test.each(['content', 'news-feed'])(
  '%s answers from memory as Fastify does: bytes, log and metrics, whatever the headers',
  async (name) => {
    const service = services[name] as (typeof services)[string];
    // Fills the memory.
    await askAll(service, BY_FASTIFY);
    const byFastify = await askAll(service, BY_FASTIFY);
    const hot = await askAll(service, []);
    expect(Object.keys(hot.answers).length).toBeGreaterThan(300);
    expect(hot.answers).toEqual(byFastify.answers);
    expect(hot.events).toEqual(byFastify.events);
    expect(hot.counts).toEqual(byFastify.counts);
    const statuses = Object.values(hot.answers).map((answer) => answer.slice(9, 12));
    expect([...new Set(statuses)]).toEqual(expect.arrayContaining(['200', '304', '400']));
  },
  120_000,
);

test('what is in memory is answered before Fastify, and a check that fails is reported as by Fastify', async () => {
  const app = await createServer({
    config: { HOST: '127.0.0.1', EVENT_LOOP_DELAY_LIMIT_MS: 0 },
    description: { title: 'Test', version: '1.0.0', description: 'A service with one cached route.' },
    log: memoryLog('test').log,
    readiness: {},
  });
  let fails = false;
  let taken = 0;
  onEveryRequest(app, (_request, _reply, done) => {
    if (fails) throw new Error('the check failed');
    done();
  });
  app.addHook('onRequest', (_request, _reply, done) => {
    taken += 1;
    done();
  });
  const cache = new RepresentationCache({ maxBytes: 100_000, lease: { isCurrent: () => true } });
  answerFromCache(app, cache, () => true);
  app.get('/', async (request, reply) => {
    await replyConditionally(request, reply, {
      cacheControl: 'public',
      cache,
      load: async () => ({ value: { taken } }),
    });
    return reply;
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  for (const _time of [1, 2, 3]) expect((await send(url)).body).toEqual({ taken: 1 });
  expect(taken).toBe(1);
  fails = true;
  expect(await send(url)).toMatchObject({ status: 500, body: { code: 'internal_error' } });
  fails = false;
  expect((await send(url)).status).toBe(200);
  await app.close();
});
