import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { temporaryHome } from '../../test/support/temporary-home.ts';
import { until } from '../../test/support/until.ts';
import type { ServerProcess } from '../child.ts';
import { copyDatabase, createDatabase, startBenchPostgres } from '../database.ts';
import { fillWithNews } from '../news-data.ts';
import { cursorNow } from '../news-ledger.ts';
import { startNewsFeed } from '../news-service.ts';
import { startFastify } from './fastify.ts';
import { askedFor, askedForSame, follow, inAnyOrder, type NewsItem, type NewsLister } from './paged.ts';
import { type PouchdbServer, startPouchdb } from './pouchdb.ts';
import { type PressroomNews, pressroomNews } from './pressroom-news.ts';
import type { Asked } from './turns.ts';

/** How many pages are followed, of how many items. */
const PAGES = 20;
const LIMIT = '50';

/** How many different searches there are: few enough for a cache to have them all after the warm-up. */
const SEARCHES = 20;

/** The first of the words that are searched for, of those in the titles. */
const FIRST_WORD = 100;

/** How many items a page of a copy has, and how many changes there are. */
const COPY_LIMIT = 1000;
const CHANGES = 100;

/** As many searches at once as are sent: by default, the news feed answers 503 to more than four. */
const SEARCHES_AT_ONCE = { NEWS_SEARCH_CONCURRENCY: '32' };

/** Both know the same site, so that a cursor of one is a cursor of the other. */
const SITE = { SITE_URL: 'https://news.example' };

/** The news feed as it is installed and without its cache: names, and `CACHE_BYTES`. */
const CACHES = [
  ['Pressroom', undefined],
  ['Pressroom, no cache', '0'],
] as const;

/** The news feed with its peers, all with the same items. */
export interface NewsContest {
  /** The first page of the selected items of 7 days. */
  newest: Asked[];
  /** The pages after the first, of all items of 7 days. */
  next: Asked[];
  /** Searches for a Latin and a Chinese word in all items of 7 days. */
  searches: Asked[];
  /** The selected set, page by page. */
  copies: Asked[];
  /** A poll that finds as many changes as a page has. */
  changes: Asked[];
  /** A poll that finds none. */
  unchanged: Asked[];
  stop: () => Promise<void>;
}

/** Starts the news feed with `items` items, and its peers. */
export async function startNewsContest(items: number): Promise<NewsContest> {
  const home = await temporaryHome();
  const postgres = await startBenchPostgres({ shared_buffers: '512MB' });
  const processes: ServerProcess[] = [];
  const stop = async () => {
    await Promise.all(processes.map((process) => process.stop()));
    await postgres.stop();
    await rm(home, { recursive: true, force: true });
  };
  try {
    const url = await createDatabase(postgres.url, 'peers_pressroom');
    await query(url, (pool) => fillWithNews(pool, { items, selected: items / 10, recent: items / 10 }));
    const fastify = await startFastify(await copyDatabase(postgres.url, 'peers_fastify', 'peers_pressroom'));
    processes.push(fastify.process);
    const own: PressroomNews[] = [];
    for (const [name, cacheBytes] of CACHES) {
      const process = await startNewsFeed(url, cacheBytes, { ...SEARCHES_AT_ONCE, ...SITE });
      processes.push(process);
      own.push(pressroomNews(name, process));
    }
    const lists = await askForLists([...own, fastify]);
    const [first] = own;
    if (first === undefined) throw new Error('there is no news feed');
    const { items: selected } = await follow(first.copy(COPY_LIMIT));
    const folder = join(home, 'pouchdb');
    await mkdir(folder);
    const pouchdb = await startPouchdb(folder, selected);
    processes.push(pouchdb.process);
    return { ...lists, ...(await askForCopies({ url, own, pouchdb }, selected.slice(0, CHANGES))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function askForLists(
  servers: readonly NewsLister[],
): Promise<Pick<NewsContest, 'newest' | 'next' | 'searches'>> {
  const lists = (parameters: Record<string, string>) => servers.map(({ list }) => list(parameters));
  const all = { mode: 'all', limit: LIMIT };
  const searches = Array.from({ length: SEARCHES }, (_, number) => `word${FIRST_WORD + number} 新闻`);
  await askedForSame('a search', lists({ ...all, q: searches[0] ?? '' }));
  return {
    newest: await askedForSame('the newest items', lists({ limit: LIMIT }), { most: 1 }),
    next: await askedForSame('the next items', lists(all), { most: PAGES, skipped: 1 }),
    searches: servers.map((server) =>
      askedFor(
        server,
        searches.map((q) => server.list({ ...all, q }).path()),
      ),
    ),
  };
}

/** The servers of the selected set. */
interface CopiedServers {
  /** The news feed's database. */
  url: string;
  own: readonly PressroomNews[];
  pouchdb: PouchdbServer;
}

/** Changes items of the selected set in both, and finds the polls before and after that. */
async function askForCopies(
  { url, own, pouchdb }: CopiedServers,
  changed: readonly NewsItem[],
): Promise<Pick<NewsContest, 'copies' | 'changes' | 'unchanged'>> {
  const [first] = own;
  const now = async () => {
    const cursor = first === undefined ? '' : await cursorNow(first.process);
    const position = await pouchdb.position();
    return [...own.map(({ changes }) => changes(CHANGES, cursor)), pouchdb.changes(CHANGES, position)];
  };
  const before = await now();
  const suffix = ', which has changed';
  const ids = changed.map(({ id }) => id);
  await query(url, (pool) =>
    pool.query('update news.item set title = title || $1 where id = any($2)', [suffix, ids]),
  );
  await pouchdb.write(changed.map((item) => ({ ...item, title: `${item.title}${suffix}` })));
  for (const server of before) {
    await until(`${server.name} shows the changes`, async () => {
      const { items } = await follow(server, 1);
      return items.length === changed.length;
    });
  }
  const copies = [...own.map(({ copy }) => copy(COPY_LIMIT)), pouchdb.changes(COPY_LIMIT, '0')];
  return {
    copies: await askedForSame('the copy', copies, { compared: inAnyOrder }),
    changes: await askedForSame('what has changed', before, { most: 1, compared: inAnyOrder }),
    unchanged: (await now()).map((server) => askedFor(server, [server.path()])),
  };
}

async function query(url: string, work: (pool: pg.Pool) => Promise<unknown>): Promise<void> {
  const pool = new pg.Pool({ connectionString: url });
  try {
    await work(pool);
  } finally {
    await pool.end();
  }
}
