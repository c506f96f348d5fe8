import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyBaseLogger, fastify, type RawServerDefault } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import helmet from 'helmet';
import { z } from 'zod';
import { responsesWith } from '../caching/conditional.ts';
import type { Logger } from '../log/logging.ts';
import { PROBES, RequestLog } from '../log/request-log.ts';
import type { Meter } from '../metrics/meter.ts';
import {
  notFound,
  Problem,
  type ProblemStyle,
  replyWithProblem,
  temporarilyUnavailable,
} from '../problems/problem.ts';
import type { CommonConfig } from '../start/config.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { addDocumentation, type Description } from './documentation.ts';
import {
  type CheckedReply,
  type CheckedRequest,
  EveryRequest,
  onEveryRequest,
  requestId,
} from './every-request.ts';
import { addHealth, type ReadinessCheck } from './health.ts';
import type { Server } from './operation.ts';
import {
  answerUnreadable,
  MAX_SEGMENT_LENGTH,
  prepareEarlyAnswer,
  queryProblem,
  readJsonBodies,
  readQueryString,
  redirectSharedAddresses,
  refuseUnknownMembers,
  requireHost,
  UnreadablePaths,
} from './request-reading.ts';

/** Fastify's type of a query string parser. */
type QueryReader = (text: string) => Record<string, unknown>;

/** Options of {@link createServer}. */
interface ServerOptions {
  config: Pick<CommonConfig, 'HOST' | 'TRUST_PROXY' | 'METRICS_PORT' | 'EVENT_LOOP_DELAY_LIMIT_MS'>;
  description: Description;
  log: Logger;
  /** The largest body accepted, in bytes; absent in a service that accepts none. */
  bodyLimit?: number;
  /** The checks of `/readyz`, by the name of the dependency. */
  readiness: Record<string, ReadinessCheck>;
  /**
   * Dependencies that `/readyz` and the metrics report, by name, but without which the service still works.
   */
  degrading?: Record<string, ReadinessCheck>;
  /** Figures of this service in the metrics. */
  meters?: readonly Meter[];
  tracing?: Tracing | undefined;
  /** Differences between this service's answers to failures and the others'. */
  problems?: ProblemStyle;
  /** Headers of every answer, besides those that all services send; names in lower case. */
  headers?: Readonly<Record<string, string>>;
  /** Limits the rate of the routes that are added afterwards; see `limitRate`. */
  limit?: (app: Server) => Promise<void>;
  /** Time limits for clients; {@link CONNECTION_LIMITS} by default. */
  connectionLimits?: ConnectionLimits;
}

/**
 * Creates the server of a service: request ids, one log line per request, security headers, problem
 * documents, strict query strings, 404 and 405, health, metrics, the OpenAPI description. The caller adds the
 * routes.
 */
export async function createServer(options: ServerOptions): Promise<Server> {
  const { config } = options;
  const unreadable = new UnreadablePaths();
  const app = createBareServer(options, unreadable);
  options.tracing?.traceRequests(app);
  const allowedMethods = watchMethods(app);
  requireHost(app);
  closeAnsweredConnections(app);
  limitConnections(app, options.connectionLimits ?? CONNECTION_LIMITS);
  refuseUnknownParameters(app);
  refuseUnknownMembers(app);
  readJsonBodies(app);
  refuseUnderPressure(app, config.EVENT_LOOP_DELAY_LIMIT_MS);
  if (config.METRICS_PORT !== undefined) {
    // Loaded only then, so that it costs nothing otherwise.
    const { exposeMetrics } = await import('./metrics.ts');
    exposeMetrics(app, config.METRICS_PORT, config.HOST, options.degrading, options.meters);
  }
  await addDocumentation(app, options.description, options.limit !== undefined);
  await options.limit?.(app);
  addHealth(app, options.readiness, options.degrading);
  redirectSharedAddresses(app);
  refuseUnreadable(app, unreadable, allowedMethods);
  return app;
}

/**
 * A server whose every answer, whatever its source, has an id, the security headers and a line in the log.
 */
