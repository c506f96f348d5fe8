import rateLimit, {
  type FastifyRateLimitStore,
  type FastifyRateLimitStoreCtor,
  normalizeIP,
} from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import { Problem } from './problem.ts';
import { SharedCounters } from './rate-limit-store.ts';
import type { Server } from './server.ts';

/** The length of a window, in ms (`wire.md`: "windows of a minute"). */
const WINDOW_MS = 60_000;

/** How many counted clients are kept in memory at once; the least recent are forgotten first. */
const MEMORY_ENTRIES = 20_000;

/** Who a request counts against, and how many requests a minute that one has. */
export interface Allowance {
  key: string;
  max: number;
}

/** What {@link limitRate} needs to know. */
export interface RateLimitOptions {
  /** Names this service's counters where services share a Redis. */
  service: string;
  /** Redis, when replicas share their counters; memory otherwise. */
  redisUrl?: string | undefined;
  /** Says, for each request, who it counts against. */
  allowance: (request: FastifyRequest) => Allowance;
}

/** The counter key of a client address: an IPv6 client is its /64, which one customer holds whole. */
export function addressKey(request: FastifyRequest): string {
  const { ip } = request;
  return `address:${ip.includes(':') ? normalizeIP(ip, 64) : ip}`;
}

/**
 * Counts requests in windows of a minute and answers 429 with `Retry-After` beyond the allowance. Every
 * response carries `X-RateLimit-Limit`, `-Remaining` and `-Reset` (seconds until the window ends), unknown
 * paths included; routes with `config: { rateLimit: false }` (health, documentation) are not counted.
 */
export async function limitRate(
  app: Server,
  { service, redisUrl, allowance }: RateLimitOptions,
): Promise<void> {
  const shared =
    redisUrl && new SharedCounters({ redisUrl, service, memoryEntries: MEMORY_ENTRIES, log: app.log });
  if (shared) {
    app.addHook('onClose', async () => shared.close());
    await shared.open();
  }
  await app.register(rateLimit, {
    timeWindow: WINDOW_MS,
    cache: MEMORY_ENTRIES,
    keyGenerator: (request) => allowance(request).key,
    max: (request) => allowance(request).max,
    errorResponseBuilder: (_request, { ttl, max }) => tooManyRequests(ttl, max),
    ...(shared && { store: storeOf(shared) }),
  });
}

/** The plugin makes its store itself; ours is made already. */
function storeOf(store: FastifyRateLimitStore): FastifyRateLimitStoreCtor {
  return function Store() {
    return store;
  } as unknown as FastifyRateLimitStoreCtor;
}

function tooManyRequests(ttl: number, max: number): Problem {
  const seconds = Math.max(1, Math.ceil(ttl / 1000));
  return new Problem(
    429,
    'rate_limited',
    `more than ${max} requests in a minute; try again in ${seconds} s`,
    {
      headers: { 'retry-after': String(seconds) },
    },
  );
}
