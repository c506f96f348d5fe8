import { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { ChangeListener } from '@pressroom/common/database/change-listener';
import { openPool, queriesOn } from '@pressroom/common/database/database';
import type { Server } from '@pressroom/common/http/server';
import type { Logger } from '@pressroom/common/log/logging';
import { cacheMeter } from '@pressroom/common/metrics/cache-meter';
import { poolMeters } from '@pressroom/common/metrics/pool-meter';
import { buildApp } from './app.ts';
import type { ContentConfig } from './config.ts';
import type { ContentTables } from './tables.ts';

/** The running service and its open resources. */
export interface OpenContent {
  app: Server;
  /** Closes the database, after the app. */
  release: () => Promise<void>;
}

/** Opens the database, starts to listen for changes, and builds the service on them. */
export async function openContent(config: ContentConfig, log: Logger): Promise<OpenContent> {
  const pool = openPool(config, 'pressroom content', log);
  const db = queriesOn<ContentTables>(pool);
  const changes = new ChangeListener({
    url: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL,
    applicationName: 'pressroom content',
    channel: 'content_changed',
    onChange: () => cache.clear(),
    log,
  });
  const cache = new RepresentationCache({ maxBytes: config.CACHE_BYTES, lease: changes });
  changes.start();
  const release = async () => {
    await changes.close();
    await db.destroy();
  };
  const meters = [...poolMeters({ main: pool }), cacheMeter(cache)];
  return { app: await buildApp({ config, db, cache, log, meters }), release };
}
