import type { CachedValue } from '@pressroom/common/caching/cached-value';
import { answerFromCache } from '@pressroom/common/caching/hot-answers';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { checkSchema } from '@pressroom/common/database/migrations';
import { answerPreflights, readableAnywhere } from '@pressroom/common/http/cors';
import { createServer } from '@pressroom/common/http/create-server';
import { addFrontPage, type FrontPage, serveDescription } from '@pressroom/common/http/documentation';
import { addRoutes, type RouteLine, type Server } from '@pressroom/common/http/operation';
import { addressKey, limitRate } from '@pressroom/common/http/rate-limit';
import type { Logger } from '@pressroom/common/log/logging';
import type { Meter } from '@pressroom/common/metrics/meter';
import type { SearchGate } from '@pressroom/common/search/search';
import type { Tracing } from '@pressroom/common/tracing/tracing';
import type { Kysely } from 'kysely';
import type { Clock } from '../calendar.ts';
import type { NewsFeedConfig } from '../config.ts';
import type { NewsTables } from '../tables.ts';
import type { Vocabulary } from '../words.ts';
import { ApiAddress } from './api-address.ts';
import { archiveOperations } from './archive.ts';
import { ArchiveStore } from './archive-store.ts';
import { admitClients } from './clients.ts';
import { codexResetOperations, ResetStore } from './codex-resets.ts';
import examples from './examples.json' with { type: 'json' };
import { alsoAt, feedOperations } from './feeds.ts';
import { fingerprintOperations } from './fingerprint.ts';
import { HotTopicStore, hotTopicOperations } from './hot-topics.ts';
import { itemOperations } from './items.ts';
import { ItemStore } from './items-store.ts';
import { llmsOperations } from './llms.ts';
import { reportOperations } from './reports.ts';
import { SelectedStore, selectedOperations } from './selected.ts';
import { Site } from './site.ts';
import { sourceOperations } from './sources.ts';
import { storyOperations } from './stories.ts';

export interface NewsFeedParts {
  config: NewsFeedConfig;
  vocabulary: Vocabulary;
  /** Ends when the vocabulary goes by what owners have set. */
  settings: CachedValue<void>;
  db: Kysely<NewsTables>;
  /** The same database for public reads, which may be on a replica. */
  readDb: Kysely<NewsTables>;
  gate: SearchGate<NewsTables>;
  cache: RepresentationCache;
  /** Called after what `db` has read: a replica must contain it from then on. */
  seen: () => void;
  clock: Clock;
  log: Logger;
  meters: readonly Meter[];
  tracing: Tracing | undefined;
}

const DESCRIPTION = {
  title: 'Pressroom news feed',
  version: '2.0.0',
  description: 'News items, hot topics, stories, daily reports, and a mirror of the selected set.',
  examples,
  introduction: `**Limits.** No key; 120 requests a minute for each client address, unless the settings say otherwise. 429 has \`Retry-After\`.

**Validators.** Each answer has an \`ETag\` and says in \`Cache-Control\` how long it may be kept. Sent as \`If-None-Match\`, an answer
that is the same is 304 and has no body. Poll no more often than \`max-age\` allows.

**Pages.** Lists have \`page.nextCursor\`, null at the end. A cursor belongs to the query that it came from.

**A copy.** \`/api/v1/selected/snapshot\` once, and then \`/api/v1/selected/changes\` with the last \`cursor\`, give exactly the selected set,
whatever happens between. 409 \`snapshot_required\` means: begin again.

**Errors** are RFC 9457 problems. \`code\` is stable, \`detail\` says what to change. Clients must tolerate new members and new names of
categories and directions.

Guides: docs/news-feed.md and docs/client.md of the repository; decisions: docs/spec/wire.md.`,
  requestHeaders: ['User-Agent'],
  tags: {
    items: 'News items: those of the last 7 days, the archive of all, and each by its id.',
    'hot topics': 'Stories that many sources are reporting on now.',
    stories: 'One event, with all reports on it.',
    dailies: 'The daily reports.',
    weeklies: 'The weekly reports, in the form of the daily ones.',
    monthlies: 'The monthly reports, in the form of the daily ones.',
    selected: 'A complete local copy of the selected set, and the changes to it.',
    feeds: 'For feed readers: RSS 2.0, Atom and JSON Feed.',
    'codex resets': 'Announced, estimated and confirmed resets of usage limits.',
  },
} as const;

/** A 404 may be cached for a minute, so that clients do not keep asking for a story that is gone. */
const ERROR_CACHE_CONTROL = { 404: 'public, max-age=60' };

/** Builds the news feed, ready to listen. */
export async function buildApp(parts: NewsFeedParts): Promise<Server> {
  const { config, db, log, meters, tracing } = parts;
  const app = await createServer({
    config,
    description: DESCRIPTION,
    log,
    meters,
    tracing,
    readiness: { database: await checkSchema(db) },
    problems: { cacheControl: ERROR_CACHE_CONTROL },
    headers: readableAnywhere(),
    limit: async (server) => {
      admitClients(server, config.DENY_CIDRS);
      answerPreflights(server);
      await limitRate(server, {
        service: 'news-feed',
        config,
        allowance: (request) => ({ key: addressKey(request), max: config.NEWS_RATE_LIMIT }),
      });
    },
  });
  serveDescription(app, '/openapi-v1.json');
  addFrontPage(app, DESCRIPTION, frontPage(config));
  const address = new ApiAddress(config);
  answerFromCache(app, parts.cache, (headers) => !address.mayDependOn(headers));
  app.addHook('preValidation', async ({ query, params }) => {
    if ('category' in { ...(query as object), ...(params as object) }) await parts.settings.current();
  });
  addRoutes(app, routesOf(parts));
  return app;
}

