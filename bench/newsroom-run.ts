/**
 * `pnpm bench newsroom [FEEDS [ITEMS [STORED]]]`: measures the newsroom: how FEEDS feeds (500) of 50 entries
 * are polled and stored by a worker that never rests, the news feed's answers while a worker with the default
 * rests is busy, as a ratio to those while it is stopped, a ranking over ITEMS items (30,000) of a week,
 * and the story of one item among STORED items (100,000). 0 leaves a measurement out. For Linux, whose
 * `/proc` says what processes use.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { queriesOn } from '@pressroom/common/database/database';
import type { RunningPostgres } from '@pressroom/embedded-postgres/postgres';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { postmasterOf } from '../test/support/processes.ts';
import { onPostgres, withDatabase } from './database.ts';
import { type Figure, figuresOf } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { load } from './load.ts';
import { fillWithNews, rank } from './news-data.ts';
import { startNewsFeed } from './news-service.ts';
import { type FeedServer, serveFeeds } from './newsroom/feed-server.ts';
import { usageOf } from './process-usage.ts';
import { quantile } from './quantile.ts';
import { measureSpeed } from './stories/speed.ts';
import { inTurns, timed } from './turns.ts';

const ENTRIES = 50;

/** How long each load lasts: the worker writes and rests several times meanwhile. */
const LOAD_MS = 3000;

/** How often the answers are measured, with the worker and without it in turns. */
const ROUNDS = 7;

const CONNECTIONS = 16;

/** The least share of its rate that the news feed keeps while the worker is busy. */
const KEPT_RATE = 0.9;

/** The most time that the story of one item takes, in ms, for 99 of 100. */
const STORY_MS = 20;

/** The most time that a ranking takes, in ms. */
const RANKING_MS = 1000;

/** What the service answers from its cache if it can. */
const HOT = ['/api/v1/items?mode=all'];

/** More answers than the smallest cache keeps: each is read from the database. */
const COLD = Array.from({ length: 100 }, (_, index) => `/api/v1/items?mode=all&limit=${index + 1}`);

const [feeds = 500, items = 30_000, stored = 100_000] = process.argv.slice(2).map(Number);

const figure = figuresOf('newsroom');

async function measureRanking(postgres: RunningPostgres): Promise<Figure[]> {
  return withDatabase(postgres, 'bench_ranking', async ({ pool }) => {
    // All within the 72 hours that a ranking reads.
    await fillWithNews(pool, { items, selected: Math.ceil(items / 10), recent: items });
    await pool.query(
      `update news.item set discovered_at = now() - (now() - discovered_at) * 0.42,
         published_at = now() - (now() - published_at) * 0.42`,
    );
    await pool.query('vacuum analyze');
    const [times = []] = await inTurns([() => rank(pool)], 5, timed);
    return [figure(`a ranking over ${items.toLocaleString('en')} items`, 'time', 'ms', times, RANKING_MS)];
  });
}