function createBareServer(
  { config, log, bodyLimit, problems, headers, connectionLimits = CONNECTION_LIMITS }: ServerOptions,
  unreadable: UnreadablePaths,
): Server {
  const replyProblem: typeof replyWithProblem = (error, request, reply) =>
    replyWithProblem(error, request, reply, problems);
  const requestLog = new RequestLog(log);
  const everyRequest = new EveryRequest(requestLog, config.TRUST_PROXY);
  const constantHeaders = { ...securityHeaders(), ...headers };
  const app = fastify<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger>({
    loggerInstance: log,
    logController: requestLog,
    // A logger per request would cost more than its event, so the events name their request themselves.
    childLoggerFactory: (logger) => logger,
    genReqId: requestId,
    requestIdHeader: false,
    trustProxy: everyRequest.trustProxy,
    ...(bodyLimit !== undefined && { bodyLimit }),
    rewriteUrl: (request) => {
      everyRequest.readForwarding(request);
      return unreadable.routableUrl(request);
    },
    http: {
      ServerResponse: responsesWith(constantHeaders, prepareEarlyAnswer),
      requireHostHeader: false,
      // Reveals a second Host; the other joined headers may only have one value anyway.
      joinDuplicateHeaders: true,
      headersTimeout: connectionLimits.headersMs,
      connectionsCheckingInterval: connectionLimits.lookMs,
      // Node ends the stream of a request without a body before it is read: see `readJsonBodies`.
      optimizeEmptyRequests: true,
    },
    requestTimeout: connectionLimits.requestMs,
    // While the server closes, requests on open connections are still answered.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_SEGMENT_LENGTH, querystringParser: readQueryString as QueryReader },
    // Requests that the router refuses do not pass the hooks.
    frameworkErrors: (error, request, reply) => {
      nameAnswer(request, reply);
      reply.raw.once('close', () => requestLog.requestCompleted(null, request, reply));
      replyProblem(error, request, reply);
    },
    clientErrorHandler: answerUnreadable(log, constantHeaders, problems?.extend),
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(replyProblem);
  app.addHook('onRoute', (route) => requestLog.noteRoute(route));
  app.decorate('everyRequest', everyRequest);
  onEveryRequest(app, (request, reply, done) => {
    nameAnswer(request, reply);
    done();
  });
  return app;
}

/** Answers 400, 404 and 405 for the request target before the body is read; the request has been counted. */
function refuseUnreadable(app: Server, unreadable: UnreadablePaths, allowedMethods: AllowedMethods): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) return done(queryProblem(request.query));
    return done(unreadable.problem(request.raw) ?? noSuchRoute(allowedMethods(pathOf(request.url))));
  });
  // For routes that find nothing, such as a file of the documentation.
  app.setNotFoundHandler(() => {
    throw noSuchRoute([]);
  });
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/** Adds the id of the request in the log to an answer. */
function nameAnswer({ id }: CheckedRequest, reply: CheckedReply): void {
  reply.header('x-request-id', id);
}

/**
 * Routes that describe no query string have none: an unknown parameter is 400 everywhere
 * (`docs/spec/wire.md`).
 */
function refuseUnknownParameters(app: Server): void {
  const none = z.strictObject({});
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/docs')) return;
    route.schema = { querystring: none, ...route.schema };
  });
}

/** Time limits for a client, in ms. */
export interface ConnectionLimits {
  /** For the head of a request, from its first byte or from the start of the connection. */
  headersMs: number;
  /** For a whole request, including its body. */
  requestMs: number;
  /** For sending anything but a request, such as empty lines, after the last answer. */
  noiseMs: number;
  /** Interval of the checks of connections: a limit may be exceeded by this much. */
  lookMs: number;
}

/**
 * A slow head ends after 30 s at the latest, a slow body or mere noise after 60 s. Each check wakes a process
 * that would otherwise sleep, so there are few.
 */
export const CONNECTION_LIMITS: ConnectionLimits = {
  headersMs: 25_000,
  requestMs: 55_000,
  noiseMs: 55_000,
  lookMs: 5_000,
};

