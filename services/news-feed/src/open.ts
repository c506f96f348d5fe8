import { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { ChangeListener } from '@pressroom/common/database/change-listener';
import { openPool, queriesOn } from '@pressroom/common/database/database';
import type { Server } from '@pressroom/common/http/server';
import type { Logger } from '@pressroom/common/log/logging';
import { cacheMeter } from '@pressroom/common/metrics/cache-meter';
import { poolMeters } from '@pressroom/common/metrics/pool-meter';
import { ANNOUNCEMENTS } from './announcements.ts';
import { buildApp } from './app.ts';
import { type Clock, systemClock } from './clock.ts';
import type { NewsFeedConfig } from './config.ts';
import { ledgerMeters } from './selected/ledger-meters.ts';
import type { NewsTables } from './tables.ts';

/** The running service and its open resources. */
export interface OpenNewsFeed {
  app: Server;
  /** Closes the database, after the app. */
  release: () => Promise<void>;
}

/** Opens the database, starts to listen for changes, and builds the service on them. `clock` is for tests. */
export async function openNewsFeed(
  config: NewsFeedConfig,
  log: Logger,
  clock: Clock = systemClock,
): Promise<OpenNewsFeed> {
  const applicationName = 'pressroom news-feed';
  const pool = openPool(config, applicationName, log);
  const db = queriesOn<NewsTables>(pool);
  const searches = {
    ...config,
    DATABASE_POOL_SIZE: config.NEWS_SEARCH_CONCURRENCY,
    DATABASE_STATEMENT_TIMEOUT_MS: config.NEWS_SEARCH_TIMEOUT_MS,
  };
  const searchPool = openPool(searches, applicationName, log);
  const searchDb = queriesOn<NewsTables>(searchPool);
  const changes = new ChangeListener({
    url: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL,
    applicationName,
    ...ANNOUNCEMENTS,
    onChange: () => cache.clear(),
    log,
  });
  const cache = new RepresentationCache({
    maxBytes: config.CACHE_BYTES,
    lease: changes,
    now: () => clock().getTime(),
  });
  changes.start();
  const release = async () => {
    await changes.close();
    await Promise.all([db.destroy(), searchDb.destroy()]);
  };
  const pools = poolMeters({ main: pool, search: searchPool });
  const meters = [...pools, cacheMeter(cache), ...ledgerMeters(db)];
  return { app: await buildApp({ config, db, searchDb, cache, clock, log, meters }), release };
}