function startWorker(databaseUrl: string, hosts: readonly string[], share?: string): ChildProcess {
  return spawn(process.execPath, ['services/news-feed/src/cli.ts', 'work'], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      NEWS_PRIVATE_HOSTS: hosts.join(','),
      LOG_LEVEL: 'warn',
      ...(share && { NEWS_WRITE_SHARE: share }),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/**
 * A database with 10,000 items and sources that are due, and a worker on it until `measure` has ended, which
 * writes for `share` percent of the time if that is given.
 */
async function withWorker<T>(
  postgres: RunningPostgres,
  server: FeedServer,
  { name, share }: { name: string; share?: string },
  measure: (parts: {
    url: string;
    worker: ChildProcess;
    written: () => Promise<number>;
    began: number;
  }) => Promise<T>,
): Promise<T> {
  return withDatabase(postgres, name, async ({ pool, url }) => {
    await fillWithNews(pool, { items: 10_000, selected: 1000, recent: 10_000 });
    await pool.query(
      `insert into news.source (url, given_url, name, next_poll_at)
       select url, url, 'Feed', now() from unnest($1::text[]) as url`,
      [Array.from({ length: feeds }, (_, feed) => server.at(feed))],
    );
    const written = async () => {
      const done = "select count(*)::int as n from news.source_entry where state = 'done'";
      return (await pool.query<{ n: number }>(done)).rows[0]?.n ?? 0;
    };
    const began = performance.now();
    const worker = startWorker(url, server.hosts, share);
    try {
      return await measure({ url, worker, written, began });
    } finally {
      const ended = once(worker, 'exit');
      worker.kill('SIGCONT');
      worker.kill('SIGTERM');
      await ended;
    }
  });
}

async function measurePolling(postgres: RunningPostgres, server: FeedServer): Promise<Figure[]> {
  const pid = postmasterOf(postgres.dataDir);
  const before = usageOf(pid);
  return withWorker(
    postgres,
    server,
    { name: 'bench_polling', share: '100' },
    async ({ worker, written, began }) => {
      while ((await written()) < feeds * ENTRIES) await delay(200);
      const seconds = (performance.now() - began) / 1000;
      const [own, database] = [usageOf(worker.pid ?? 0), usageOf(pid)];
      const what = `${feeds} feeds of ${ENTRIES} entries, polled and stored without rests`;
      return [
        figure(what, 'time', 's', seconds),
        figure(what, 'CPU, worker', 's', own.cpuSeconds),
        figure(what, 'CPU, database', 's', database.cpuSeconds - before.cpuSeconds),
        figure(what, 'memory, worker', 'MiB', own.memoryMiB),
        figure(what, 'memory, database', 'MiB', database.memoryMiB),
      ];
    },
  );
}

/** The news feed's answers while the worker writes entries, and while it is stopped. */
async function measureAnswers(postgres: RunningPostgres, server: FeedServer): Promise<Figure[]> {
  return withWorker(postgres, server, { name: 'bench_answers' }, async ({ url, worker, written }) => {
    const services = { hot: await startNewsFeed(url, '67108864'), cold: await startNewsFeed(url, '0') };
    try {
      while ((await written()) === 0) await delay(50);
      const figures: Figure[] = [];
      for (const [kind, paths] of [
        ['hot', HOT],
        ['cold', COLD],
      ] as const) {
        const request = { status: 200, connections: CONNECTIONS, port: services[kind].port, paths };
        const measure = () => load({ ...request, durationMs: LOAD_MS });
        await measure();
        const [busy = [], alone = []] = await inTurns([true, false], ROUNDS, async (isBusy) => {
          worker.kill(isBusy ? 'SIGCONT' : 'SIGSTOP');
          return measure().finally(() => worker.kill('SIGCONT'));
        });
        const ratios = busy.map(
          (own, round) => own.requestsPerSecond / (alone[round]?.requestsPerSecond ?? 0),
        );
        const what = `answers while the worker is busy, ${kind}`;
        figures.push(
          figure(what, 'ratio', '', ratios, KEPT_RATE),
          figure(
            what,
            'rate',
            '/s',
            busy.map(({ requestsPerSecond }) => requestsPerSecond),
          ),
          figure(
            what,
            'p99',
            'ms',
            busy.map(({ p99 }) => p99),
          ),
          figure(
            what,
            'p99 without it',
            'ms',
            alone.map(({ p99 }) => p99),
          ),
        );
      }
      return figures;
    } finally {
      await Promise.all(Object.values(services).map((service) => service.stop()));
    }
  });
}

async function measureStory(postgres: RunningPostgres): Promise<Figure[]> {
  return withDatabase(postgres, 'bench_stories', async ({ pool }) => {
    const { times, indexMiB } = await measureSpeed(pool, queriesOn<NewsTables>(pool), stored);
    const what = `the story of one item among ${stored.toLocaleString('en')}`;
    return [
      figure(what, 'p50', 'ms', quantile(times, 0.5)),
      figure(what, 'p99', 'ms', quantile(times, 0.99), STORY_MS),
      figure(what, 'indices', 'MiB', indexMiB),
    ];
  });
}

const server = await serveFeeds(feeds, ENTRIES);
const figures = await onPostgres(async (postgres) => [
  ...(items > 0 ? await measureRanking(postgres) : []),
  ...(feeds > 0 ? await measurePolling(postgres, server) : []),
  ...(feeds > 0 ? await measureAnswers(postgres, server) : []),
  ...(stored > 0 ? await measureStory(postgres) : []),
]).finally(() => server.stop());
keepFigures('newsroom', figures);
