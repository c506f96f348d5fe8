import type { BlockList } from 'node:net';
import { isListed } from '@pressroom/common/http/address-list';
import type { Server } from '@pressroom/common/http/server';
import { forbidden, invalidRequest } from '@pressroom/common/problems/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The longest `User-Agent`, in characters (`docs/spec/news-feed.md`, "Limits"). */
const MAX_USER_AGENT = 2048;

/**
 * Lets scripts of any site read every answer (Fetch Standard, "CORS protocol"; `docs/spec/wire.md`, "News
 * feed").
 */
export const READABLE_ANYWHERE = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Retry-After, X-Request-Id, Link',
};

/** The fixed part of the answer to a preflight, which a browser may cache for so many seconds. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-max-age': '86400',
  vary: 'Access-Control-Request-Headers',
};

/**
 * Refuses denied client addresses with 403 and an overlong `User-Agent` with 400, except on the health
 * endpoints. Answers preflights for every path here, so that they do not count in addition to the requests
 * that they announce.
 */
export function admitClients(app: Server, denied: BlockList | undefined): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (denied !== undefined && isDenied(request, denied)) {
      return done(forbidden('this client address is blocked'));
    }
    if ((request.headers['user-agent'] ?? '').length > MAX_USER_AGENT) {
      return done(invalidRequest(`header: "user-agent" must be at most ${MAX_USER_AGENT} characters long`));
    }
    if (isPreflight(request)) return answerPreflight(request, reply);
    done();
  });
}

/** A browser's preflight before a cross-origin request (Fetch Standard, "CORS-preflight fetch"). */
function isPreflight({ method, headers }: FastifyRequest): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}

function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply): void {
  const asked = headers['access-control-request-headers'];
  if (asked !== undefined) reply.header('access-control-allow-headers', asked);
  reply.code(204).headers(PREFLIGHT).send();
}

function isDenied({ ip, url }: FastifyRequest, denied: BlockList): boolean {
  if (url === '/healthz' || url === '/readyz') return false;
  return isListed(denied, ip);
}
