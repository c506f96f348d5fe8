import { type FastifyContextConfig, type FastifyRequest, type FastifySchema, LogController } from 'fastify';
import { z } from 'zod';
import type { CheckedReply, CheckedRequest } from '../http/every-request.ts';
import { withoutApiKeys } from '../http/operation.ts';
import type { Logger, LogLines } from './logging.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for a route whose query string is kept out of the log. */
    secretQuery?: boolean;
  }
}

const MESSAGE = 'request_answered';

/**
 * The log of requests: one event for each, when it has been answered or aborted; failures log their own.
 * Probes that succeed are logged at `debug`. The lines are written by a template, see {@link eventLine}.
 */
export class RequestLog extends LogController {
  readonly #log: Logger;
  /** Writes a line; undefined at a level that is not logged. */
  readonly #lines: Record<'debug' | 'info', ((event: RequestEvent) => string) | undefined>;
  /** The names of the parameters that any route has. */
  readonly #parameters = new Set<string>();
  #hasSecretQueries = false;

  constructor(log: Logger) {
    super({ requestIdLogLabel: 'requestId' });
    const line = (level: 'debug' | 'info') =>
      log.isLevelEnabled(level) ? eventLine(log.lines, level, MESSAGE) : undefined;
    this.#log = log;
    this.#lines = { debug: line('debug'), info: line('info') };
  }

  /** Registers a route in advance, so that routes that hide nothing pay nothing. */
  noteRoute({ config, schema }: { config?: FastifyContextConfig; schema?: FastifySchema }): void {
    // A secret in one path must not be logged in another, mistyped one.
    if (config?.secretQuery === true) {
      this.#hasSecretQueries = true;
      return;
    }
    const query = schema?.querystring;
    if (query instanceof z.ZodObject) for (const name in query.shape) this.#parameters.add(name);
  }

  /** Everything known at this point is in the answer's event. */
  override incomingRequest(): void {}

  override requestCompleted(
    err: Error | null | undefined,
    request: CheckedRequest,
    reply: CheckedReply,
  ): void {
    // So frequent that only failures are of interest.
    const level = PROBES.has(request.url) && reply.statusCode < 400 ? 'debug' : 'info';
    const event: RequestEvent = {
      requestId: withoutApiKeys(request.id),
      method: request.method,
      url: this.#urlOf(request, reply.statusCode),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 1000) / 1000,
      address: request.ip,
    };
    if (err) this.#log[level]({ ...event, err }, MESSAGE);
    else this.#write(level, event);
  }

  /** Logs that a body was not completely sent: its client left or its source failed. */
  override streamError(err: Error, { id }: FastifyRequest): void {
    const left = 'code' in err && err.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (left) this.#log.info({ requestId: withoutApiKeys(id) }, 'response_broken_off');
    else this.#log.warn({ requestId: withoutApiKeys(id), err }, 'response_broken_off');
  }

  /** Logs that the answer to a failure failed as well; Fastify would log the whole request. */
  override defaultErrorLog(err: Error, { id }: FastifyRequest): void {
    this.#log.error({ requestId: withoutApiKeys(id), err }, 'request_failed');
  }

  /** Logs that the head of an answer could not be written; Fastify would log the whole request. */
  override writeHeadError(err: Error, { id }: FastifyRequest): void {
    this.#log.error({ requestId: withoutApiKeys(id), err }, 'response_unwritable');
  }

  #write(level: 'debug' | 'info', event: RequestEvent): void {
    const line = this.#lines[level]?.(event);
    if (line !== undefined) this.#log.lines.stream.write(line);
  }

  #urlOf(request: CheckedRequest, status: number): string {
    // Without Fastify's `originalUrl`, which caches its result on each request.
    const { originalUrl = request.url } = request.raw as { originalUrl?: string };
    // A query string with a signed URL gives access to its target.
    if (this.#hasSecretQueries && request.routeOptions.config?.secretQuery === true)
      return withoutApiKeys(originalUrl.replace(/\?.*$/, '?(hidden)'));
    return loggedUrl(originalUrl, status >= 400, this.#parameters);
  }
}

/**
 * The URL of a request as it is logged. An API key belongs in a header; if one is sent in the URL, the log
 * must not keep it. So a value is hidden if no route has its parameter, as in `?api_key=…`, or if it looks
 * like a key.
 *
 * @param isRefused true if the request was answered with an error: only then can there be an unknown
 * parameter
 */
function loggedUrl(url: string, isRefused: boolean, parameters: ReadonlySet<string>): string {
  const query = url.indexOf('?');
  const shown = isRefused && query !== -1 ? withoutUnknown(url, query + 1, parameters) : url;
  return withoutApiKeys(shown);
}

function withoutUnknown(url: string, begin: number, parameters: ReadonlySet<string>): string {
  const members = url.slice(begin).split('&');
  const shown = members.map((member) => {
    const equals = member.indexOf('=');
    const isKnown = equals === -1 ? member.length < 2 : parameters.has(member.slice(0, equals));
    if (isKnown) return member;
    return equals === -1 ? '(hidden)' : `${member.slice(0, equals)}=(hidden)`;
  });
  return url.slice(0, begin) + shown.join('&');
}

/** The log event of a request: who requested what, how it was answered, and how long it took, in ms. */
interface RequestEvent {
  requestId: string;
  method: string;
  url: string;
  status: number;
  ms: number;
  /** Unknown if the connection closed before it was read. */
  address: string | undefined;
}

/**
 * Makes a writer of request events that uses a template and produces the same lines as pino: pino's handling
 * of levels, options and unknown objects costs several times as much (`bench/results/fast.md`).
 */
function eventLine(lines: LogLines, level: string, msg: string): (event: RequestEvent) => string {
  const begin = `{"level":${JSON.stringify(level)}`;
  const base = Object.entries(lines.base)
    .map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join('');
  const end = `,"msg":${JSON.stringify(msg)}}\n`;
  return ({ requestId, method, url, status, ms, address }) => {
    const who = `,"requestId":${JSON.stringify(requestId)},"method":"${method}","url":${JSON.stringify(url)}`;
    const how = `,"status":${status},"ms":${ms},"address":${JSON.stringify(address ?? null)}`;
    return begin + lines.time() + base + who + how + end;
  };
}

/** Paths that monitoring asks for every few seconds, at rest as under load. */
export const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);
