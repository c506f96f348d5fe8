import cookie from '@fastify/cookie';
import { checkSchema } from '@pressroom/common/database/migrations';
import type { DeskScope } from '@pressroom/common/desk/person';
import { createServer } from '@pressroom/common/http/create-server';
import { addRoutes, type Server } from '@pressroom/common/http/operation';
import type { Logger } from '@pressroom/common/log/logging';
import type { Meter } from '@pressroom/common/metrics/meter';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import type { Tracing } from '@pressroom/common/tracing/tracing';
import type { Kysely } from 'kysely';
import { ArchiveStore, archiveOperations } from './archives.ts';
import { Batches } from './batches/batches.ts';
import { BatchStore } from './batches/batches-store.ts';
import type { CopyLimits } from './batches/objects.ts';
import { batchOperations, fileOperations } from './batches/operations.ts';
import type { ActiveBucket } from './buckets/bucket.ts';
import { bucketOperations } from './buckets/buckets.ts';
import type { BucketStore } from './buckets/buckets-store.ts';
import { StorePing, storeFailure } from './buckets/store-errors.ts';
import { conditionOperations } from './condition/condition.ts';
import { type GalleryConfig, waysInOf } from './config.ts';
import { ContentPictures } from './content-pictures.ts';
import { type AskerOf, contentFor, deskOperations, passRequests, sectionsOf } from './desk.ts';
import examples from './examples.json' with { type: 'json' };
import { folderOperations } from './folders.ts';
import { listingOperations } from './listing.ts';
import { discardRenditions } from './media/renditions.ts';
import { OriginalDates } from './objects/object-page.ts';
import { ThumbHashes } from './objects/thumb-hashes.ts';
import { pageOperations } from './page.ts';
import { AuthorLinks } from './people/author-links.ts';
import { Identities } from './people/identities.ts';
import { peopleOperations } from './people/people.ts';
import { PeopleStore, type Role } from './people/people-store.ts';
import { savedFilterOperations } from './people/saved-filters.ts';
import { Presence, presenceOperations } from './presence.ts';
import { galleryMediaType, galleryMembers } from './problems.ts';
import type { MediaFetcher } from './proxy/media-fetcher.ts';
import { proxyOperations } from './proxy/proxy.ts';
import { Thumbnails } from './proxy/thumbnails.ts';
import { publicRenditions, servePublicMedia } from './public-media.ts';
import { BegunLogins } from './session/begun-logins.ts';
import { Challenges } from './session/challenges.ts';
import { Codes } from './session/codes.ts';
import { factorOperations } from './session/factors.ts';
import {
  type CookieStyle,
  guardOf,
  ownOrigin,
  refuseForeignPages,
  sessionCookieName,
} from './session/guard.ts';
import { Fingerprints, KnownAddresses, LoginThrottle } from './session/login-throttle.ts';
import { Account, Logins } from './session/logins.ts';
import { logoutUrlOf, oidcOperations } from './session/oidc.ts';
import { OidcProvider } from './session/oidc-providers.ts';
import { Passkeys } from './session/passkeys.ts';
import { proxyLoginOperations } from './session/proxy-login.ts';
import { sessionOperations } from './session/session.ts';
import { DeviceTokens, SessionStore } from './session/store.ts';
import { type GallerySettings, settingsOperations } from './settings.ts';
import type { GalleryTables } from './tables.ts';
import { keepTrail, Trail, trailOperations } from './trail.ts';
import { trashOperations } from './trash.ts';
import { uploadOperations } from './uploads.ts';
import { AnnouncedUploads, CompletedUploads, CompletingUploads, Uploads } from './uploads-store.ts';
import { Articles, usesOperations } from './uses.ts';

