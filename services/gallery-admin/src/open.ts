import { ChangeListener } from '@pressroom/common/database/change-listener';
import { openDirectDatabase, openPool, queriesOn } from '@pressroom/common/database/database';
import type { Server } from '@pressroom/common/http/server';
import type { Logger } from '@pressroom/common/log/logging';
import { poolMeters } from '@pressroom/common/metrics/pool-meter';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import { openTracing } from '@pressroom/common/tracing/open-tracing';
import { buildApp } from './app.ts';
import { ActiveBucket } from './buckets/active.ts';
import { StoreConnections, type StoreTimeouts } from './buckets/clients.ts';
import { environmentBucket } from './buckets/configuration.ts';
import { BucketStore } from './buckets/store.ts';
import type { GalleryConfig } from './config.ts';
import { type CopyLimits, S3_COPY_LIMITS } from './operations/copy-request.ts';
import { type FetcherOptions, MediaFetcher, PROXY_LIMITS } from './proxy/media-fetcher.ts';
import { sessionMeters } from './session/meters.ts';
import type { GalleryTables } from './tables.ts';

/** The service with its open resources. */
export interface OpenGallery {
  app: Server;
  /** Closes the connections to database and object store, after the app. */
  release: () => Promise<void>;
}

/** Dependencies that only tests replace. */
export interface Surroundings {
  /** How large objects are copied; S3's own limits by default. */
  copyLimits?: CopyLimits;
  /** Timeouts of requests to the object store. */
  storeTimeouts?: StoreTimeouts;
  /** How the proxy reaches other hosts. */
  proxy?: Partial<FetcherOptions>;
}

/** Opens the database, starts listening for changes of the settings, and builds the service. */
export async function openGallery(
  config: GalleryConfig,
  log: Logger,
  { copyLimits = S3_COPY_LIMITS, storeTimeouts, proxy }: Surroundings = {},
): Promise<OpenGallery> {
  const applicationName = 'pressroom gallery-admin';
  const pool = openPool(config, applicationName, log);
  const db = queriesOn<GalleryTables>(pool);
  const direct = openDirectDatabase(config, applicationName, db, log);
  const changes = new ChangeListener({
    url: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL,
    applicationName,
    channel: 'gallery_setting_changed',
    onChange: () => active.clear(),
    log,
  });
  const connections = new StoreConnections(storeTimeouts);
  const buckets = new BucketStore({
    db,
    environment: environmentBucket(config),
    box: new SecretBox(config.SETTINGS_KEY, config.SETTINGS_KEY_PREVIOUS),
  });
  const active = new ActiveBucket(buckets, connections, changes);
  const fetcher = new MediaFetcher({ ...PROXY_LIMITS, ...proxy });
  changes.start();
  const tracing = await openTracing(config, 'gallery-admin', log);
  tracing?.traceQueries(pool);
  const release = async () => {
    await changes.close();
    connections.close();
    await fetcher.close();
    await Promise.all([db.destroy(), direct !== db && direct.destroy(), tracing?.close()]);
  };
  const meters = [...poolMeters({ main: pool }), ...sessionMeters(db), ...connections.meters()];
  const parts = { meters, tracing, config, db, direct, active, buckets, copyLimits, fetcher, log };
  return { app: await buildApp(parts), release };
}
