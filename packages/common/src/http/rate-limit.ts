import { isIPv6 } from 'node:net';
import { type FastifyRateLimitStore, normalizeIP } from '@fastify/rate-limit';
import { Problem } from '../problems/problem.ts';
import type { CommonConfig } from '../start/config.ts';
import { type CheckedRequest, onEveryRequest } from './every-request.ts';
import { LocalCounters } from './local-counters.ts';
import type { Server } from './operation.ts';

/** The length of a window, in ms (`docs/spec/wire.md`: "windows of a minute"). */
const WINDOW_MS = 60_000;

/** Clients counted in memory at once; the least recent are dropped first. */
const MEMORY_ENTRIES = 20_000;

/** Longest wait of requests for their dependencies in a process without a database, in ms. */
const PATIENCE_MS = 2000;

/** The share of it that a request waits for Redis (250 ms), because it can be counted in memory instead. */
const REDIS_SHARE = 0.125;

/** The client that a request counts against, and its requests per minute. */
export interface Allowance {
  /** An {@link addressKey}, or a value that cannot be one, such as one beginning with `key:`. */
  key: string;
  max: number;
}

export interface RateLimitOptions<Request extends CheckedRequest = CheckedRequest> {
  /** Distinguishes this service's counters if services share a Redis. */
  service: string;
  /** Redis, if replicas share their counters; memory otherwise. */
  config: Pick<CommonConfig, 'REDIS_URL'> & Partial<Pick<CommonConfig, 'DATABASE_CONNECT_TIMEOUT_MS'>>;
  /** Returns the client that a request counts against. */
  allowance: (request: Request) => Allowance;
}

/** The counter key of a client's address: an IPv6 client is its /64, which belongs to one customer. */
export function addressKey({ ip }: Pick<CheckedRequest, 'ip'>): string {
  // Unchanged, because its hash is already cached; a new string's hash would be computed for each request.
  if (!ip.includes(':')) return ip;
  // A proxy may pass on any text as an address, but none may collide with a key.
  return isIPv6(ip) ? normalizeIP(ip, 64) : ip.replaceAll(':', ' ');
}

/** Paths that are never counted: monitoring and documentation. */
const UNCOUNTED = /^\/(healthz|readyz|openapi\.json|docs)([/?]|$)/;

/**
 * Counts requests in windows of a minute and answers 429 with `Retry-After` beyond the allowance. Every
 * response carries `X-RateLimit-Limit`, `-Remaining` and `-Reset` (seconds until the window ends), even for
 * unknown paths; health and documentation are not counted. The counters are those of `@fastify/rate-limit`;
 * its own hook is not used, because it looks up the options of the route and waits several times for each
 * request.
 */
export async function limitRate<Request extends CheckedRequest>(
  app: Server,
  options: RateLimitOptions<Request>,
): Promise<void> {
  const { allowance } = options;
  const counters = await openCounters(app, options);
  onEveryRequest<Request>(app, (request, reply, done) => {
    if (UNCOUNTED.test(request.url)) return done();
    const { key, max } = allowance(request);
    counters.incr(
      key,
      (error, count) => {
        if (error || count === undefined) return done(error ?? undefined);
        const seconds = Math.max(1, Math.ceil(count.ttl / 1000));
        // Sent as text, because Node would convert a number for each check and for the answer.
        reply
          .header('x-ratelimit-limit', String(max))
          .header('x-ratelimit-remaining', String(Math.max(0, max - count.current)))
          .header('x-ratelimit-reset', String(seconds));
        done(count.current > max ? tooManyRequests(seconds, max) : undefined);
      },
      WINDOW_MS,
      max,
    );
  });
}

async function openCounters(
  app: Server,
  {
    service,
    config: { REDIS_URL: redisUrl, DATABASE_CONNECT_TIMEOUT_MS: patience = PATIENCE_MS },
  }: Omit<RateLimitOptions, 'allowance'>,
): Promise<Pick<FastifyRateLimitStore, 'incr'>> {
  if (redisUrl === undefined) return new LocalCounters(MEMORY_ENTRIES);
  // Loaded only where there is a Redis: its client costs memory.
  const { SharedCounters } = await import('./rate-limit-store.ts');
  const shared = new SharedCounters({
    redisUrl,
    timeoutMs: Math.ceil(patience * REDIS_SHARE),
    service,
    memoryEntries: MEMORY_ENTRIES,
    log: app.log,
  });
  app.addHook('onClose', async () => shared.close());
  await shared.open();
  return shared;
}

function tooManyRequests(seconds: number, max: number): Problem {
  const detail = `more than ${max} requests in a minute; try again in ${seconds} s`;
  return new Problem(429, 'rate_limited', detail, { headers: { 'retry-after': String(seconds) } });
}
