import { ChangeListener } from '@pressroom/common/change-listener';
import { openDatabase } from '@pressroom/common/database';
import type { Server } from '@pressroom/common/server';
import type { FastifyBaseLogger } from 'fastify';
import { buildApp } from './app.ts';
import { ActiveBucket } from './buckets/active.ts';
import { StoreConnections } from './buckets/clients.ts';
import { environmentBucket } from './buckets/configuration.ts';
import type { GalleryConfig } from './config.ts';
import { S3_COPY_LIMITS } from './operations/copy-request.ts';
import type { GalleryTables } from './tables.ts';

/** The service with what it holds open. */
export interface OpenGallery {
  app: Server;
  /** Closes the connections to database and object store, after the app. */
  release: () => Promise<void>;
}

/** Opens the database, starts to listen for changes of the settings, and builds the service on them. */
export async function openGallery(config: GalleryConfig, log: FastifyBaseLogger): Promise<OpenGallery> {
  const applicationName = 'pressroom gallery-admin';
  const db = openDatabase<GalleryTables>({
    url: config.DATABASE_URL,
    applicationName,
    poolSize: config.DATABASE_POOL_SIZE,
    connectTimeoutMs: config.DATABASE_CONNECT_TIMEOUT_MS,
    statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
    log,
  });
  const changes = new ChangeListener({
    url: config.DATABASE_URL,
    applicationName,
    channel: 'gallery_setting_changed',
    onChange: () => buckets.clear(),
    log,
  });
  const connections = new StoreConnections();
  const settings = { active: async () => environmentBucket(config) };
  const buckets = new ActiveBucket(settings, connections, changes);
  changes.start();
  const release = async () => {
    await changes.close();
    connections.close();
    await db.destroy();
  };
  return { app: await buildApp({ config, db, buckets, copyLimits: S3_COPY_LIMITS, log }), release };
}
