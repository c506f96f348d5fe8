import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FastifyBaseLogger, fastify, type RawServerDefault } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Logger } from '../log/logging.ts';
import { RequestLog } from '../log/request-log.ts';
import type { Meter } from '../metrics/meter.ts';
import { type ProblemStyle, replyWithProblem } from '../problems/problem-replies.ts';
import type { CommonConfig } from '../start/config.ts';
import type { Tracing } from '../tracing/tracing.ts';
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  closeAnsweredConnections,
  limitConnections,
} from './connection-limits.ts';
import { responsesWith } from './constant-headers.ts';
import { addDocumentation, type Description } from './documentation.ts';
import { prepareEarlyAnswer } from './early-answer.ts';
import type { EarlyReply, EarlyRequest } from './early-request.ts';
import { EveryRequest, onEveryRequest } from './every-request.ts';
import { addHealth, type ReadinessCheck } from './health.ts';
import { judgeRequests } from './host-and-expect.ts';
import { readJsonBodies } from './json-body.ts';
import { type AllowedMethods, noSuchRoute, watchMethods } from './methods.ts';
import { refuseUnderPressure } from './pressure.ts';
import { queryProblem, readQueryString } from './query-string.ts';
import { requestId } from './request-id.ts';
import { MAX_SEGMENT_LENGTH, UnreadablePaths } from './request-target.ts';
import { securityHeaders } from './security-headers.ts';
import type { Server } from './server.ts';
import { redirectSharedAddresses } from './shared-address.ts';
import { refuseUnknownMembers } from './strict-bodies.ts';
import { answerUnreadable } from './unreadable-request.ts';

/** Fastify's type of a query string parser. */
type QueryReader = (text: string) => Record<string, unknown>;

/** Options of {@link createServer}. */
export interface ServerOptions {
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
  /** Records the requests. */
  tracing?: Tracing | undefined;
  /** How this service's answers to failures differ from the others'. */
  problems?: ProblemStyle;
  /** Headers of every answer, besides those that all services send; names in lower case. */
  headers?: Readonly<Record<string, string>>;
  /** Limits the rate of the routes that are added afterwards; see `limitRate`. */
  limit?: (app: Server) => Promise<void>;
  /** How long clients may take; {@link CONNECTION_LIMITS} by default. */
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
  judgeRequests(app);
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
function nameAnswer({ id }: EarlyRequest, reply: EarlyReply): void {
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
