import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { temporaryHome } from '../../test/support/temporary-home.ts';
import { until } from '../../test/support/until.ts';
import type { Bench } from '../bench.ts';
import { type Contest, contestParts } from '../contenders/contest.ts';
import { startFastify } from '../contenders/fastify.ts';
import { askedForPaths, askedForSame, follow, type NewsItem, type NewsLister } from '../contenders/paged.ts';
import { type PouchdbServer, startPouchdb } from '../contenders/pouchdb.ts';
import { type PressroomNews, pressroomNews } from '../contenders/pressroom-news.ts';
import { addItems } from '../data/items.ts';
import { CHINESE, LATIN } from '../data/vocabulary.ts';
import { copyDatabase, openDatabase, startBenchPostgres } from '../database.ts';
import { peersPictures, peerTables } from '../report/peers.ts';
import { sectionOf } from '../report/section.ts';
import { cursorNow } from '../selected/mirror.ts';
import { NO_CACHE, startService } from '../services.ts';

/** Items, unless the command line gives a number. */
const ITEMS = 100_000;

/** Requests, and the numbers of them that are made at once. */
const QUESTIONS = {
  // The first page of the selected items of 7 days.
  'newest 50': [1, 8, 32],
  // The pages after the first, of all items of 7 days.
  'next 50 by cursor': [1, 8, 32],
  // A Latin and a Chinese word, in all items of 7 days.
  'search for two words': [1, 8, 32],
  // The selected set, page by page. A page of 1,000 takes long enough: with more at once, most of the time is
  // the wait for the others.
  'copy, a page of 1,000': [1, 8],
  // A poll that finds as many changes as a page has, and one that finds none.
  'poll, 100 changes': [1, 8, 32],
  'poll, no change': [1, 8, 32],
};

type NewsContest = Contest<keyof typeof QUESTIONS>;

/** Pages that are followed, and items in each. */
const PAGES = 20;
const LIMIT = '50';

/** The numbers of the words that are searched for: few enough for a cache to have all after the warm-up. */
const SEARCHED = Array.from({ length: 20 }, (_, index) => 100 + index);

/** Items in a page of a copy, and changes to read. */
const COPY_LIMIT = 1000;
const CHANGES = 100;

/**
 * As many searches at once as are sent: by default, the news feed answers 503 to more than four. Both know
 * the same site, so that a cursor of one is a cursor of the other.
 */
const SETTINGS = { NEWS_SEARCH_CONCURRENCY: '32', SITE_URL: 'https://news.example' };

/** The news feed as it is installed and without its cache, by name. */
const CACHES = { Pressroom: {}, 'Pressroom, no cache': NO_CACHE };

/** Starts the news feed with `items` items, and its peers. */
async function startContest(items: number, resources: AsyncDisposableStack): Promise<NewsContest> {
  const home = resources.adopt(await temporaryHome(), (own) => rm(own, { recursive: true, force: true }));
  const postgres = resources.use(await startBenchPostgres({ shared_buffers: '512MB' }));
  const template = await openDatabase(postgres, 'peers_template');
  await addItems(template.pool, 0, items, 0.1);
  await template[Symbol.asyncDispose]();
  const copy = (name: string) => copyDatabase(postgres.url, name, 'peers_template');
  const fastify = await startFastify(await copy('peers_fastify'));
  resources.defer(fastify.process.stop);
  const DATABASE_URL = await copy('peers_pressroom');
  const own: PressroomNews[] = [];
  for (const [name, cache] of Object.entries(CACHES)) {
    const service = await startService('news-feed', { DATABASE_URL, ...SETTINGS, ...cache });
    own.push(pressroomNews(name, resources.use(service)));
  }
  const lists = await askForLists([...own, fastify].map(({ list }) => list));
  const [first] = own;
  if (first === undefined) throw new Error('there is no news feed');
  const selected = (await follow(first.copy(COPY_LIMIT))).items;
  const folder = join(home, 'pouchdb');
  await mkdir(folder);
  const pouchdb = await startPouchdb(folder, selected);
  resources.defer(pouchdb.process.stop);
  const copies = await askForCopies(DATABASE_URL, own, pouchdb, selected.slice(0, CHANGES));
  return { ...lists, ...copies };
}

async function askForLists(listers: readonly NewsLister[]) {
  const lists = (parameters: Record<string, string>) => listers.map((list) => list(parameters));
  const all = { mode: 'all', limit: LIMIT };
  const searches = SEARCHED.map((word) => ({ ...all, q: `${LATIN.common(word)} ${CHINESE.common(word)}` }));
  await askedForSame('a search', lists(searches[0] ?? all));
  return {
    'newest 50': await askedForSame('the newest items', lists({ limit: LIMIT }), { most: 1 }),
    'next 50 by cursor': await askedForSame('the next items', lists(all), { most: PAGES, skipped: 1 }),
    'search for two words': listers.map((list) => {
      const paths = searches.map((search) => list(search).path());
      return askedForPaths(list(all), paths);
    }),
  };
}

/** Changes items of the selected set in both, and finds the polls before and after that. */
async function askForCopies(
  url: string,
  own: readonly PressroomNews[],
  pouchdb: PouchdbServer,
  changed: readonly NewsItem[],
) {
  const now = async () => {
    const [cursor, position] = [await cursorNow(own[0]?.process ?? { port: 0 }), await pouchdb.position()];
    return [...own.map(({ changes }) => changes(CHANGES, cursor)), pouchdb.changes(CHANGES, position)];
  };
  const before = await now();
  const suffix = ', which has changed';
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const ids = changed.map(({ id }) => id);
  await client.query('update news.item set title = title || $1 where id = any($2)', [suffix, ids]);
  await client.end();
  await pouchdb.write(changed.map((item) => ({ ...item, title: `${item.title}${suffix}` })));
  for (const server of before) {
    await until(`${server.name} shows the changes`, async () => {
      return (await follow(server, 1)).items.length === changed.length;
    });
  }
  const copies = [...own.map(({ copy }) => copy(COPY_LIMIT)), pouchdb.changes(COPY_LIMIT, '0')];
  return {
    'copy, a page of 1,000': await askedForSame('the copy', copies, { isSet: true }),
    'poll, 100 changes': await askedForSame('what has changed', before, { most: 1, isSet: true }),
    'poll, no change': (await now()).map((server) => askedForPaths(server, [server.path()])),
  };
}

/**
 * `pnpm bench news-peers [ITEMS]`: the news feed's items next to Fastify with Kysely on the same PostgreSQL,
 * and its selected set, a tenth of the items, next to the `_changes` of CouchDB, which PouchDB Server answers
 * (`bench/results/peers.md`).
 */
export const newsPeers: Bench<NewsContest> = {
  start: ([items = ITEMS], resources) => startContest(items, resources),
  parts: ([items = ITEMS]) => contestParts(QUESTIONS, { rows: items }),
  sections: {
    'news-peers': peersPictures('news-peers', 'Answers a second of Pressroom and others'),
    'news-peers, all loads': sectionOf('news-peers', (figures) => [peerTables(figures)]),
  },
};
