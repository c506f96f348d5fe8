import cookie from '@fastify/cookie';
import { checkSchema } from '@pressroom/common/database/migrations';
import { createServer } from '@pressroom/common/http/create-server';
import { addRoutes, type Server } from '@pressroom/common/http/operation';
import type { Logger } from '@pressroom/common/log/logging';
import type { Meter } from '@pressroom/common/metrics/meter';
import type { Tracing } from '@pressroom/common/tracing/tracing';
import type { Kysely } from 'kysely';
import { ArchiveStore, archiveOperations } from './archives.ts';
import type { ActiveBucket } from './buckets/bucket.ts';
import { bucketOperations } from './buckets/buckets.ts';
import type { BucketStore } from './buckets/buckets-store.ts';
import { StorePing, storeFailure } from './buckets/store-fault.ts';
import type { GalleryConfig } from './config.ts';
import { deskOperations, passRequests, sectionsOf } from './desk.ts';
import { folderOperations } from './folders.ts';
import { listingOperations } from './listing.ts';
import { PublicPrefixes } from './media/public-prefixes.ts';
import { discardRenditions, versionOf } from './media/renditions.ts';
import { Looks } from './objects/looks.ts';
import { OriginalDates } from './objects/original-dates.ts';
import { Operations } from './operations/batches.ts';
import { OperationStore } from './operations/batches-store.ts';
import type { CopyLimits } from './operations/objects.ts';
import { batchOperations, fileOperations } from './operations/operations.ts';
import { pageOperations } from './page.ts';
import { galleryMediaType, galleryMembers } from './problems.ts';
import type { MediaFetcher } from './proxy/media-fetcher.ts';
import { proxyOperations } from './proxy/proxy.ts';
import { Thumbnails } from './proxy/thumbnails.ts';
import { servePublicMedia } from './public-media.ts';
import { type CookieStyle, refuseForeignPages, sessionCookieName, sessionHolder } from './session/guard.ts';
import { Account, Fingerprints, KnownAddresses, Logins, LoginThrottle } from './session/logins.ts';
import { sessionOperations } from './session/session.ts';
import { DeviceTokens, SessionStore } from './session/store.ts';
import type { GalleryTables } from './tables.ts';
import { trashOperations } from './trash.ts';
import { uploadOperations } from './uploads.ts';
import { AnnouncedUploads, CompletedUploads, CompletingUploads, Uploads } from './uploads-store.ts';
import { Articles, usesOperations } from './uses.ts';

/** What the service is built from. */
export interface GalleryParts {
  config: GalleryConfig;
  db: Kysely<GalleryTables>;
  /** The same database without a pooler, for locks of a session. */
  direct: Kysely<GalleryTables>;
  active: ActiveBucket;
  buckets: BucketStore;
  copyLimits: CopyLimits;
  fetcher: MediaFetcher;
  log: Logger;
  meters: readonly Meter[];
  tracing: Tracing | undefined;
}

/** The description of the service, whose cookie has its own name over https. */
const describe = (cookies: CookieStyle) => ({
  title: 'Pressroom gallery administration',
  version: '1.0.0',
  description: 'The media of a site in an object store: uploads, folders, files and buckets, behind a login.',
  tags: {
    session: 'Log in first: all other requests need the session cookie.',
    gallery: 'The folders and files of the active bucket.',
    uploads: 'Presigned URLs with which the browser uploads files straight to the bucket.',
    settings: 'The configured buckets and the active one.',
    media: 'Files of the active bucket that anybody may read.',
    desk: 'Articles and news, next to the media.',
  },
  securitySchemes: {
    session: { type: 'apiKey' as const, name: sessionCookieName(cookies), in: 'cookie' as const },
  },
});

/** The largest request body, in bytes: 2,000 keys of 1,024 bytes, each byte written as `\\u0000`. */
const BODY_LIMIT = 16 * 2 ** 20;

