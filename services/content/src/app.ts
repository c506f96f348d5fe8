import { answerFromCache } from '@pressroom/common/caching/hot-answers';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { checkSchema } from '@pressroom/common/database/migrations';
import { answerPreflights, readableAnywhere } from '@pressroom/common/http/cors';
import { createServer } from '@pressroom/common/http/create-server';
import { addFrontPage } from '@pressroom/common/http/documentation';
import { addRoutes, type Server } from '@pressroom/common/http/operation';
import { limitRate } from '@pressroom/common/http/rate-limit';
import type { Logger } from '@pressroom/common/log/logging';
import type { Meter } from '@pressroom/common/metrics/meter';
import type { SearchGate } from '@pressroom/common/search/search';
import type { Tracing } from '@pressroom/common/tracing/tracing';
import type { Kysely } from 'kysely';
import { ApiKeyStore, KeyVerifier } from './api-keys.ts';
import { articleOperations } from './articles/articles.ts';
import { draftOperations } from './articles/drafts.ts';
import type { ExtraSchema } from './articles/extra-schema.ts';
import { ArticlePictures } from './articles/pictures.ts';
import { ArticleStore } from './articles/store.ts';
import { suggestionOperation } from './articles/suggestions.ts';
import { auditOperations } from './audit.ts';
import { Comments, commentOperations } from './comments.ts';
import type { ContentConfig } from './config.ts';
import { type Embeds, embedOperation } from './embeds/embeds.ts';
import { ExternalLinks, externalLinksOperation } from './embeds/external-links.ts';
import examples from './examples.json' with { type: 'json' };
import { FeedStore, feedOperations } from './feeds.ts';
import { hookOperations } from './hooks/hooks.ts';
import type { HtmlInspector } from './html/html-inspector.ts';
import { keyOperations } from './keys.ts';
import { exportOperation } from './moving/download.ts';
import { ImportedPictures } from './moving/imported-pictures.ts';
import { importOperations } from './moving/imports.ts';
import type { ImportStore } from './moving/imports-store.ts';
import { PreviewStore, previewOperations } from './previews.ts';
import { linksOperation } from './redirects/links.ts';
import { redirectOperations } from './redirects/redirects.ts';
import { RedirectStore } from './redirects/store.ts';
import { ReleaseStore, releaseOperations } from './releases.ts';
import {
  ANYBODY,
  AT_DESK,
  allowanceOf,
  EXTERNAL_LINKS,
  identifySenders,
  KEY_HEADERS,
  keyWith,
  OWNER_AT_DESK,
  SETTINGS_AT_DESK,
  SUGGESTIONS,
} from './requests.ts';
import { Reviews, reviewOperations } from './review.ts';
import { RevisionStore, revisionOperations } from './revisions.ts';
import { scheduleOperations } from './schedule.ts';
import { Site, type SiteValues } from './site.ts';
import { type SiteSettings, siteOperations } from './site-settings.ts';
import { SitemapStore, sitemapOperations } from './sitemaps.ts';
import { type SyncStore, syncOperations } from './sync.ts';
import type { ContentTables } from './tables.ts';
import { AUTHORS, CATEGORIES, SERIES, TAGS, type TermKind } from './terms/kinds.ts';
import { mergeOperation } from './terms/merging.ts';
import { orderOperation } from './terms/series.ts';
import { TermStore } from './terms/store.ts';
import { termOperations } from './terms/terms.ts';
import { Trash, trashOperations } from './trash.ts';
import { WorkingCopies, workingCopyOperations } from './working-copies.ts';

export interface ContentParts {
  config: ContentConfig;
  db: Kysely<ContentTables>;
  /** The same database for public reads, which may be on a replica. */
  readDb: Kysely<ContentTables>;
  gate: SearchGate<ContentTables>;
  cache: RepresentationCache;
  /** Called after each commit of this process, with its subjects if they are known. */
  changed: (subjects?: ReadonlySet<string>) => void;
  settings: SiteSettings;
  sync: SyncStore;
  imports: ImportStore;
  log: Logger;
  inspector: HtmlInspector;
  extraSchema: ExtraSchema | undefined;
  embeds: Embeds;
  meters: readonly Meter[];
  tracing: Tracing | undefined;
}