/** Without a site, links point to this service, and it says what is missing. */
function frontPage(config: NewsFeedConfig): FrontPage {
  const examples = ['/api/v1/items', '/api/v1/hot-topics', '/feed.xml'];
  const { ownRoutes: routes } = new Site(config);
  if (routes === undefined) return { examples };
  const reason = 'A page of your site belongs here. Set SITE_URL to its address, and the links lead there.';
  return { examples, elsewhere: { routes, reason } };
}

function routesOf(parts: NewsFeedParts): RouteLine[] {
  const { config, vocabulary, settings, db, readDb, gate, cache, seen, clock } = parts;
  const site = new Site(config);
  const address = new ApiAddress(config);
  const { calendar } = vocabulary;
  const showsStories = config.NEWS_STORIES === 'on';
  const itemStore = new ItemStore({ db: readDb, gate, clock, stories: showsStories });
  const items = itemOperations({
    db: readDb,
    items: itemStore,
    cache,
    site,
    vocabulary,
    stories: showsStories,
  });
  const hotTopicStore = new HotTopicStore(readDb);
  const hotTopics = hotTopicOperations({
    hotTopics: hotTopicStore,
    cache,
    site,
    vocabulary,
    stories: showsStories,
  });
  const archive = archiveOperations({
    archive: new ArchiveStore({ db: readDb, gate, calendar, clock }),
    cache,
    site,
    vocabulary,
    settings,
  });
  const sources = sourceOperations({ db: readDb, cache, clock });
  const stories = storyOperations({
    db: readDb,
    gate,
    vocabulary,
    showsStories,
    cache,
    site,
    address,
  });
  const { dailies, weeklies, monthlies } = reportOperations({
    ...{ db: readDb, cache, site, calendar, settings, clock },
  });
  const selected = selectedOperations({
    selected: new SelectedStore({ db, readDb, site, seen, forget: () => cache.clear() }),
    site,
    cache,
  });
  const resets = codexResetOperations({ resets: new ResetStore(readDb), cache, clock });
  const fingerprint = fingerprintOperations({ items: itemStore, hotTopics: hotTopicStore, cache });
  const llms = llmsOperations({ site, address, vocabulary, settings });
  const feeds = feedOperations({
    db: readDb,
    items: itemStore,
    cache,
    site,
    address,
    vocabulary,
    settings,
    hubUrl: config.NEWS_HUB_URL,
  });
  return [
    ['GET', '/api/v1/items', items.list],
    ['GET', '/api/v1/items/:id', items.read],
    ['GET', '/api/v1/archive', archive.list],
    ['GET', '/api/v1/sources', sources.list],
    ['GET', '/api/v1/hot-topics', hotTopics.list],
    ['GET', '/api/v1/stories', stories.list],
    ['GET', '/api/v1/stories/:publicId', stories.read],
    ['GET', '/api/v1/dailies', dailies.index],
    ['GET', '/api/v1/dailies/latest', dailies.latest],
    ['GET', '/api/v1/dailies/:date', dailies.read],
    ['GET', '/api/v1/weeklies', weeklies.index],
    ['GET', '/api/v1/weeklies/latest', weeklies.latest],
    ['GET', '/api/v1/weeklies/:date', weeklies.read],
    ['GET', '/api/v1/monthlies', monthlies.index],
    ['GET', '/api/v1/monthlies/latest', monthlies.latest],
    ['GET', '/api/v1/monthlies/:date', monthlies.read],
    ['GET', '/api/v1/selected/snapshot', selected.snapshot],
    ['GET', '/api/v1/selected/changes', selected.changes],
    ['GET', '/api/v1/codex-resets', resets.all],
    ['GET', '/api/v1/codex-resets/recent', resets.recent],
    ['GET', '/api/public/fingerprint', fingerprint.read],
    ['GET', '/llms.txt', llms.read],
    ['GET', '/feed.xml', feeds.selected.xml],
    ['GET', '/feed.atom', feeds.selected.atom],
    ['GET', '/feed.json', feeds.selected.json],
    ['GET', '/feed/all.xml', alsoAt(feeds.all.xml, 'getAllFeed')],
    ['GET', '/feed/full.xml', alsoAt(feeds.selected.xml, 'getFullFeed')],
    ['GET', '/feed/daily.xml', alsoAt(feeds.daily.xml, 'getDailyFeed')],
    ['GET', '/feed/category/:category.xml', feeds.category],
    ['GET', '/all/feed.xml', feeds.all.xml],
    ['GET', '/all/feed.atom', feeds.all.atom],
    ['GET', '/all/feed.json', feeds.all.json],
    ['GET', '/dailies/feed.xml', feeds.daily.xml],
    ['GET', '/dailies/feed.atom', feeds.daily.atom],
    ['GET', '/dailies/feed.json', feeds.daily.json],
    ['GET', '/weeklies/feed.xml', feeds.weekly.xml],
    ['GET', '/weeklies/feed.atom', feeds.weekly.atom],
    ['GET', '/weeklies/feed.json', feeds.weekly.json],
    ['GET', '/monthlies/feed.xml', feeds.monthly.xml],
    ['GET', '/monthlies/feed.atom', feeds.monthly.atom],
    ['GET', '/monthlies/feed.json', feeds.monthly.json],
  ];
}
