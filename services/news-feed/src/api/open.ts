import { CachedValue } from '@pressroom/common/caching/cached-value';
import { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { ChangeListener } from '@pressroom/common/database/change-listener';
import { openPool, queriesOn } from '@pressroom/common/database/database';
import { openReads } from '@pressroom/common/database/read-pool';
import { compareReplicas } from '@pressroom/common/database/replica-settings';
import type { Server } from '@pressroom/common/http/operation';
import { ledgerMeters } from '@pressroom/common/ledger/ledger';
import type { Logger } from '@pressroom/common/log/logging';
import { cacheMeter, poolMeters, readMeters } from '@pressroom/common/metrics/meter';
import { openSearches } from '@pressroom/common/search/open-searches';
import { openTracing } from '@pressroom/common/tracing/tracing';
import { type Clock, systemClock } from '../calendar.ts';
import { AGREED_SETTINGS, type NewsFeedConfig, vocabularyOf } from '../config.ts';
import type { NewsTables } from '../tables.ts';
import { buildApp } from './app.ts';

/** The running service and its open resources. */
interface OpenNewsFeed {
  app: Server;
  release: () => Promise<void>;
}

/** Opens the database, starts to listen for changes, and builds the service on them. `clock` is for tests. */
export async function openNewsFeed(
  config: NewsFeedConfig,
  log: Logger,
  clock: Clock = systemClock,
): Promise<OpenNewsFeed> {
  const applicationName = 'pressroom news-feed';
  // Before anything asks the database: only connections opened from then on are traced.
  const tracing = await openTracing(config, 'news-feed', log);
  const pool = openPool(config, applicationName, log);
  const db = queriesOn<NewsTables>(pool);
  const changes = new ChangeListener({
    url: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL,
    applicationName,
    ...ANNOUNCEMENTS,
    followsWal: config.DATABASE_READ_URL !== undefined,
    onChange: () => {
      settings.drop();
      cache.clear();
    },
    others: { news_settings: compareReplicas(config, AGREED_SETTINGS, log) },
    log,
  });
  const cache = new RepresentationCache({
    maxBytes: config.CACHE_BYTES,
    lease: changes,
    now: () => clock().getTime(),
  });
  const shared = { name: applicationName, changes, log };
  const reads = openReads({ ...shared, config, pool, db });
  const vocabulary = vocabularyOf(config);
  const settings = new CachedValue(changes, () => vocabulary.settings.follow(reads.db));
  const concurrency = config.NEWS_SEARCH_CONCURRENCY;
  const searches = openSearches<NewsTables>({ ...shared, config, concurrency });
  changes.start();
  const pools = { main: pool, ...(reads.replica && { replica: reads.replica }), ...searches.pools };
  for (const opened of Object.values(pools)) tracing?.traceQueries(opened);
  const release = async () => {
    await changes.close();
    await Promise.all([db.destroy(), reads.close(), searches.close(), tracing?.close()]);
  };
  const meters = [
    ...poolMeters(pools),
    ...readMeters({ main: reads.pool, search: searches.readPool }),
    cacheMeter(cache),
    ...ledgerMeters(db, 'news'),
  ];
  const seen = () => changes.position.seen();
  const dbs = { db, readDb: reads.db, gate: searches.gate };
  const parts = { config, vocabulary, settings, ...dbs, cache, seen, clock, log, meters, tracing };
  return { app: await buildApp(parts), release };
}

/**
 * Announcements by which a replica hears of commits (docs/ledger.md, "How replicas hear of a change"): the
 * counterpart of the triggers that call `announcements.sql`.
 */
export const ANNOUNCEMENTS = {
  /** The channel on which commits are announced with NOTIFY. */
  channel: 'news_changed',
  /** Changes with every commit that is not announced. */
  watermark: 'select news.change_watermark()',
  /** The number alone: behind it are the transactions that are committing. */
  isSettled: (watermark: unknown) => !String(watermark).includes(' '),
} as const;
