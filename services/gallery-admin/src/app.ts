import { pingDatabase } from '@pressroom/common/database/database';
import { createServer } from '@pressroom/common/http/create-server';
import type { Server } from '@pressroom/common/http/server';
import type { Logger } from '@pressroom/common/log/logging';
import type { Kysely } from 'kysely';
import type { ActiveBucket } from './buckets/active.ts';
import { pingStore } from './buckets/ping.ts';
import { addBucketRoutes } from './buckets/routes.ts';
import type { BucketStore } from './buckets/store.ts';
import { explainStoreFault } from './buckets/store-fault.ts';
import type { GalleryConfig } from './config.ts';
import { addListingRoutes } from './listing/routes.ts';
import type { CopyLimits } from './operations/copy-request.ts';
import { addOperationRoutes } from './operations/routes.ts';
import { UnfinishedTransfers } from './operations/unfinished.ts';
import { galleryMembers } from './problems.ts';
import type { MediaFetcher } from './proxy/media-fetcher.ts';
import { addProxyRoutes } from './proxy/routes.ts';
import { Thumbnails } from './proxy/thumbnails.ts';
import { Account } from './session/account.ts';
import { addLogin, addLogout, guardSession, readCookies } from './session/routes.ts';
import { SessionStore } from './session/store.ts';
import { LoginThrottle } from './session/throttle.ts';
import type { GalleryTables } from './tables.ts';
import { addUploadRoutes } from './uploads/routes.ts';
import { Uploads } from './uploads/store.ts';

/** What the service is built from. */
export interface GalleryParts {
  config: GalleryConfig;
  db: Kysely<GalleryTables>;
  /** The active bucket. */
  active: ActiveBucket;
  /** All buckets. */
  buckets: BucketStore;
  /** How large objects are copied. */
  copyLimits: CopyLimits;
  /** Fetches media for the proxy. */
  fetcher: MediaFetcher;
  log: Logger;
}

const DESCRIPTION = {
  title: 'Pressroom gallery administration',
  version: '1.0.0',
  description: 'The media of a site in an object store: uploads, folders, files and buckets, behind a login.',
  securitySchemes: {
    session: { type: 'apiKey', name: 'gallery_session', in: 'cookie' },
  },
} as const;

/** Builds the gallery administration, ready to listen. */
export async function buildApp(parts: GalleryParts): Promise<Server> {
  const { config, db, active, buckets, copyLimits, fetcher, log } = parts;
  const app = await createServer({
    config,
    description: DESCRIPTION,
    log,
    bodyLimit: config.GALLERY_BODY_LIMIT,
    readiness: { database: () => pingDatabase(db), 'the object store': () => pingStore(active) },
    problems: {
      extend: galleryMembers,
      explain: explainStoreFault,
      invalidBody: 400,
    },
  });
  const session = {
    account: new Account({
      username: config.ADMIN_USERNAME,
      passwordHash: config.ADMIN_PASSWORD_HASH,
      password: config.ADMIN_PASSWORD,
      settingsKey: config.SETTINGS_KEY,
    }),
    sessions: new SessionStore(db),
    throttle: new LoginThrottle(db),
    secureCookie: config.COOKIE_SECURE,
  };
  await readCookies(app);
  addLogin(app, session);
  await app.register(async (guarded: Server) => {
    guardSession(guarded, session);
    addLogout(guarded, session);
    addBucketRoutes(guarded, { buckets, changed: () => active.clear() });
    addUploadRoutes(guarded, new Uploads(active));
    addListingRoutes(guarded, { buckets: active });
    addOperationRoutes(guarded, {
      buckets: active,
      unfinished: new UnfinishedTransfers(db),
      limits: copyLimits,
    });
    addProxyRoutes(guarded, {
      buckets: active,
      fetcher,
      thumbnails: new Thumbnails(fetcher, config.CACHE_BYTES),
      allowedHosts: config.PROXY_ALLOWED_HOSTS,
      privateHosts: config.PROXY_PRIVATE_HOSTS,
    });
  });
  return app;
}
