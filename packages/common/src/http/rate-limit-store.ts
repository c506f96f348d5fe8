import type { FastifyRateLimitStore } from '@fastify/rate-limit';
import RedisStore from '@fastify/rate-limit/store/RedisStore.js';
import type { FastifyBaseLogger } from 'fastify';
import { Redis } from 'ioredis';
import { LocalCounters } from './local-counters.ts';

/** Options of {@link SharedCounters}. */
export interface SharedCountersOptions {
  redisUrl: string;
  /** Longest wait of a request for Redis, in ms, before it is counted in memory instead. */
  timeoutMs: number;
  /** Distinguishes this service's counters if services share a Redis. */
  service: string;
  /** Counters kept in memory while Redis is unavailable. */
  memoryEntries: number;
  log: FastifyBaseLogger;
}

/**
 * Counters in Redis, shared by all replicas. While Redis is unavailable, requests are counted in this
 * process's memory: a less exact limit is better than no service. Losing and regaining Redis are each logged
 * once.
 */
export class SharedCounters implements FastifyRateLimitStore {
  readonly #redis: Redis;
  readonly #shared: FastifyRateLimitStore;
  readonly #local: FastifyRateLimitStore;
  readonly #log: FastifyBaseLogger;
  #away = false;

  constructor({ redisUrl, timeoutMs, service, memoryEntries, log }: SharedCountersOptions) {
    this.#log = log;
    this.#redis = new Redis(redisUrl, {
      lazyConnect: true,
      connectTimeout: 2000,
      commandTimeout: timeoutMs,
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
      retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
    });
    this.#redis.on('error', (error) => this.#noteAway(error));
    this.#redis.on('ready', () => this.#noteBack());
    this.#shared = new RedisStore(false, false, this.#redis, `pressroom:rate:${service}:`);
    this.#local = new LocalCounters(memoryEntries);
  }

  /** Connects, so that even the first requests are shared; also resolves without Redis. */
  async open(): Promise<void> {
    await this.#redis.connect().catch((error: Error) => this.#noteAway(error));
  }

  /** Counts one request of `key`; see `@fastify/rate-limit`, "Custom store". */
  incr: FastifyRateLimitStore['incr'] = (key, callback, windowMs, max) => {
    const fallBack = (error: Error) => {
      this.#noteAway(error);
      this.#local.incr(key, callback, windowMs, max);
    };
    const answer: typeof callback = (error, count) => {
      if (error) return fallBack(error);
      this.#noteBack();
      return callback(null, count);
    };
    this.#shared.incr(key, answer, windowMs, max);
  };

  child(): this {
    return this;
  }

  close(): void {
    this.#redis.disconnect();
  }

  #noteAway(error: Error): void {
    if (!this.#away) this.#log.warn({ err: error }, 'rate_limit_redis_away');
    this.#away = true;
  }

  #noteBack(): void {
    if (this.#away) this.#log.info('rate_limit_redis_back');
    this.#away = false;
  }
}
