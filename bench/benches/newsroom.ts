import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { queriesOn } from '@pressroom/common/database/database';
import { readVocabulary } from '@pressroom/news-feed/config';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { REAL_DATA_DIR } from '../../test/support/real-data.ts';
import type { ThrowawayPostgres } from '../../test/support/throwaway-postgres.ts';
import type { Bench } from '../bench.ts';
import { rateRatios, sliceFigures, slicesOf } from '../compare.ts';
import { miniflux } from '../contenders/miniflux.ts';
import { addItems, rank } from '../data/items.ts';
import { type BenchDatabase, openDatabase } from '../database.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { load } from '../load.ts';
import { type FeedServer, madeUpFeeds, serveFeeds } from '../newsroom/feed-server.ts';
import { measurePolling, measureReading, type Poller } from '../newsroom/polling.ts';
import { replay } from '../newsroom/replay.ts';
import { quantile } from '../quantile.ts';
import { measuredTables, shortfalls } from '../report/measured.ts';
import { sectionOf } from '../report/section.ts';
import { NO_CACHE, startService } from '../services.ts';
import { measureSpeed } from '../stories/speed.ts';
import { inTurns, timed } from '../turns.ts';

const ENTRIES = 50;

/** With the worker and without it in turns; it writes and rests several times in a round. */
const ROUNDS = { rounds: 7, roundMs: 3000, warmUpMs: 3000 };

/** The least share of its rate that the news feed keeps while the worker is busy. */
const KEPT_RATE = 0.9;

/** The most time that the story of one item takes, in ms, for 99 of 100. */
const STORY_MS = 20;

/** The most time that a ranking takes, in ms. */
const RANKING_MS = 1000;

/** Paths that the service answers from its cache if it can, and more than the smallest cache keeps. */
const PATHS = {
  hot: ['/api/v1/items?mode=all'],
  cold: Array.from({ length: 100 }, (_, index) => `/api/v1/items?mode=all&limit=${index + 1}`),
};

const ADD = `
  insert into news.source (url, given_url, name, next_poll_at)
  select url, url, 'Feed', now() from unnest($1::text[]) as url`;

/** Feeds that parsers are tested with, which are no part of the repository. */
const ODD_FEEDS = join(REAL_DATA_DIR, 'odd-feeds');

const figure = figuresOf('newsroom');

async function measureRanking(items: number): Promise<Figure[]> {
  await using database = await openDatabase();
  const { pool } = database;
  // All within the 72 hours that a ranking reads.
  await addItems(pool, 0, items, 1);
  await pool.query(
    `update news.item set discovered_at = now() - (now() - discovered_at) * 0.42,
       published_at = now() - (now() - published_at) * 0.42`,
  );
  await pool.query('vacuum analyze');
  const [times = []] = await inTurns([() => rank(pool)], 5, timed);
  return [figure(`a ranking over ${items.toLocaleString('en')} items`, 'time', 'ms', times, RANKING_MS)];
}

/** Makes a database with 10,000 items. */
async function openItems(on?: ThrowawayPostgres): Promise<BenchDatabase> {
  const database = await openDatabase(on);
  await addItems(database.pool, 0, 10_000, 1);
  return database;
}

function startWorker({ url }: BenchDatabase, server: FeedServer, settings: Record<string, string> = {}) {
  const env = { DATABASE_URL: url, METRICS_PORT: '0', LOG_LEVEL: 'warn', ...settings };
  return startService('newsroom', { ...env, NEWS_PRIVATE_HOSTS: server.hosts.join(',') });
}

/** Counts the entries that a worker has stored. */
async function written({ pool }: BenchDatabase): Promise<number> {
  const done = "select count(*)::int as n from news.source_entry where state = 'done'";
  return (await pool.query<{ n: number }>(done)).rows[0]?.n ?? 0;
}

/** A worker that never rests, at a database with other items. */
const worker: Poller = {
  name: 'newsroom',
  open: async (on, server) => {
    const database = await openItems(on);
    await database[Symbol.asyncDispose]();
    return { url: database.url, process: await startWorker(database, server, { NEWS_WRITE_SHARE: '100' }) };
  },
  add: ADD,
  repeat: 'update news.source set next_poll_at = now()',
  state: `
    select (select count(*)::int from news.source where last_polled_at > $1) as polled,
           count(*) filter (where state = 'pending')::int as waiting,
           count(*) filter (where state = 'done')::int as entries,
           count(distinct source_id) filter (where state = 'done')::int as stored,
           (select count(*)::int from news.source where unusable_entries > 0 or exists (
             select from news.source_entry where source_id = source.id)) as read
    from news.source_entry`,
};

/** The worker, and Miniflux where `MINIFLUX` says the path of its program. */
function pollers(): Poller[] {
  const { MINIFLUX } = process.env;
  return MINIFLUX === undefined ? [worker] : [worker, miniflux(MINIFLUX)];
}

/** Measures each poller, one after the other. */
async function ofEach(measure: (poller: Poller) => Promise<Figure[]>): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const poller of pollers()) figures.push(...(await measure(poller)));
  return figures;
}