const DESCRIPTION = {
  title: 'Pressroom content',
  version: '1.0.0',
  description: 'The articles and categories of a site. Anyone can read them; writing takes an API key.',
  examples,
  introduction: `**Keys.** An API key goes into \`X-API-Key\`, or \`Authorization: Bearer\`. Owners make keys at the desk, or \`content keys\` does.
Its scope, each including those before it, is \`published\`, \`read\` (drafts), \`write\`, \`publish\` or \`full\`;
each operation names the one that it takes. A site reads with \`published\`.

**Limits.** 60 requests a minute for each client address, 1,000 for each key, unless the settings say otherwise.
\`X-RateLimit-Remaining\` counts down; 429 has \`Retry-After\`.

**Validators.** Each read has an \`ETag\`. Sent as \`If-None-Match\`, an answer that is the same is 304 and has no body. Sent
as \`If-Match\` with a write, what somebody else has changed meanwhile is 412 and stays.

**Pages.** Lists have \`page\` and \`per_page\`. To read a whole list, send \`cursor=\` and then each \`meta.next_cursor\` until it is null.
To keep a copy, take \`/api/sync/snapshot\` and then \`/api/sync/changes\`.

**Errors** are RFC 9457 problems. \`code\` is stable, \`detail\` says what to change; 422 lists every fault in \`errors\`.

Guides: docs/content.md, docs/client.md and docs/hooks.md of the repository; decisions: docs/spec/wire.md.`,
  tags: {
    articles: 'Published articles and drafts; drafts are shown only with a key.',
    categories: 'The categories that articles belong to.',
    tags: 'The tags of articles.',
    authors: 'The people who wrote the articles.',
    series: 'Articles in an order, each in one series at most.',
    releases: 'Articles that are published together, at a time.',
    revisions: 'Earlier versions of articles.',
    'working copies': 'Changes of published articles that readers do not see yet.',
    review: 'Decisions of the desk about drafts before readers see them.',
    comments: 'Remarks of the desk about an article; no reader and no program sees them.',
    previews: 'Links that show one article, published or not, to whoever has them.',
    audit: 'The trail of changes and of the people who made them.',
    keys: 'The API keys; for owners at the desk.',
    hooks: 'The programs that events are delivered to.',
    redirects: 'Where old addresses lead.',
    embeds: 'What the addresses of pages become in articles.',
    site: 'The settings of the site: its name, language and addresses; for owners at the desk.',
    imports: 'Files of other sites that articles come from, and everything as one file.',
    sync: 'An exact copy of what is published, kept up to date.',
    feeds: 'Feeds and sitemaps for readers and search engines; for a site that has an address.',
  },
  securitySchemes: {
    apiKey: { type: 'apiKey', name: 'X-API-Key', in: 'header' },
    bearer: { type: 'http', scheme: 'bearer' },
  },
} as const;

/** The largest request body, in bytes: ten times the longest article that a person reads. */
const BODY_LIMIT = 2 * 2 ** 20;

