import { ChangeListener, EVERY_COMMIT } from '@pressroom/common/change-listener';
import { openDatabase } from '@pressroom/common/database';
import { RepresentationCache } from '@pressroom/common/representation-cache';
import type { Server } from '@pressroom/common/server';
import type { FastifyBaseLogger } from 'fastify';
import { buildApp } from './app.ts';
import type { NewsFeedConfig } from './config.ts';
import type { NewsTables } from './tables.ts';

/** The service with what it holds open. */
export interface OpenNewsFeed {
  app: Server;
  /** Closes the database, after the app. */
  release: () => Promise<void>;
}

/** Opens the database, starts to listen for changes, and builds the service on them. */
export async function openNewsFeed(config: NewsFeedConfig, log: FastifyBaseLogger): Promise<OpenNewsFeed> {
  const db = openDatabase<NewsTables>({
    url: config.DATABASE_URL,
    applicationName: 'pressroom news-feed',
    poolSize: config.DATABASE_POOL_SIZE,
    connectTimeoutMs: config.DATABASE_CONNECT_TIMEOUT_MS,
    statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
    log,
  });
  const changes = new ChangeListener({
    url: config.DATABASE_URL,
    applicationName: 'pressroom news-feed',
    channel: 'news_changed',
    watermark: EVERY_COMMIT,
    onChange: () => cache.clear(),
    log,
  });
  const cache = new RepresentationCache({ maxBytes: config.CACHE_BYTES, lease: changes });
  changes.start();
  const release = async () => {
    await changes.close();
    await db.destroy();
  };
  return { app: await buildApp({ config, db, cache, log }), release };
}
