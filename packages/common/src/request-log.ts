import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for a route whose query string is kept out of the log. */
    secretQuery?: boolean;
  }
}

/** The log of requests: one event for each, when it has been answered or has broken off; failures log their own. */
export class RequestLog extends LogController {
  readonly #log: FastifyBaseLogger;

  constructor(log: FastifyBaseLogger) {
    super({ requestIdLogLabel: 'requestId' });
    // Its events have fixed members, none of them a credential: looking for some in each would cost more than the rest.
    this.#log = log.child({}, { redact: [] });
  }

  /** Nothing is known yet that the answer's event does not say. */
  override incomingRequest(): void {}

  /** The event of a request: who asked for what, how it was answered, and how long it took in ms. */
  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    this.#log.info(
      {
        requestId: request.id,
        method: request.method,
        url: loggedUrl(request),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 1000) / 1000,
        address: request.ip,
        ...(error && { err: error }),
      },
      'request_answered',
    );
  }
}

/** A query string that may hold a signed URL is a key to what it leads to. */
function loggedUrl({ url, routeOptions }: FastifyRequest): string {
  return routeOptions.config?.secretQuery === true ? url.replace(/\?.*$/, '?(hidden)') : url;
}
