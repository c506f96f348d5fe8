import { type FastifyContextConfig, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { type Logger, pino } from 'pino';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for a route whose query string is kept out of the log. */
    secretQuery?: boolean;
  }
}

/** Asked for every few seconds by whoever watches the service: of interest only when they fail. */
const PROBES = new Set(['/healthz', '/readyz']);

/** The event of a request: who asked for what, how it was answered, and how long it took. */
interface RequestEvent {
  requestId: string;
  method: string;
  url: string;
  status: number;
  ms: number;
  address: string;
  err?: Error | undefined;
}

/**
 * The log of requests: one event for each, when it has been answered or has broken off; failures log their own. Probes
 * that succeed are logged at `debug`.
 */
export class RequestLog extends LogController {
  readonly #log: Logger;
  #hasSecretQueries = false;

  constructor(log: Logger) {
    super({ requestIdLogLabel: 'requestId' });
    // Its events have fixed members, none of them a credential: looking for some in each would cost more than the rest.
    this.#log = writeByTemplate(log.child({}, { redact: [] }));
  }

  /** Tells it of a route: looking for what some hide would cost those that hide nothing. */
  noteRoute({ config }: { config?: FastifyContextConfig }): void {
    this.#hasSecretQueries ||= config?.secretQuery === true;
  }

  /** Nothing is known yet that the answer's event does not say. */
  override incomingRequest(): void {}

  /** Logs the event of a request. */
  override requestCompleted(
    err: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const level = PROBES.has(request.url) && reply.statusCode < 400 ? 'debug' : 'info';
    const event: RequestEvent = {
      requestId: request.id,
      method: request.method,
      url: this.#hasSecretQueries ? withoutSecrets(request) : request.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 1000) / 1000,
      address: request.ip,
      err: err ?? undefined,
    };
    this.#log[level](event, 'request_answered');
  }
}

/** What of a pino logger makes a line of an event, by its documented symbols ("pino.symbols"). */
interface Lines {
  /** Makes the line. */
  [pino.symbols.asJsonSym]: (event: object, message: string, level: number, time: string) => string;
  /** How a line of each level begins. */
  [pino.symbols.lsCacheSym]: Record<number, string>;
  /** The members that every line has. */
  [pino.symbols.chindingsSym]: string;
}

/**
 * Makes a logger write a {@link RequestEvent} by a template: pino's walk over the members of an object that it does not
 * know was a tenth of a cached answer.
 */
function writeByTemplate(log: Logger): Logger {
  const lines = log as unknown as Lines;
  const asJson = lines[pino.symbols.asJsonSym];
  const beginnings = lines[pino.symbols.lsCacheSym];
  const members = lines[pino.symbols.chindingsSym];
  lines[pino.symbols.asJsonSym] = (event, message, level, time) => {
    const request = event as RequestEvent;
    if (request.err !== undefined) return asJson.call(log, event, message, level, time);
    return `${beginnings[level]}${time}${members}${templateOf(request)},"msg":"${message}"}\n`;
  };
  return log;
}

function templateOf({ requestId, method, url, status, ms, address }: RequestEvent): string {
  const who = `,"requestId":${JSON.stringify(requestId)},"method":"${method}","url":${JSON.stringify(url)}`;
  return `${who},"status":${status},"ms":${ms},"address":${JSON.stringify(address)}`;
}

/** The URL of a request; a query string that may hold a signed URL is a key to what it leads to. */
function withoutSecrets({ url, routeOptions }: FastifyRequest): string {
  return routeOptions.config?.secretQuery === true ? url.replace(/\?.*$/, '?(hidden)') : url;
}
