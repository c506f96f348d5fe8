import { openPruning } from '@pressroom/common/concurrency/background-loop';
import { ChangeListener } from '@pressroom/common/database/change-listener';
import { openDirectDatabase, openPool, queriesOn } from '@pressroom/common/database/database';
import type { Server } from '@pressroom/common/http/operation';
import type { Logger } from '@pressroom/common/log/logging';
import { poolMeters } from '@pressroom/common/metrics/meter';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import { openTracing } from '@pressroom/common/tracing/tracing';
import { buildApp } from './app.ts';
import { type CopyLimits, S3_COPY_LIMITS } from './batches/objects.ts';
import { ActiveBucket, environmentBucket, StoreConnections, type StoreTimeouts } from './buckets/bucket.ts';
import { BucketStore } from './buckets/buckets-store.ts';
import { Outages, watchNeighbours } from './condition/outages.ts';
import type { GalleryConfig, MediaConfig } from './config.ts';
import { sectionsOf } from './desk.ts';
import { buildMediaApp } from './media-app.ts';
import { ThumbHashes } from './objects/thumb-hashes.ts';
import { type FetcherOptions, MediaFetcher, PROXY_LIMITS } from './proxy/media-fetcher.ts';
import { sessionMeters } from './session/login-throttle.ts';
import { GallerySettings } from './settings.ts';
import type { GalleryTables } from './tables.ts';
import { Trail } from './trail.ts';
import { pruneTrash } from './trash.ts';

export interface OpenGallery {
  app: Server;
  /** Closes the connections to database and object store, after the app. */
  release: () => Promise<void>;
}

/** Dependencies that only tests replace. */
export interface OpenOptions {
  /** The sizes from which objects are copied in parts; S3's own limits by default. */
  copyLimits?: CopyLimits;
  /** Timeouts of requests to the object store. */
  storeTimeouts?: StoreTimeouts;
  proxy?: Partial<FetcherOptions>;
  /** The clock of the apps that make codes. */
  now?: () => number;
}

/** Opens the database, starts listening for changes of the settings, and builds the service. */
export async function openGallery(
  config: GalleryConfig,
  log: Logger,
  { copyLimits = S3_COPY_LIMITS, storeTimeouts, proxy, now = Date.now }: OpenOptions = {},
): Promise<OpenGallery> {
  const applicationName = 'pressroom gallery-admin';
  const opened = await openBuckets(config, log, applicationName, storeTimeouts);
  const { db, buckets, connections } = opened;
  const direct = openDirectDatabase(config, applicationName, db, log);
  const fetcher = new MediaFetcher({ ...PROXY_LIMITS, ...proxy });
  const pruning = openPruning(
    {
      trash: async (signal) => {
        let objects = 0;
        for (const view of await buckets.list()) {
          try {
            const stored = await buckets.configurationOf({ ...view, accessKeyId: '', secretAccessKey: '' });
            objects += await pruneTrash(connections.open(stored), { db, direct, signal });
          } catch (error) {
            // The others are not to wait for one that does not answer.
            log.warn({ err: error, bucket: view.name }, 'trash_not_pruned');
          }
        }
        return { objects };
      },
      trail: async (signal) => ({ entries: await new Trail(db).prune(config.GALLERY_TRAIL_DAYS, signal) }),
      looks: async () => ({ looks: await new ThumbHashes(db, log).prune() }),
    },
    log,
  );
  const watch = watchNeighbours({
    sections: sectionsOf(config),
    active: opened.active,
    outages: new Outages(db),
  });
  const release = async () => {
    await Promise.all([pruning.stop(), watch.stop(), fetcher.close()]);
    await Promise.all([opened.release(), direct !== db && direct.destroy()]);
  };
  const meters = [...opened.meters, ...sessionMeters(db)];
  const app = await buildApp({ ...opened, config, direct, meters, copyLimits, fetcher, log, now });
  return { app, release };
}

/**
 * Opens what `gallery media` is built from: the public part of the active bucket alone, in its own process.
 */
export async function openMedia(config: MediaConfig, log: Logger): Promise<OpenGallery> {
  const { release, ...opened } = await openBuckets(config, log, 'pressroom media');
  return { app: await buildMediaApp({ ...opened, config, log }), release };
}

/** Opens the database and the active bucket, and starts listening for changes of the settings. */
async function openBuckets(
  config: MediaConfig | GalleryConfig,
  log: Logger,
  applicationName: string,
  storeTimeouts?: StoreTimeouts,
) {
  // Before anything asks the database: only connections opened from then on are traced.
  const tracing = await openTracing(config, applicationName.replace(/^pressroom /, ''), log);
  const pool = openPool(config, applicationName, log);
  const db = queriesOn<GalleryTables>(pool);
  const changes = new ChangeListener({
    url: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL,
    applicationName,
    channel: 'gallery_setting_changed',
    onChange: () => {
      active.clear();
      settings.clear();
    },
    log,
  });
  const connections = new StoreConnections(storeTimeouts);
  const box = new SecretBox(config.SETTINGS_KEY, config.SETTINGS_KEY_PREVIOUS);
  const buckets = new BucketStore({ db, environment: environmentBucket(config), box });
  const settings = new GallerySettings({ db, config, box, lease: changes });
  const active = new ActiveBucket(buckets, connections, changes);
  changes.start();
  tracing?.traceQueries(pool);
  const release = async () => {
    await changes.close();
    connections.close();
    await Promise.all([db.destroy(), tracing?.close()]);
  };
  const meters = [...poolMeters({ main: pool }), ...connections.meters()];
  return { db, buckets, connections, active, settings, tracing, meters, release };
}
