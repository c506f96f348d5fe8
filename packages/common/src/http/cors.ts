import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from './operation.ts';

/** The headers of answers that scripts of other sites may read. */
const EXPOSED = ['ETag', 'Retry-After', 'X-Request-Id', 'Link'];

/**
 * The headers of every answer with which scripts of any site may read it (Fetch Standard, "CORS protocol").
 * They do not depend on the request, so caches need to know nothing of it.
 *
 * @param more further headers that these scripts may read
 */
export function readableAnywhere(more: readonly string[] = []): Record<string, string> {
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': [...EXPOSED, ...more].join(', '),
  };
}

/** Pages of other origins that may do more than read. */
export interface Writers {
  /** Origins as browsers write them: `https://editor.example`. */
  origins: ReadonlySet<string>;
  /** The request headers that carry a key, in lower case: only pages of these origins may send them. */
  keyHeaders: readonly string[];
}

/** A preflight's answer may be kept for so many seconds; browsers keep it for less. */
const MAX_AGE = '86400';

const READ_METHODS = 'GET, HEAD, OPTIONS';
const ALL_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/**
 * Answers preflights for every path, so that they do not count in addition to the requests that they
 * announce: add it before the rate limit. Pages of any origin may read; only `writers`, if there are any, may
 * write. Keys are refused to all others even for reading: POST needs no leave for its method, and a browser
 * that may send a header with a read does not ask again.
 */
export function answerPreflights(app: Server, writers?: Writers): void {
  const vary = writers === undefined ? [] : ['Origin'];
  const constant = {
    'access-control-max-age': MAX_AGE,
    vary: [...vary, 'Access-Control-Request-Headers'].join(', '),
  };
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (origin === undefined || !isPreflight(request)) return done();
    const writes = writers?.origins.has(origin) === true;
    const refused = writes ? [] : (writers?.keyHeaders ?? []);
    allowHeaders(request, reply, refused);
    const methods = writes ? ALL_METHODS : READ_METHODS;
    reply
      .code(204)
      .headers({ ...constant, 'access-control-allow-methods': methods })
      .send();
  });
}

/** A browser's preflight before a cross-origin request (Fetch Standard, "CORS-preflight fetch"). */
function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

function allowHeaders({ headers }: FastifyRequest, reply: FastifyReply, refused: readonly string[]): void {
  const asked = headers['access-control-request-headers']?.split(',') ?? [];
  const allowed = asked.filter((name) => !refused.includes(name.trim().toLowerCase()));
  if (allowed.length > 0) reply.header('access-control-allow-headers', allowed.join(','));
}