export interface GalleryParts {
  config: GalleryConfig;
  db: Kysely<GalleryTables>;
  /** The same database without a pooler, for locks of a session. */
  direct: Kysely<GalleryTables>;
  active: ActiveBucket;
  buckets: BucketStore;
  settings: GallerySettings;
  copyLimits: CopyLimits;
  fetcher: MediaFetcher;
  log: Logger;
  meters: readonly Meter[];
  tracing: Tracing | undefined;
  /** The clock of the apps that make codes. */
  now: () => number;
}

/** The description of the service, whose cookie has its own name over https. */
const describe = (cookies: CookieStyle) => ({
  title: 'Pressroom gallery administration',
  version: '1.0.0',
  description: 'The media of a site in an object store: uploads, folders, files and buckets, behind a login.',
  examples,
  introduction: `**Session.** \`POST /api/login\` sets a cookie (\`HttpOnly\`, \`SameSite=Strict\`). All else takes it, but for public media. A write from
another origin is 403. A role that does not allow a request is 403 \`role_forbids\`. Changes of people, ways in and buckets, and
deletions for good, take a login or \`POST /api/me/confirm\` within the last 15 minutes: 403 \`confirmation_required\`.

**Uploads** go from the browser to the store. \`POST /api/upload\` signs a PUT, good for 15 minutes; large files go in parts
(\`POST /api/upload/multipart\`).

**Repeating.** A batch with an \`Idempotency-Key\` is done once; after a 5xx the same request finishes it.

**Errors** have \`success: false\` and \`message\`, and with \`Accept: application/problem+json\` are RFC 9457 problems. \`code\` is stable.

Guides: docs/gallery.md, docs/gallery-media.md and docs/security.md of the repository; decisions: docs/spec/wire.md.`,
  tags: {
    session: 'Log in first: all other requests need the session cookie.',
    gallery: 'The folders and files of the active bucket.',
    uploads: 'Presigned URLs with which the browser uploads files straight to the bucket.',
    settings: 'Public folders, the mail server, the configured buckets and the active one.',
    media: 'Files of the active bucket that anybody may read.',
    desk: 'Articles and news, next to the media.',
    people: 'The people of the desk, and their roles.',
    trail: 'The trail of changes and of the people who made them.',
    me: 'The account of the person who is logged in.',
  },
  securitySchemes: {
    session: { type: 'apiKey' as const, name: sessionCookieName(cookies), in: 'cookie' as const },
  },
});

/** The largest request body, in bytes: 2,000 keys of 1,024 bytes, each byte written as `\\u0000`. */
const BODY_LIMIT = 16 * 2 ** 20;

type Permission = 'look' | 'upload' | 'organize' | 'administer';

const ROLES: Readonly<Record<Role, readonly Permission[]>> = {
  owner: ['look', 'upload', 'organize', 'administer'],
  editor: ['look', 'upload', 'organize'],
  photographer: ['look', 'upload', 'organize'],
  writer: ['look', 'upload'],
  reader: ['look'],
};

/** Scopes for articles and news; writers write drafts of their own. */
const SCOPE_OF_ROLE: Readonly<Record<Role, DeskScope>> = {
  owner: 'full',
  editor: 'full',
  photographer: 'read',
  writer: 'write',
  reader: 'read',
};

/** What makes content want pictures, or no longer. */
const BEGINS_IMPORT = /^\/api\/desk\/content\/imports\/\d+\/(run|undo)$/;

/** What may give an article another picture, and how long more of that is waited for, in ms. */
const WRITES_ARTICLE = /^\/api\/desk\/content\/(articles|drafts)\b/;
const MORE_WRITES_MS = 500;

