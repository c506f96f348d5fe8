import { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { ChangeListener } from '@pressroom/common/database/change-listener';
import { openPool, queriesOn } from '@pressroom/common/database/database';
import { openReads } from '@pressroom/common/database/open-reads';
import type { Server } from '@pressroom/common/http/server';
import type { Logger } from '@pressroom/common/log/logging';
import { cacheMeter } from '@pressroom/common/metrics/cache-meter';
import { poolMeters } from '@pressroom/common/metrics/pool-meter';
import { readMeters } from '@pressroom/common/metrics/read-meter';
import { openTracing } from '@pressroom/common/tracing/open-tracing';
import { type Clock, systemClock } from '../clock.ts';
import type { NewsFeedConfig } from '../config.ts';
import type { NewsTables } from '../tables.ts';
import { ANNOUNCEMENTS } from './announcements.ts';
import { buildApp } from './app.ts';
import { ledgerMeters } from './selected/ledger-meters.ts';

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
    followsWal: config.DATABASE_READ_URL !== undefined,
    onChange: () => cache.clear(),
    log,
  });
  const cache = new RepresentationCache({
    maxBytes: config.CACHE_BYTES,
    lease: changes,
    now: () => clock().getTime(),
  });
  const shared = { name: applicationName, changes, log };
  const reads = openReads({ ...shared, config, pool, db });
  const searchReads = openReads({ ...shared, config: searches, pool: searchPool, db: searchDb });
  changes.start();
  const tracing = await openTracing(config, 'news-feed', log);
  for (const opened of [pool, searchPool, reads.replica, searchReads.replica]) {
    if (opened) tracing?.traceQueries(opened);
  }
  const release = async () => {
    await changes.close();
    const databases = [db.destroy(), searchDb.destroy(), reads.close(), searchReads.close()];
    await Promise.all([...databases, tracing?.close()]);
  };
  const meters = [
    ...poolMeters({
      main: pool,
      search: searchPool,
      ...(reads.replica && { replica: reads.replica }),
      ...(searchReads.replica && { search_replica: searchReads.replica }),
    }),
    ...readMeters({ main: reads.pool, search: searchReads.pool }),
    cacheMeter(cache),
    ...ledgerMeters(db),
  ];
  const seen = () => changes.position.seen();
  const dbs = { db, readDb: reads.db, searchDb: searchReads.db };
  const parts = { config, ...dbs, cache, seen, clock, log, meters, tracing };
  return { app: await buildApp(parts), release };
}
