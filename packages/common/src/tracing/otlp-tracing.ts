import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type pg from 'pg';
import {
  type CheckedReply,
  type CheckedRequest,
  onEveryAnswer,
  onEveryRequest,
} from '../http/every-request.ts';
import type { Server } from '../http/operation.ts';
import type { Logger } from '../log/logging.ts';
import type { Tracing } from './tracing.ts';

/** Timeout of the collector, in ms; a process that ends waits for it once. */
const TIMEOUT_MS = 2000;

/** Interval at which spans are sent, in ms. */
const DELAY_MS = 1000;

/** The name that {@link nameStatement} writes before a statement. */
const STATEMENT_NAME = /^\/\*pressroom_[0-9a-f]{16}\*\/ /;

export interface OtlpOptions {
  /** The collector's address, without `/v1/traces`. */
  endpoint: string;
  headers: Record<string, string>;
  /** The fraction of traces that is recorded, from 0 to 1. */
  ratio: number;
  /** The name of the service, such as `content`. */
  service: string;
  log: Logger;
}

type Query = (...parameters: unknown[]) => unknown;

/**
 * Records requests and their queries as OpenTelemetry spans, and sends them by OTLP over HTTP in JSON. A
 * request continues the trace that its `traceparent` names (W3C Trace Context), and bears its request id.
 */
export class OtlpTracing implements Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #propagator = new W3CTraceContextPropagator();
  readonly #active = new AsyncLocalStorage<Context>();
  readonly #contexts = new WeakMap<object, Context>();

  constructor({ endpoint, headers, ratio, service, log }: OtlpOptions) {
    const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
    const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: TIMEOUT_MS });
    const processor = new BatchSpanProcessor({
      exporter: new ReportingExporter(exporter, log),
      scheduledDelayMillis: DELAY_MS,
      exportTimeoutMillis: TIMEOUT_MS,
    });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({
        'service.name': service,
        'service.namespace': 'pressroom',
        'service.instance.id': `${process.pid}`,
      }),
      sampler: new TraceIdRatioBasedSampler(ratio),
      spanProcessors: [processor],
    });
    this.#tracer = this.#provider.getTracer('pressroom');
  }

  traceRequests(app: Server): void {
    onEveryRequest(app, (request, _reply, done) => {
      const context = this.#begin(request);
      this.#contexts.set(request, context);
      this.#active.run(context, done);
    });
    // A body arrives in events of its connection, which belong to no request.
    app.addHook('preValidation', (request, _reply, done) => {
      const context = this.#contexts.get(request);
      if (context === undefined) return done();
      return this.#active.run(context, done);
    });
    onEveryAnswer(app, (request, reply) => this.#end(request, reply));
  }

  traceQueries(pool: pg.Pool): void {
    pool.on('connect', (client) => {
      const send = client.query.bind(client) as Query;
      const query: Query = (...parameters) => {
        const context = this.#active.getStore();
        return context === undefined
          ? send(...parameters)
          : this.#query(client, context, parameters[0], () => send(...parameters));
      };
      client.query = query as typeof client.query;
    });
  }

  async close(): Promise<void> {
    await this.#provider.shutdown().catch(() => undefined);
  }

  #begin(request: CheckedRequest): Context {
    const { method, headers, id, url, routeOptions } = request;
    const parent = this.#propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    const route = routeOptions.url;
    const attributes = {
      'http.request.method': method,
      'url.path': url.split('?')[0] ?? '',
      'http.request.header.x-request-id': [id],
      ...(route !== undefined && { 'http.route': route }),
    };
    const name = route === undefined ? method : `${method} ${route}`;
    const span = this.#tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    return trace.setSpan(parent, span);
  }

  #end(request: CheckedRequest, { statusCode }: CheckedReply): void {
    const context = this.#contexts.get(request);
    const span = context && trace.getSpan(context);
    if (span === undefined) return;
    span.setAttribute('http.response.status_code', statusCode);
    if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }

  #query(client: pg.Client, context: Context, query: unknown, send: () => unknown): unknown {
    const text = textOf(query).replace(STATEMENT_NAME, '');
    const operation = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'QUERY';
    const attributes = {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      // Values are sent apart from it, and not recorded.
      'db.query.text': text,
      'server.address': client.host,
      'server.port': client.port,
    };
    const span = this.#tracer.startSpan(operation, { kind: SpanKind.CLIENT, attributes }, context);
    const answer = send();
    if (answer instanceof Promise)
      answer.then(
        () => span.end(),
        (error: unknown) => fail(span, error),
      );
    // With a callback it is not known when it ends.
    return answer;
  }
}

function textOf(query: unknown): string {
  if (typeof query === 'string') return query;
  return query !== null && typeof query === 'object' && 'text' in query ? String(query.text) : '';
}

function fail(span: Span, error: unknown): void {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code) span.setAttribute('db.response.status_code', code);
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Says in the log when traces cannot be delivered, once, and when they can be again. */
class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #log: Logger;
  #away = false;

  constructor(exporter: SpanExporter, log: Logger) {
    this.#exporter = exporter;
    this.#log = log;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      const away = result.code !== ExportResultCode.SUCCESS;
      if (away && !this.#away) this.#log.warn({ err: result.error }, 'traces_not_delivered');
      if (!away && this.#away) this.#log.info('traces_delivered');
      this.#away = away;
      done(result);
    });
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}
