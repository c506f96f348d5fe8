import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { run } from '../support/command.ts';
import { type ContentFixture, contentFixture, startContent } from '../support/content.ts';
import { articleBody } from '../support/content-client.ts';
import { send } from '../support/http.ts';
import { until } from '../support/until.ts';

/** A span as OTLP writes it in JSON. */
interface Recorded {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: Record<string, unknown>;
}

/** Takes traces as a collector does. */
class Collector {
  readonly spans: Recorded[] = [];
  /** Headers of the last request. */
  headers: Record<string, unknown> = {};
  /** The status that it answers with. */
  status = 200;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Collector> {
    const server = createServer();
    const collector = new Collector(server);
    server.on('request', async (request, response) => {
      collector.headers = request.headers;
      expect([request.method, request.url]).toEqual(['POST', '/v1/traces']);
      const body = JSON.parse(await text(request));
      if (collector.status === 200) collector.#take(body);
      response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The span of the request with this id. */
  ofRequest(id: string): Promise<Recorded> {
    return until(`the span of ${id}`, () =>
      this.spans.find(({ attributes }) => JSON.stringify(attributes).includes(id)),
    );
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #take({ resourceSpans }: ReturnType<typeof JSON.parse>): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = attributesOf(resource)['service.name'] as string;
      for (const { spans } of scopeSpans) {
        for (const span of spans) this.spans.push({ ...span, service, attributes: attributesOf(span) });
      }
    }
  }
}

function attributesOf({ attributes }: { attributes: { key: string; value: object }[] }) {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

let collector: Collector;
let content: ContentFixture;

beforeAll(async () => {
  collector = await Collector.start();
  content = await contentFixture({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of%20the%20test',
  });
});

afterAll(async () => {
  await content.close();
  await collector.close();
});

test('a request is a span with its request id and its queries below it, in the trace of its client', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const { status } = await content.client.send('/api/articles', {
    method: 'POST',
    json: articleBody(),
    headers: { 'x-request-id': 'of-the-test-1', traceparent: `00-${traceId}-b7ad6b7169203331-01` },
  });
  expect(status).toBe(201);
  const span = await collector.ofRequest('of-the-test-1');
  expect(span).toMatchObject({
    service: 'content',
    traceId,
    parentSpanId: 'b7ad6b7169203331',
    name: 'POST /api/articles',
    attributes: { 'http.request.method': 'POST', 'http.route': '/api/articles', 'url.path': '/api/articles' },
  });
  expect(Number(span.attributes['http.response.status_code'])).toBe(201);
  expect(collector.headers.authorization).toBe('Bearer of the test');
  const insert = await until('the query', () =>
    collector.spans.find(({ parentSpanId, name }) => parentSpanId === span.spanId && name === 'INSERT'),
  );
  expect(insert).toMatchObject({ traceId, attributes: { 'db.system.name': 'postgresql' } });
  expect(insert.attributes['db.query.text']).toMatch(/^insert into "content"."article" .*\$1/);
  expect(JSON.stringify(collector.spans)).not.toContain('Words that make up an article');
});

test('the queries of every request are recorded, whichever connection they take', async () => {
  const ids = Array.from({ length: 20 }, (_, index) => `of-the-test-together-${index}`);
  await Promise.all(
    ids.map((id) =>
      content.client.send('/api/articles', {
        method: 'POST',
        json: articleBody(),
        headers: { 'x-request-id': id },
      }),
    ),
  );
  for (const id of ids) {
    const { spanId } = await collector.ofRequest(id);
    await until(`the query of ${id}`, () =>
      collector.spans.find(({ parentSpanId, name }) => parentSpanId === spanId && name === 'INSERT'),
    );
  }
});

test('a request without its own trace begins one, and its query string is not recorded', async () => {
  const headers = { 'x-request-id': 'of-the-test-2' };
  await content.client.anonymously('/api/articles?per_page=7', { headers });
  const span = await collector.ofRequest('of-the-test-2');
  expect(span.parentSpanId ?? '').toBe('');
  expect(JSON.stringify(span)).not.toContain('per_page');
});

test('a collector that fails costs no request its answer, and the log says so once', async () => {
  collector.status = 503;
  onTestFinished(() => {
    collector.status = 200;
  });
  const lost = () => content.log.events().filter(({ msg }) => msg === 'traces_not_delivered');
  await until('it is logged', async () => {
    expect((await content.client.anonymously('/api/articles')).status).toBe(200);
    return lost().length > 0;
  });
  expect(lost()).toHaveLength(1);
});

test('what is recorded when a service ends is still sent', async () => {
  const service = await startContent(content.database.url, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await send(`${service.url}/api/articles`, { headers: { 'x-request-id': 'of-the-test-3' } });
  await service.close();
  await collector.ofRequest('of-the-test-3');
});

test('with a fraction of 0 nothing is recorded', async () => {
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '0' };
  const service = await startContent(content.database.url, settings);
  await send(`${service.url}/api/articles`, { headers: { 'x-request-id': 'of-the-test-4' } });
  await service.close();
  expect(JSON.stringify(collector.spans)).not.toContain('of-the-test-4');
});

test.each(['content/src', 'news-feed/src/api', 'gallery-admin/src'])(
  'without a collector %s does not load the SDK of OpenTelemetry',
  async (folder) => {
    const program = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
      await import('./services/${folder}/open.ts');
      console.log(loaded.filter((url) => /@opentelemetry\\/(?!api\\/)/.test(url)).length, loaded.length > 100);
    `;
    const { stdout, stderr } = await run(['--input-type=module', '--eval', program]);
    expect([stdout, stderr]).toEqual(['0 true\n', '']);
  },
);