/** The state of a connection at the last check. */
interface Seen {
  received: number;
  sent: number;
  /** When the first byte after the last answer was received. */
  noiseSince: number | undefined;
}

/**
 * Answers clients that close their sending half after the request, notices those that are gone, and ends
 * connections whose bytes never become a request: Node treats empty lines before a request as activity, so
 * its own limits do not apply between two requests.
 */
function limitConnections(app: Server, { noiseMs, lookMs }: ConnectionLimits): void {
  keepHalfOpen(app.server);
  const connections = new Map<Socket, Seen>();
  app.server.on('connection', (socket: Socket) => {
    connections.set(socket, { received: 0, sent: 0, noiseSince: undefined });
    socket.once('close', () => connections.delete(socket));
  });
  const timer = setInterval(() => {
    const now = performance.now();
    for (const [socket, seen] of connections) {
      if (isNoise(socket, seen, now, noiseMs)) socket.destroy();
      else if (socket.readableEnded) askIfThere(socket);
    }
  }, lookMs).unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

/** True if a connection has been sending for too long without a request; records its state. */
function isNoise(socket: Socket, seen: Seen, now: number, noiseMs: number): boolean {
  const { bytesRead, bytesWritten } = socket;
  const isAnswered = bytesWritten !== seen.sent || hasRequest(socket);
  const hasSent = bytesRead !== seen.received;
  Object.assign(seen, { received: bytesRead, sent: bytesWritten });
  if (isAnswered) seen.noiseSince = undefined;
  else if (hasSent) seen.noiseSince ??= now;
  return seen.noiseSince !== undefined && now - seen.noiseSince > noiseMs;
}

/**
 * A client that has closed its sending half may be waiting for its answer or be gone: TCP shows which only
 * when something is sent. A waiting client ignores interim answers (RFC 9110, section 15.2); a client that is
 * gone resets the connection at the first, so that the second fails and the work ends.
 */
function askIfThere(socket: Socket): void {
  const response = answerOf(socket);
  if (response?.headersSent === false && response.req.httpVersion === '1.1') response.writeProcessing();
}

function hasRequest(socket: Socket): boolean {
  return answerOf(socket) !== undefined;
}

/**
 * Node keeps the current answer on its socket under a private name. If it were renamed, `requestMs` would
 * still be lower.
 */
function answerOf(socket: Socket & { _httpMessage?: ServerResponse | null }): ServerResponse | undefined {
  return socket._httpMessage ?? undefined;
}

/** An undocumented Node option: otherwise a client closing its half would end the answer. */
function keepHalfOpen(server: Server['server'] & { httpAllowHalfOpen?: boolean }): void {
  server.httpAllowHalfOpen = true;
}

/** Interval of the checks of open connections while the server closes, in ms. */
const CLOSING_LOOK_MS = 20;

/**
 * Closes each connection as soon as its last request is answered while the server closes. Node closes those
 * that are idle when closing starts; the others would stay open as long as their clients like and keep the
 * process alive.
 */
function closeAnsweredConnections(app: Server): void {
  app.addHook('preClose', (done) => {
    if (!app.server.listening) return done();
    const timer = setInterval(() => app.server.closeIdleConnections(), CLOSING_LOOK_MS);
    app.server.once('close', () => clearInterval(timer));
    return done();
  });
}

/** Paths that are answered under any load: an overloaded process is alive. */
const EXEMPT = new Set(['/healthz']);

/** Interval of the samples of the delay while requests arrive, in ms. */
const SAMPLE_MS = 250;

/** Period over which samples are averaged, in ms. */
const WINDOW_MS = 1000;

/** The fewest that are averaged: a single pause, on a busy machine, is not an overload. */
const LEAST_SAMPLES = 2;

/**
 * Answers 503 while the event loop lags by more than `maxDelayMs` on average over a second; with 0, never.
 * The delay is sampled from the first request on, until a second has passed without one: each sample wakes a
 * process that would otherwise sleep.
 */
export function refuseUnderPressure(app: Server, maxDelayMs: number): void {
  if (maxDelayMs === 0) return;
  const watch = new DelayWatch(maxDelayMs);
  onEveryRequest(app, (request, _reply, done) => {
    // Probes alone are not a load that needs to be watched.
    if (!PROBES.has(request.url)) watch.noteRequest();
    if (watch.delayMs <= maxDelayMs || EXEMPT.has(request.url)) return done();
    return done(temporarilyUnavailable('the service is overloaded; try again', 1, { reason: 'busy' }));
  });
  app.addHook('onClose', async () => watch.stop());
}

/** Measures by how much timers are late, as long as there are requests. */
class DelayWatch {
  /** The average of the last window, in ms; 0 at rest. */
  delayMs = 0;
  readonly #maxDelayMs: number;
  #timer: NodeJS.Timeout | undefined;
  /** When the next sample is due, by `performance.now()`. */
  #dueAt = 0;
  #windowBegan = 0;
  #samples: number[] = [];
  #hasRequests = false;

  constructor(maxDelayMs: number) {
    this.#maxDelayMs = maxDelayMs;
  }

  noteRequest(): void {
    this.#hasRequests = true;
    if (this.#timer !== undefined) return;
    this.#beginWindow();
    this.#schedule();
  }

  /** Stops until the next request. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.delayMs = 0;
  }

  #beginWindow(): void {
    this.#windowBegan = performance.now();
    this.#samples = [];
  }

  #schedule(): void {
    this.#dueAt = performance.now() + SAMPLE_MS;
    this.#timer = setTimeout(() => this.#sample(), SAMPLE_MS).unref();
  }

  #sample(): void {
    const now = performance.now();
    this.#samples.push(now - this.#dueAt);
    if (now - this.#windowBegan >= WINDOW_MS && this.#samples.length >= LEAST_SAMPLES) {
      this.delayMs = this.#samples.reduce((sum, late) => sum + late, 0) / this.#samples.length;
      // A process that lags may have requests that it has not seen yet.
      if (!this.#hasRequests && this.delayMs <= this.#maxDelayMs) {
        this.stop();
        return;
      }
      this.#hasRequests = false;
      this.#beginWindow();
    }
    this.#schedule();
  }
}

/** Finds the methods that a path supports. */
type AllowedMethods = (path: string) => string[];

/**
 * Records the routes of `app` as they are added, so that a known path with an unsupported method can be
 * recognized.
 */
export function watchMethods(app: Server): AllowedMethods {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    for (const name of [method].flat()) known.add(name);
    methods.set(url, known);
  });
  return (path) => {
    const known = [...methods].filter(([url]) => pattern(url).test(path));
    return [...new Set(known.flatMap(([, names]) => [...names]))].sort();
  };
}

/** A route's URL as an expression: `:name` is one segment or its beginning, a `*` at the end the rest. */
function pattern(url: string): RegExp {
  const escaped = url.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll(/:\w+/g, '[^/]+').replace(/\*$/, '.*')}$`);
}

/** 405 with `Allow` for a known path (RFC 9110, section 15.5.6), 404 for an unknown one. */
export function noSuchRoute(allowed: string[]): Problem {
  if (allowed.length === 0) return notFound('there is nothing at this path');
  return new Problem(405, 'method_not_allowed', `this path supports only ${allowed.join(', ')}`, {
    headers: { allow: allowed.join(', ') },
  });
}

/**
 * The security headers of every answer, as `helmet` sets them for an API that serves no pages: they never
 * change, so they are computed once. Those that only concern pages are left out, because they would be a
 * third of every 304. `/docs`, which is a page, replaces the policy with its own.
 */
export function securityHeaders(): Record<string, string> {
  const middleware = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    // The operator decides for the other hosts of the domain.
    strictTransportSecurity: { includeSubDomains: false },
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: { action: 'deny' },
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  const headers: Record<string, string> = {};
  const recorder = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value;
    },
    removeHeader: () => undefined,
  };
  middleware({} as IncomingMessage, recorder as unknown as ServerResponse, () => undefined);
  return headers;
}