/** Measures the pollers on feeds that parsers are tested with. */
async function measureOddFeeds(): Promise<Figure[]> {
  const files = readdirSync(ODD_FEEDS, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  await using server = await serveFeeds(files.map((file) => readFileSync(join(file.parentPath, file.name))));
  return await ofEach((poller) => measureReading(poller, server));
}

/** The news feed's answers while the worker writes entries, and while it is stopped. */
async function measureAnswers(server: FeedServer): Promise<Figure[]> {
  await using database = await openItems();
  await database.pool.query(ADD, [server.urls]);
  const DATABASE_URL = database.url;
  await using hot = await startService('news-feed', { DATABASE_URL, CACHE_BYTES: '67108864' });
  await using cold = await startService('news-feed', { DATABASE_URL, ...NO_CACHE });
  // At the end: the feeds, which are here, do not answer while this process waits for another start.
  await using worker = await startWorker(database, server);
  while ((await written(database)) === 0) await delay(50);
  const figures: Figure[] = [];
  for (const [kind, { port }] of [
    ['hot', hot],
    ['cold', cold],
  ] as const) {
    const requests = PATHS[kind].map((path) => ({ path }));
    const asked = (['SIGCONT', 'SIGSTOP'] as const).map((signal) => ({
      subject: 'newsroom',
      process: worker,
      ask: (durationMs: number) => {
        process.kill(worker.pid, signal);
        return load({ port, requests, connections: 16, durationMs, status: 200 }).finally(() =>
          process.kill(worker.pid, 'SIGCONT'),
        );
      },
    }));
    const [busy = [], alone = []] = await slicesOf(asked, ROUNDS);
    const what = `answers while the worker is busy, ${kind}`;
    const without = alone.map(({ p99 }) => p99);
    figures.push(
      figure(what, 'ratio', '', rateRatios(busy, alone), KEPT_RATE),
      ...sliceFigures(figure, what, busy, ['rate', 'p99']),
      figure(what, 'p99 without it', 'ms', without),
    );
  }
  return figures;
}

async function measureStory(stored: number): Promise<Figure[]> {
  await using database = await openDatabase();
  const { pool } = database;
  const { times, indexMiB } = await measureSpeed(pool, queriesOn<NewsTables>(pool), stored);
  const what = `the story of one item among ${stored.toLocaleString('en')}`;
  return [
    figure(what, 'p50', 'ms', quantile(times, 0.5)),
    figure(what, 'p99', 'ms', quantile(times, 0.99), STORY_MS),
    figure(what, 'indices', 'MiB', indexMiB),
  ];
}

/** The digest that it prints differs between versions that decide something differently. */
async function measureReplay(sources: number, days: number): Promise<Figure[]> {
  await using database = await openDatabase();
  const parts = { vocabulary: readVocabulary({}), sources, days };
  const began = performance.now();
  const result = await replay(queriesOn<NewsTables>(database.pool), parts);
  console.log(result);
  const what = `${days} days of ${sources} sources`;
  return [figure(what, 'time', 's', (performance.now() - began) / 1000)];
}

/** Figures for which Miniflux is measured as well. */
const isOfFeeds = ({ what }: Figure) => what.includes(' feeds');

/**
 * `pnpm bench newsroom [PART …] [FEEDS [ITEMS [STORED]]]`: how FEEDS feeds of 50 entries are polled and
 * stored by a worker that never rests, and by Miniflux (`bench/results/peers.md`), the news feed's answers
 * while a worker with the default rests is busy, as a ratio to those while it is stopped, a ranking over
 * ITEMS items of a week, the story of one item among STORED items, and a made-up week by a clock that jumps.
 * For Linux, whose `/proc` says what
 * processes use.
 */
export const newsroom: Bench<FeedServer> = {
  start: async ([feeds = 500], resources) => resources.use(await serveFeeds(madeUpFeeds(feeds, ENTRIES))),
  parts: ([, items = 30_000, stored = 100_000]) => [
    { name: 'ranking', seconds: 20, run: () => measureRanking(items) },
    {
      name: 'polling',
      seconds: 200,
      run: (server) => ofEach((poller) => measurePolling(poller, server, ENTRIES)),
    },
    ...(existsSync(ODD_FEEDS) ? [{ name: 'odd feeds', seconds: 30, run: measureOddFeeds }] : []),
    { name: 'answers', seconds: 130, run: measureAnswers },
    { name: 'story', seconds: 100, run: () => measureStory(stored) },
    { name: 'replay', seconds: 60, run: () => measureReplay(60, 7) },
  ],
  sections: {
    newsroom: sectionOf('newsroom', (figures) => {
      const own = figures.filter((figure) => !isOfFeeds(figure));
      return [measuredTables(own), shortfalls(own)];
    }),
    'newsroom, Miniflux': sectionOf('newsroom', (figures) => [
      measuredTables(figures.filter(isOfFeeds), { subjects: true }),
    ]),
  },
};
