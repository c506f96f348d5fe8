import type { BlockList } from 'node:net';
import cors from '@fastify/cors';
import { isListed } from '@pressroom/common/address-list';
import { forbidden, invalidRequest } from '@pressroom/common/problem';
import type { Server } from '@pressroom/common/server';
import type { FastifyRequest } from 'fastify';

/** The longest `User-Agent`, in characters (`news-feed.md`, "Limits"). */
const MAX_USER_AGENT = 2048;

/** How long a browser may keep the answer to a preflight, in seconds. */
const PREFLIGHT_MAX_AGE_S = 86_400;

/** Lets scripts of any site read, and answers their preflights with 204. */
export async function allowBrowsers(app: Server): Promise<void> {
  await app.register(cors, {
    origin: '*',
    methods: ['GET', 'HEAD', 'OPTIONS'],
    exposedHeaders: ['ETag', 'Retry-After', 'X-Request-Id', 'Link'],
    maxAge: PREFLIGHT_MAX_AGE_S,
    strictPreflight: false,
  });
}

/** Refuses denied client addresses with 403, and an overlong `User-Agent` with 400; health stays answered. */
export function refuseClients(app: Server, denied: BlockList | undefined): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (denied !== undefined && isDenied(request, denied)) {
      return done(forbidden('this client address is not served here'));
    }
    if ((request.headers['user-agent'] ?? '').length > MAX_USER_AGENT) {
      return done(invalidRequest(`header: "user-agent" must be at most ${MAX_USER_AGENT} characters long`));
    }
    done();
  });
}

function isDenied({ ip, url }: FastifyRequest, denied: BlockList): boolean {
  if (url === '/healthz' || url === '/readyz') return false;
  return isListed(denied, ip);
}
