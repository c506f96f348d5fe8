import { type FastifyContextConfig, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for a route whose query string is kept out of the log. */
    secretQuery?: boolean;
  }
}

/** Asked for every few seconds by whoever watches the service: of interest only when they fail. */
const PROBES = new Set(['/healthz', '/readyz']);

/** The event of a request: who asked for what, how it was answered, and how long it took, in ms. */
interface RequestEvent {
  requestId: string;
  method: string;
  url: string;
  status: number;
  ms: number;
  /** Unknown where the connection was gone before anybody asked. */
  address: string | undefined;
}

const MESSAGE = 'request_answered';

/** What a pino logger makes a line of, by its documented symbols ("pino.symbols"). */
interface Lines {
  /** Where lines go. */
  [pino.symbols.streamSym]: DestinationStream;
  /** How a line of each level begins. */
  [pino.symbols.lsCacheSym]: Record<number, string>;
  /** Writes the member that says what time it is. */
  [pino.symbols.timeSym]: () => string;
  /** The members that every line has. */
  [pino.symbols.chindingsSym]: string;
}

/**
 * The log of requests: one event for each, when it has been answered or has broken off; failures log their own. Probes
 * that succeed are logged at `debug`. What pino would write is written by a template: its way through levels, options
 * and the members of an object that it does not know was a tenth of a cached answer.
 */
export class RequestLog extends LogController {
  readonly #log: Logger;
  readonly #stream: DestinationStream;
  readonly #time: () => string;
  readonly #members: string;
  /** How a line begins; undefined at a level that is not logged. */
  readonly #beginnings: Record<'debug' | 'info', string | undefined>;
  #hasSecretQueries = false;

  constructor(log: Logger) {
    super({ requestIdLogLabel: 'requestId' });
    const lines = log as unknown as Lines;
    const beginning = (level: 'debug' | 'info') =>
      log.isLevelEnabled(level) ? lines[pino.symbols.lsCacheSym][log.levels.values[level] ?? 0] : undefined;
    this.#log = log;
    this.#stream = lines[pino.symbols.streamSym];
    this.#time = lines[pino.symbols.timeSym];
    this.#members = lines[pino.symbols.chindingsSym];
    this.#beginnings = { debug: beginning('debug'), info: beginning('info') };
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
    };
    if (err) this.#log[level]({ ...event, err }, MESSAGE);
    else this.#write(level, event);
  }

  /** Logs that a body could not be sent to its end: its client left, or what it came from failed. */
  override streamError(err: Error, { id }: FastifyRequest): void {
    const left = 'code' in err && err.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (left) this.#log.info({ requestId: id }, 'response_broken_off');
    else this.#log.warn({ requestId: id, err }, 'response_broken_off');
  }

  /** Logs that the answer to a failure failed, too; Fastify would log the whole request. */
  override defaultErrorLog(err: Error, { id }: FastifyRequest): void {
    this.#log.error({ requestId: id, err }, 'request_failed');
  }

  /** Logs that the head of an answer could not be written; Fastify would log the whole request. */
  override writeHeadError(err: Error, { id }: FastifyRequest): void {
    this.#log.error({ requestId: id, err }, 'response_unwritable');
  }

  #write(level: 'debug' | 'info', event: RequestEvent): void {
    const beginning = this.#beginnings[level];
    if (beginning === undefined) return;
    const line = `${beginning}${this.#time()}${this.#members}${membersOf(event)},"msg":"${MESSAGE}"}\n`;
    this.#stream.write(line);
  }
}

function membersOf({ requestId, method, url, status, ms, address }: RequestEvent): string {
  const who = `,"requestId":${quote(requestId)},"method":"${method}","url":${quote(url)}`;
  return `${who},"status":${status},"ms":${ms},"address":${JSON.stringify(address ?? null)}`;
}

/** Writes visible ASCII, as the ids and URLs of requests are, as JSON: hardly any of it has to be escaped. */
function quote(text: string): string {
  return text.includes('"') || text.includes('\\') ? JSON.stringify(text) : `"${text}"`;
}

/** The URL of a request; a query string that may hold a signed URL is a key to what it leads to. */
function withoutSecrets({ url, routeOptions }: FastifyRequest): string {
  return routeOptions.config?.secretQuery === true ? url.replace(/\?.*$/, '?(hidden)') : url;
}
