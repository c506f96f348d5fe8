import { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { ChangeListener } from '@pressroom/common/database/change-listener';
import { openDatabase } from '@pressroom/common/database/database';
import type { Server } from '@pressroom/common/http/server';
import type { Logger } from '@pressroom/common/log/logging';
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
  const db = openDatabase<ContentTables>(config, 'pressroom content', log);
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
  return { app: await buildApp({ config, db, cache, log }), release };
}
