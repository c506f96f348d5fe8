import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for a route whose query string is kept out of the log. */
    secretQuery?: boolean;
  }
}

/** Asked for every few seconds by whoever watches the service: of interest only when they fail. */
const PROBES = new Set(['/healthz', '/readyz']);

/**
 * The log of requests: one event for each, when it has been answered or has broken off; failures log their own. Probes
 * that succeed are logged at `debug`.
 */
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
    const level = PROBES.has(request.url) && reply.statusCode < 400 ? 'debug' : 'info';
    this.#log[level](
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
function loggedUrl(request: FastifyRequest): string {
  const { url } = request;
  // The options are looked up anew at each asking, so only where it matters.
  if (!url.includes('?') || request.routeOptions.config?.secretQuery !== true) return url;
  return url.replace(/\?.*$/, '?(hidden)');
}