/** Builds the content service, ready to listen. */
export async function buildApp(parts: ContentParts): Promise<Server> {
  const { config, db, readDb, gate, cache, changed, log, inspector, extraSchema, meters, tracing } = parts;
  const apiKeys = new ApiKeyStore(db);
  const verifier = new KeyVerifier(apiKeys, config.CONTENT_RATE_LIMIT);

  const app = await createServer({
    config,
    description: DESCRIPTION,
    log,
    bodyLimit: BODY_LIMIT,
    meters,
    tracing,
    readiness: { database: await checkSchema(db) },
    headers: readableAnywhere(['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']),
    limit: async (server) => {
      answerPreflights(server, {
        origins: config.CONTENT_CORS_ORIGINS ?? new Set(),
        keyHeaders: KEY_HEADERS,
      });
      identifySenders(server, verifier, config);
      const limits = { anonymous: config.CONTENT_RATE_LIMIT, key: config.CONTENT_KEY_RATE_LIMIT };
      await limitRate(server, {
        service: 'content',
        config,
        allowance: allowanceOf(limits),
      });
    },
  });
  addFrontPage(app, DESCRIPTION, { examples: ['/api/articles', '/api/categories'] });
  answerFromCache(app, cache, (headers) => KEY_HEADERS.every((name) => headers[name] === undefined));
  app.addHook('onClose', () => inspector.close());
  app.addHook('onClose', () => extraSchema?.close());
  app.addHook('onClose', () => parts.embeds.close());
  const { settings } = parts;
  const site = async () => Site.of(await settings.current());
  const language = async () => (await settings.current()).language ?? undefined;
  const store = new ArticleStore(db, readDb, language);
  const rules = { inspector, extraSchema };
  const reviews = new Reviews(db, { own: config.CONTENT_REVIEW_OWN });
  const articleParts = { articles: store, readDb, gate, cache, site, rules, reviews, changed };
  const articles = articleOperations(articleParts);
  const drafts = draftOperations(articleParts);
  const storeOf = (kind: TermKind) => new TermStore(kind, db, readDb, language);
  const operationsOn = (kind: TermKind) =>
    termOperations({ kind, terms: storeOf(kind), gate, cache, changed });
  const categories = operationsOn(CATEGORIES);
  const tags = operationsOn(TAGS);
  const authors = operationsOn(AUTHORS);
  const series = operationsOn(SERIES);
  const feeds = feedOperations({ feeds: new FeedStore(readDb, gate), cache, site });
  const sitemaps = sitemapOperations({ sitemaps: new SitemapStore(readDb), cache, site });
  const sync = syncOperations({ sync: parts.sync, cache });
  const revisions = revisionOperations({
    revisions: new RevisionStore(db),
    articles: store,
    rules,
    reviews,
    changed,
  });
  const copies = workingCopyOperations({ copies: new WorkingCopies(db), rules, changed });
  const trash = trashOperations(new Trash(db), changed);
  const review = reviewOperations(reviews);
  const comments = commentOperations(new Comments(db));
  const previews = previewOperations(new PreviewStore(db));
  const schedule = scheduleOperations(db);
  const releases = releaseOperations(new ReleaseStore(db));
  const audit = auditOperations(db);
  const keys = keyOperations(apiKeys);
  const hooks = hookOperations(db, config);
  // Once for each state of the settings: a store compiles the address patterns in them.
  const stores = new WeakMap<SiteValues, RedirectStore>();
  const redirectStore = async () => {
    const site = await settings.current();
    const store = stores.get(site) ?? new RedirectStore(db, readDb, site, (tx) => settings.in(tx));
    stores.set(site, store);
    return store;
  };
  const redirects = redirectOperations({
    redirects: redirectStore,
    gate,
    cache,
    changed,
  });
  const siteSettings = siteOperations({ settings, changed });
  const pictures = { imported: new ImportedPictures(db), ofArticles: new ArticlePictures(db) };
  const imports = importOperations(parts.imports, pictures, config.DESK_KEY !== undefined);
  addRoutes(app, [
    ['GET', '/api/articles', articles.list, ANYBODY],
    ['GET', '/api/articles/:id', articles.read, ANYBODY],
    ['GET', '/api/articles/by-slug/:slug', articles.readBySlug, ANYBODY],
    ['GET', SUGGESTIONS, suggestionOperation({ gate, cache }), ANYBODY],
    ['POST', '/api/articles/links', linksOperation(redirectStore), keyWith('read')],
    ['POST', EXTERNAL_LINKS, externalLinksOperation(new ExternalLinks(parts.embeds.pages)), keyWith('write')],
    ['POST', '/api/articles', articles.create, keyWith('write')],
    ['PUT', '/api/articles/:id', articles.replace, keyWith('write')],
    ['PATCH', '/api/articles/:id', articles.change, keyWith('write')],
    ['DELETE', '/api/articles/:id', articles.remove, keyWith('publish')],
    ['POST', '/api/drafts', drafts.create, keyWith('write')],
    ['PATCH', '/api/drafts/:id', drafts.change, keyWith('write')],
    ['GET', '/api/trash', trash.list, keyWith('read')],
    ['DELETE', '/api/trash', trash.empty, keyWith('publish')],
    ['DELETE', '/api/trash/:id', trash.erase, keyWith('publish')],
    ['POST', '/api/articles/:id/restore', trash.restore, keyWith('write')],
    ['GET', '/api/articles/:id/revisions', revisions.list, keyWith('read')],
    ['GET', '/api/articles/:id/revisions/:revision', revisions.read, keyWith('read')],
    ['POST', '/api/articles/:id/revisions/:revision/restore', revisions.restore, keyWith('write')],
    ['GET', '/api/articles/:id/working-copy', copies.read, keyWith('read')],
    ['PUT', '/api/articles/:id/working-copy', copies.save, keyWith('write')],
    ['DELETE', '/api/articles/:id/working-copy', copies.remove, keyWith('write')],
    ['POST', '/api/articles/:id/working-copy/publish', copies.publish, keyWith('publish')],
    ['POST', '/api/articles/:id/previews', previews.create, keyWith('write')],
    ['GET', '/api/articles/:id/previews', previews.list, keyWith('write')],
    ['DELETE', '/api/articles/:id/previews/:preview_id', previews.revoke, keyWith('write')],
    ['GET', '/api/articles/:id/review', review.read, keyWith('read')],
    ['PUT', '/api/articles/:id/review', review.put, keyWith('write')],
    ['GET', '/api/reviews', review.count, keyWith('read')],
    ['PUT', '/api/articles/:id/assignee', review.assign, keyWith('publish')],
    ['GET', '/api/articles/:id/comments', comments.list, AT_DESK],
    ['POST', '/api/articles/:id/comments', comments.create, AT_DESK],
    ['PATCH', '/api/articles/:id/comments/:comment_id', comments.change, AT_DESK],
    ['DELETE', '/api/articles/:id/comments/:comment_id', comments.remove, AT_DESK],
    ['GET', '/api/schedule', schedule.list, keyWith('read')],
    ['GET', '/api/releases', releases.list, keyWith('read')],
    ['GET', '/api/releases/:name', releases.read, keyWith('read')],
    ['PUT', '/api/releases/:name', releases.put, keyWith('publish')],
    ['DELETE', '/api/releases/:name', releases.remove, keyWith('publish')],
    ['GET', '/api/audit', audit.list, keyWith('full')],
    ['GET', '/api/keys', keys.list, OWNER_AT_DESK],
    ['POST', '/api/keys', keys.create, OWNER_AT_DESK],
    ['DELETE', '/api/keys/:prefix', keys.revoke, OWNER_AT_DESK],
    ['GET', '/api/hooks', hooks.list, keyWith('full')],
    ['GET', '/api/hooks/:id', hooks.read, keyWith('full')],
    ['POST', '/api/hooks', hooks.create, keyWith('full')],
    ['PATCH', '/api/hooks/:id', hooks.change, keyWith('full')],
    ['DELETE', '/api/hooks/:id', hooks.remove, keyWith('full')],
    ['POST', '/api/hooks/:id/secret', hooks.rotate, keyWith('full')],
    ['POST', '/api/hooks/:id/test', hooks.test, keyWith('full')],
    ['POST', '/api/hooks/:id/replay', hooks.replay, keyWith('full')],
    ['GET', '/api/hooks/:id/deliveries', hooks.log, keyWith('full')],
    ['GET', '/api/categories', categories.list, ANYBODY],
    ['GET', '/api/categories/:id', categories.read, ANYBODY],
    ['GET', '/api/categories/by-slug/:slug', categories.readBySlug, ANYBODY],
    ['POST', '/api/categories', categories.create, keyWith('publish')],
    ['PUT', '/api/categories/:id', categories.replace, keyWith('publish')],
    ['PATCH', '/api/categories/:id', categories.change, keyWith('publish')],
    ['DELETE', '/api/categories/:id', categories.remove, keyWith('publish')],
    ['GET', '/api/tags', tags.listPage, ANYBODY],
    ['GET', '/api/tags/:id', tags.read, ANYBODY],
    ['GET', '/api/tags/by-slug/:slug', tags.readBySlug, ANYBODY],
    ['POST', '/api/tags', tags.create, keyWith('publish')],
    ['PUT', '/api/tags/:id', tags.replace, keyWith('publish')],
    ['PATCH', '/api/tags/:id', tags.change, keyWith('publish')],
    ['DELETE', '/api/tags/:id', tags.remove, keyWith('publish')],
    ['POST', '/api/tags/:id/merge', mergeOperation(db, TAGS, changed), keyWith('publish')],
    ['GET', '/api/authors', authors.listPage, ANYBODY],
    ['GET', '/api/authors/:id', authors.read, ANYBODY],
    ['GET', '/api/authors/by-slug/:slug', authors.readBySlug, ANYBODY],
    ['POST', '/api/authors', authors.create, keyWith('publish')],
    ['PUT', '/api/authors/:id', authors.replace, keyWith('publish')],
    ['PATCH', '/api/authors/:id', authors.change, keyWith('publish')],
    ['DELETE', '/api/authors/:id', authors.remove, keyWith('publish')],
    ['POST', '/api/authors/:id/merge', mergeOperation(db, AUTHORS, changed), keyWith('publish')],
    ['GET', '/api/series', series.listPage, ANYBODY],
    ['GET', '/api/series/:id', series.read, ANYBODY],
    ['GET', '/api/series/by-slug/:slug', series.readBySlug, ANYBODY],
    ['POST', '/api/series', series.create, keyWith('publish')],
    ['PUT', '/api/series/:id', series.replace, keyWith('publish')],
    ['PATCH', '/api/series/:id', series.change, keyWith('publish')],
    ['DELETE', '/api/series/:id', series.remove, keyWith('publish')],
    ['PUT', '/api/series/:id/articles', orderOperation(storeOf(SERIES), changed), keyWith('publish')],
    ['GET', '/api/redirects', redirects.list, ANYBODY],
    ['GET', '/api/redirects/exports/nginx.conf', redirects.nginx, ANYBODY],
    ['POST', '/api/redirects', redirects.create, keyWith('publish')],
    ['PATCH', '/api/redirects/:id', redirects.change, keyWith('publish')],
    ['DELETE', '/api/redirects/:id', redirects.remove, keyWith('publish')],
    ['GET', '/api/embeds', embedOperation(parts.embeds), keyWith('write')],
    ['GET', '/api/site', siteSettings.read, SETTINGS_AT_DESK],
    ['PATCH', '/api/site', siteSettings.change, SETTINGS_AT_DESK],
    ['GET', '/api/imports', imports.list, keyWith('full')],
    ['POST', '/api/imports', imports.create, keyWith('full')],
    ['POST', '/api/imports/pictures', imports.pictures, keyWith('full')],
    ['GET', '/api/imports/:id', imports.read, keyWith('full')],
    ['DELETE', '/api/imports/:id', imports.remove, keyWith('full')],
    ['PUT', '/api/imports/:id/parts/:number', imports.put, keyWith('full')],
    ['GET', '/api/imports/:id/entries', imports.entries, keyWith('full')],
    ['POST', '/api/imports/:id/check', imports.check, keyWith('full')],
    ['POST', '/api/imports/:id/run', imports.run, keyWith('full')],
    ['POST', '/api/imports/:id/undo', imports.undo, keyWith('full')],
    ['GET', '/api/exports/content.jsonl', exportOperation(db, config), keyWith('full')],
    ['GET', '/api/sync/snapshot', sync.snapshot, ANYBODY],
    ['GET', '/api/sync/changes', sync.changes, ANYBODY],
    ['GET', '/articles/feed.xml', feeds.xml, ANYBODY],
    ['GET', '/articles/feed.atom', feeds.atom, ANYBODY],
    ['GET', '/articles/feed.json', feeds.json, ANYBODY],
    ['GET', '/sitemap.xml', sitemaps.read, ANYBODY],
    ['GET', '/news-sitemap.xml', sitemaps.news, ANYBODY],
  ]);
  return app;
}