/** Builds the gallery administration, ready to listen. */
export async function buildApp(parts: GalleryParts): Promise<Server> {
  const { config, db, direct, active, buckets, copyLimits, fetcher, log, meters, tracing, now } = parts;
  const { settings } = parts;
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
  const providers = config.OIDC_PROVIDERS.map((settings) => new OidcProvider(settings));
  const ways = waysInOf(config);
  const sessions = new SessionStore(db, { providers, proxy: ways.proxy });
  const people = new PeopleStore(db, account.isConfigured, ways);
  await app.register(cookie);
  refuseForeignPages(app, cookies);
  const trail = new Trail(db);
  keepTrail(app, trail);

  const fingerprints = new Fingerprints(config.SETTINGS_KEY);
  const addresses = new KnownAddresses(db, fingerprints);
  const box = new SecretBox(config.SETTINGS_KEY, config.SETTINGS_KEY_PREVIOUS);
  const codes = new Codes(db, box, now);
  const takesPasswords = ways.passwords;
  const logins = new Logins({
    account,
    people,
    sessions,
    throttle: new LoginThrottle(db, fingerprints),
    addresses,
    devices: new DeviceTokens(config.SETTINGS_KEY, config.SETTINGS_KEY_PREVIOUS),
    codes,
    takesPasswords,
  });
  const entry = { logins, sessions, cookies, takesPasswords };
  const authors = new AuthorLinks(people, config);
  const passkeys = new Passkeys(db, new Challenges(db, fingerprints));
  const identities = new Identities(db, ways);
  const factors = factorOperations({ ...entry, people, account, passkeys, codes, providers, identities });
  const signing = {
    ...{ ...entry, account, addresses, authors, box, identities, people, providers },
    begun: new BegunLogins(db, fingerprints),
    header: config.LOGIN_PROXY_HEADER,
  };
  const session = sessionOperations({ ...entry, logoutUrl: logoutUrlOf(signing) });
  const oidc = oidcOperations(signing);
  const byProxy = proxyLoginOperations(signing);
  const deeds = trailOperations(trail, contentFor(config));
  const mail = async () => (await settings.current()).mail;
  const persons = peopleOperations({ ...entry, mail, people, account, authors, passkeys, roles: ROLES });
  const bucketSettings = bucketOperations({ buckets, changed: () => active.clear() });
  const ownSettings = settingsOperations(settings);
  const dates = new OriginalDates(db);
  const uploads = uploadOperations(
    new Uploads({
      buckets: active,
      announced: new AnnouncedUploads(db),
      completed: new CompletedUploads(db),
      completing: new CompletingUploads(db),
      copies: { limits: copyLimits, dates },
    }),
    (role) => ROLES[role].includes('organize'),
  );
  const thumbHashes = new ThumbHashes(db, log);
  const listing = listingOperations(active, {
    dates,
    thumbHashes,
    published: async () => (await settings.current()).published,
  });
  const folders = folderOperations(active, dates);
  const trash = trashOperations(active, dates);
  const archives = archiveOperations(active, new ArchiveStore(db), dates);
  const store = new BatchStore(db);
  const discard = discardRenditions(async () => (await settings.current()).everPublished);
  const batches = new Batches({ store, direct, limits: copyLimits, dates, discard, log });
  // Batches stop while the last requests are still being answered, which may take minutes.
  app.addHook('preClose', async () => batches.stop());
  app.addHook('onClose', () => batches.close());
  const background = batchOperations({ buckets: active, store, batches });
  const files = fileOperations({ buckets: active, batches });
  const uses = usesOperations(new Articles(config, log), settings);
  const thumbnails = new Thumbnails(fetcher.maxBytes, config.CACHE_BYTES);
  // Anonymous clients get one core at most, and only while the administrator waits for no picture.
  const renditions = publicRenditions(1, () => thumbnails.idle());
  const pictures = new ContentPictures({ config, settings, buckets: active, discard, renditions, log });
  app.addHook('onResponse', async (request, { statusCode }) => {
    const { method, url } = request;
    if (BEGINS_IMPORT.test(url)) return pictures.wake();
    if (method === 'GET' || !WRITES_ARTICLE.test(url)) return;
    // Who is refused says nothing of where the desk is.
    if (statusCode < 400) pictures.learn(ownOrigin(request, cookies));
    pictures.wakeIn(MORE_WRITES_MS);
  });
  app.addHook('preClose', () => pictures.stop());
  const proxy = proxyOperations({
    buckets: active,
    fetcher,
    thumbnails,
    thumbHashes,
    allowedHosts: config.PROXY_ALLOWED_HOSTS,
    privateHosts: config.PROXY_PRIVATE_HOSTS,
  });
  const presence = new Presence(db, (ids) => sessions.living(ids, account.fingerprint), log);
  app.addHook('preClose', async () => presence.stop());
  const presences = presenceOperations(presence, (role) => SCOPE_OF_ROLE[role] !== 'read');
  const sections = sectionsOf(config);
  const desk = deskOperations({ config, settings, sections });
  const condition = conditionOperations({ db, active, store, sections });
  const requiresFactor = config.LOGIN_SECOND_FACTOR === 'required';
  const may = guardOf({ account, sessions, cookies, roles: ROLES, requiresFactor });
  // Whoever has to set up a second factor can do that, and nothing else.
  const own = may('look', { withoutFactor: true });
  const ownFresh = may('look', { withoutFactor: true, fresh: true });
  const letIn = may('administer', { fresh: true });
  const filters = savedFilterOperations(db);
  const page = pageOperations(active);
  addRoutes(app, [
    ['GET', '/', page.root],
    ['GET', '/desk/*', page.document],
    ['GET', '/assets/:name', page.asset],
    ['POST', '/api/login', session.login],
    ['POST', '/api/login/passkey/options', factors.loginOptions],
    ['POST', '/api/login/passkey', factors.logIn],
    ['GET', '/api/login/methods', byProxy.methods],
    ['POST', '/api/login/proxy', byProxy.login],
    ['GET', '/api/oidc/:provider/login', oidc.login],
    ['POST', '/api/oidc/:provider/login', oidc.accept],
    ['GET', '/api/oidc/:provider/callback', oidc.callback],
    ['POST', '/api/logout', session.logout, own],
    ['POST', '/api/invitation', persons.readInvitation],
    ['POST', '/api/invitation/passkey', persons.invitationOptions],
    ['POST', '/api/invitation/accept', persons.acceptInvitation],
    ['GET', '/api/me', persons.readMe, own],
    ['PATCH', '/api/me', persons.changeMe, own],
    ['POST', '/api/me/password', persons.changePassword, own],
    ['GET', '/api/me/sessions', persons.listSessions, own],
    ['DELETE', '/api/me/sessions', persons.endOtherSessions, own],
    ['DELETE', '/api/me/sessions/:id', persons.endSession, own],
    ['GET', '/api/me/filters', filters.list, may('look')],
    ['PUT', '/api/me/filters/:id', filters.save, may('look')],
    ['DELETE', '/api/me/filters/:id', filters.remove, may('look')],
    ['POST', '/api/me/confirm', factors.confirm, own],
    ['POST', '/api/me/confirm/options', factors.confirmOptions, own],
    ['POST', '/api/me/confirm/account', oidc.confirm, own],
    ['GET', '/api/me/factors', factors.read, own],
    ['POST', '/api/me/passkeys', factors.add, ownFresh],
    ['POST', '/api/me/passkey-options', factors.passkeyOptions, ownFresh],
    ['PATCH', '/api/me/passkeys/:id', factors.rename, ownFresh],
    ['DELETE', '/api/me/passkeys/:id', factors.remove, ownFresh],
    ['POST', '/api/me/totp', factors.beginTotp, ownFresh],
    ['POST', '/api/me/totp/confirm', factors.confirmTotp, ownFresh],
    ['DELETE', '/api/me/totp', factors.removeTotp, ownFresh],
    ['POST', '/api/me/recovery-codes', factors.renewCodes, ownFresh],
    ['POST', '/api/me/accounts', oidc.link, ownFresh],
    ['DELETE', '/api/me/accounts/:id', oidc.unlink, ownFresh],
    ['GET', '/api/people', persons.list, may('administer')],
    ['POST', '/api/people', persons.add, letIn],
    ['GET', '/api/people/:id', persons.read, may('administer')],
    ['PATCH', '/api/people/:id', persons.change, letIn],
    ['DELETE', '/api/people/:id', persons.remove, letIn],
    ['POST', '/api/people/:id/invitation', persons.invite, letIn],
    ['DELETE', '/api/people/:id/factors', persons.removeFactors, letIn],
    ['GET', '/api/trail', deeds.list, may('administer')],
    ['GET', '/api/trail.csv', deeds.download, may('administer')],
    ['GET', '/api/settings', ownSettings.read, may('administer')],
    ['PATCH', '/api/settings', ownSettings.change, letIn],
    ['POST', '/api/settings/mail/test', ownSettings.test, letIn],
    ['GET', '/api/settings/buckets', bucketSettings.list, may('administer')],
    ['POST', '/api/settings/buckets', bucketSettings.change, may('administer')],
    ['POST', '/api/upload', uploads.sign, may('upload')],
    ['POST', '/api/upload/sign', uploads.signRequest, may('upload')],
    ['POST', '/api/upload/multipart', uploads.multipart, may('upload')],
    ['GET', '/api/gallery', listing.list, may('look')],
    ['POST', '/api/gallery', listing.sign, may('look')],
    ['GET', '/api/gallery/folder-preview', listing.folderPreview, may('look')],
    ['GET', '/api/gallery/batches', background.list, may('look')],
    ['GET', '/api/gallery/batches/:id', background.read, may('look')],
    ['POST', '/api/gallery/batches/:id/resume', background.resume, may('organize')],
    ['GET', '/api/gallery/trash', trash.list, may('look')],
    ['GET', '/api/gallery/media', proxy.media, may('look')],
    ['POST', '/api/gallery/archives', archives.create, may('look')],
    ['GET', '/api/gallery/archives/:id', archives.read, may('look')],
    ['POST', '/api/gallery/folder', folders.create, may('organize')],
    ['POST', '/api/gallery/lookup', folders.lookUp, may('look')],
    ['POST', '/api/gallery/uses', uses.read, may('look')],
    ['POST', '/api/gallery/uses/move', uses.move, may('organize')],
    ['POST', '/api/gallery/rename', files.rename, may('organize')],
    ['POST', '/api/gallery/delete', files.remove, may('organize')],
    ['POST', '/api/gallery/batch', files.batch, may('organize')],
    ['GET', '/api/proxy', proxy.fetch, may('look')],
    ['GET', '/api/desk', desk.read, may('look')],
    ['GET', '/api/desk/operations', condition.read, may('administer')],
    ['GET', '/api/desk/writers', persons.listWriters, may('organize')],
    ['GET', '/api/presence', presences.list, may('look')],
    ['GET', '/api/presence/events', presences.follow, may('look')],
    ['PUT', '/api/presence/:tab', presences.open, may('look')],
    ['DELETE', '/api/presence/:tab', presences.close, may('look')],
  ]);
  // Content and the newsroom refuse what the scope does not allow.
  const askerOf: AskerOf = async (request, section) => {
    const { id, name, role, author } = request.person;
    const scope = SCOPE_OF_ROLE[role];
    const asker = { name, scope, author, account: id };
    if (section === 'newsroom' || scope === 'read' || id === null || author !== null) return asker;
    // Without it writers could write nothing; others only could not be found as authors.
    if (scope === 'write') return { ...asker, author: await authors.link(id, name) };
    return { ...asker, author: await authors.linkIfWriting({ id, name, role }, request.log) };
  };
  await passRequests(app, [sections.content, sections.newsroom], () => may('look'), askerOf);
  await passRequests(
    app,
    [sections.integrations, sections.newsroomSettings],
    (method) => may('administer', { fresh: method !== 'GET' }),
    askerOf,
  );
  await servePublicMedia(app, { config, settings, buckets: active, renditions });
  return app;
}
