import { pingDatabase } from '@pressroom/common/database';
import { serveDescription } from '@pressroom/common/documentation';
import { addressKey, limitRate } from '@pressroom/common/rate-limit';
import type { RepresentationCache } from '@pressroom/common/representation-cache';
import { createServer, type Server } from '@pressroom/common/server';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import { allowBrowsers, refuseClients } from './clients.ts';
import type { NewsFeedConfig } from './config.ts';
import type { NewsTables } from './tables.ts';

/** What the service is built from. */
export interface NewsFeedParts {
  config: NewsFeedConfig;
  db: Kysely<NewsTables>;
  cache: RepresentationCache;
  log: FastifyBaseLogger;
}

const DESCRIPTION = {
  title: 'Pressroom news feed',
  version: '2.0.0',
  description: 'News items, hot topics, stories, daily reports, and a mirror of the selected set.',
} as const;

/** Every request is a GET; what is sent with one is not read. */
const BODY_LIMIT = 1024;

/** A 404 may be kept for a minute, so that a story that is gone is not asked for again and again. */
const ERROR_CACHE_CONTROL = { 404: 'public, max-age=60' };

/** Builds the news feed, ready to listen. */
export async function buildApp({ config, db, log }: NewsFeedParts): Promise<Server> {
  const app = await createServer({
    config,
    description: DESCRIPTION,
    log,
    bodyLimit: BODY_LIMIT,
    readiness: { database: () => pingDatabase(db) },
    errorCacheControl: ERROR_CACHE_CONTROL,
    limit: async (server) => {
      await allowBrowsers(server);
      refuseClients(server, config.DENY_CIDRS);
      await limitRate(server, {
        service: 'news-feed',
        redisUrl: config.REDIS_URL,
        allowance: (request) => ({ key: addressKey(request), max: config.NEWS_RATE_LIMIT }),
      });
    },
  });
  serveDescription(app, '/openapi-v1.json');
  return app;
}