/** Builds the gallery administration, ready to listen. */
export async function buildApp(parts: GalleryParts): Promise<Server> {
  const { config, db, direct, active, buckets, copyLimits, fetcher, log, meters, tracing } = parts;
  const cookies = { secure: config.COOKIE_SECURE };
  const storePing = new StorePing();
  const app = await createServer({
    config,
    description: describe(cookies),
    log,
    bodyLimit: BODY_LIMIT,
    meters,
    tracing,
    readiness: { database: await checkSchema(db) },
    degrading: { 'object store': () => storePing.ping(active.probed()) },
    problems: {
      extend: galleryMembers,
      mediaType: galleryMediaType,
      explain: storeFailure,
      invalidBody: 400,
    },
  });
  const account = new Account({
    username: config.ADMIN_USERNAME,
    passwordHash: config.ADMIN_PASSWORD_HASH,
    password: config.ADMIN_PASSWORD,
    settingsKey: config.SETTINGS_KEY,
  });
  const sessions = new SessionStore(db);
  await app.register(cookie);
  refuseForeignPages(app, cookies);

  const fingerprints = new Fingerprints(config.SETTINGS_KEY);
  const logins = new Logins({
    account,
    sessions,
    throttle: new LoginThrottle(db, fingerprints),
    addresses: new KnownAddresses(db, fingerprints),
    devices: new DeviceTokens(config.SETTINGS_KEY, config.ADMIN_USERNAME ?? '', config.SETTINGS_KEY_PREVIOUS),
  });
  const session = sessionOperations({ logins, sessions, cookies });
  const settings = bucketOperations({ buckets, changed: () => active.clear() });
  const dates = new OriginalDates(db);
  const uploads = uploadOperations(
    new Uploads({
      buckets: active,
      announced: new AnnouncedUploads(db),
      completed: new CompletedUploads(db),
      completing: new CompletingUploads(db),
      copies: { limits: copyLimits, dates },
    }),
  );
  const published = new PublicPrefixes(config.MEDIA_PUBLIC);
  const looks = new Looks(db, log);
  const listing = listingOperations(active, {
    dates,
    looks,
    publicPath: ({ key, etag }) => published.pathOf(key, versionOf(etag)),
  });
  const folders = folderOperations(active, dates);
  const trash = trashOperations(active, dates);
  const archives = archiveOperations(active, new ArchiveStore(db), dates);
  const store = new OperationStore(db);
  const discard = discardRenditions(published);
  const operations = new Operations({ store, direct, limits: copyLimits, dates, discard, log });
  // Batches stop while the last requests are still being answered, which may take minutes.
  app.addHook('preClose', async () => operations.stop());
  app.addHook('onClose', () => operations.close());
  const background = batchOperations({ buckets: active, store, operations });
  const files = fileOperations({ buckets: active, operations });
  const uses = usesOperations(new Articles(config, log));
  const thumbnails = new Thumbnails(fetcher.maxBytes, config.CACHE_BYTES);
  const proxy = proxyOperations({
    buckets: active,
    fetcher,
    thumbnails,
    looks,
    allowedHosts: config.PROXY_ALLOWED_HOSTS,
    privateHosts: config.PROXY_PRIVATE_HOSTS,
  });
  const sections = sectionsOf(config);
  const desk = deskOperations(config, sections);
  const SESSION = sessionHolder({ account, sessions, cookies });
  const page = pageOperations(active);
  addRoutes(app, [
    ['GET', '/', page.root],
    ['GET', '/desk/*', page.document],
    ['GET', '/assets/:name', page.asset],
    ['POST', '/api/login', session.login],
    ['POST', '/api/logout', session.logout, SESSION],
    ['GET', '/api/settings/buckets', settings.list, SESSION],
    ['POST', '/api/settings/buckets', settings.change, SESSION],
    ['POST', '/api/upload', uploads.sign, SESSION],
    ['POST', '/api/upload/sign', uploads.signRequest, SESSION],
    ['POST', '/api/upload/multipart', uploads.multipart, SESSION],
    ['GET', '/api/gallery', listing.list, SESSION],
    ['POST', '/api/gallery', listing.sign, SESSION],
    ['GET', '/api/gallery/folder-preview', listing.folderPreview, SESSION],
    ['GET', '/api/gallery/batches', background.list, SESSION],
    ['GET', '/api/gallery/batches/:id', background.read, SESSION],
    ['POST', '/api/gallery/batches/:id/resume', background.resume, SESSION],
    ['GET', '/api/gallery/trash', trash.list, SESSION],
    ['GET', '/api/gallery/media', proxy.media, SESSION],
    ['POST', '/api/gallery/archives', archives.create, SESSION],
    ['GET', '/api/gallery/archives/:id', archives.read, SESSION],
    ['POST', '/api/gallery/folder', folders.create, SESSION],
    ['POST', '/api/gallery/lookup', folders.lookUp, SESSION],
    ['POST', '/api/gallery/uses', uses.read, SESSION],
    ['POST', '/api/gallery/uses/move', uses.move, SESSION],
    ['POST', '/api/gallery/rename', files.rename, SESSION],
    ['POST', '/api/gallery/delete', files.remove, SESSION],
    ['POST', '/api/gallery/batch', files.batch, SESSION],
    ['GET', '/api/proxy', proxy.fetch, SESSION],
    ['GET', '/api/desk', desk.read, SESSION],
  ]);
  await passRequests(app, [sections.content, sections.newsroom], SESSION);
  // Anonymous clients get one core at most, and only while the administrator waits for no picture.
  await servePublicMedia(app, { config, buckets: active, places: 1, turn: () => thumbnails.idle() });
  return app;
}
