/**
 * `pnpm bench newsroom [FEEDS [ITEMS [STORED]]]`: measures the newsroom: how FEEDS feeds (500) of 50 entries
 * are polled and stored, a ranking over ITEMS items (30,000) of a week, the story of one item among STORED
 * items (100,000), and the news feed's answers while the worker is busy, as a ratio to those without it; 0
 * leaves a measurement out. For Linux, whose `/proc` says what processes use.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openPool, queriesOn } from '@pressroom/common/database/database';
import { type RunningPostgres, startPostgres } from '@pressroom/embedded-postgres/postgres';
import { publishRanking } from '@pressroom/news-feed/newsroom/publishing/rank';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { temporaryHome } from '../test/support/temporary-home.ts';
import { type ServerProcess, startServer } from './child.ts';
import { createDatabase } from './database.ts';
import { type LoadResult, load } from './load.ts';
import { fillWithNews } from './news-data.ts';
import { type FeedServer, serveFeeds } from './newsroom/feed-server.ts';
import { usageOf } from './process-usage.ts';
import { writeFigures } from './report.ts';
import { measureSpeed } from './stories/speed.ts';

const ENTRIES = 50;

/** How long each load lasts. */
const LOAD_MS = 4000;

const CONNECTIONS = 16;

/** What the service answers from its cache if it can. */
const HOT = ['/api/v1/items?mode=all'];

/** More answers than the smallest cache keeps: each is read from the database. */
const COLD = Array.from({ length: 100 }, (_, index) => `/api/v1/items?mode=all&limit=${index + 1}`);

const [feeds = 500, items = 30_000, stored = 100_000] = process.argv.slice(2).map(Number);

function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}

/** A database of its own, with a pool. */
async function withDatabase<T>(
  postgres: RunningPostgres,
  name: string,
  measure: (pool: ReturnType<typeof openPool>, url: string) => Promise<T>,
): Promise<T> {
  const url = await createDatabase(postgres.url, name);
  const pool = openPool({ DATABASE_URL: url, DATABASE_POOL_SIZE: 4 }, 'pressroom bench');
  try {
    return await measure(pool, url);
  } finally {
    await pool.end();
  }
}

async function measureRanking(postgres: RunningPostgres) {
  return withDatabase(postgres, 'bench_ranking', async (pool) => {
    // All within the 72 hours that a ranking reads.
    await fillWithNews(pool, { items, selected: Math.ceil(items / 10), recent: items });
    await pool.query(
      `update news.item set discovered_at = now() - (now() - discovered_at) * 0.42,
         published_at = now() - (now() - published_at) * 0.42`,
    );
    await pool.query('vacuum analyze');
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const began = performance.now();
      await queriesOn<NewsTables>(pool)
        .transaction()
        .execute((tx) => publishRanking(tx, ['domestic', 'overseas'], new Date()));
      times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    return { items, medianMs: round(times[2] ?? 0), slowestMs: round(times[4] ?? 0) };
  });
}

interface Answers {
  hot: LoadResult;
  cold: LoadResult;
}

async function measureAnswers(hot: ServerProcess, cold: ServerProcess): Promise<Answers> {
  const request = { status: 200, connections: CONNECTIONS, durationMs: LOAD_MS };
  return {
    hot: await load({ ...request, port: hot.port, paths: HOT }),
    cold: await load({ ...request, port: cold.port, paths: COLD }),
  };
}

function startNewsFeed(databaseUrl: string, cacheBytes: string): Promise<ServerProcess> {
  return startServer({
    program: 'services/news-feed/src/main.ts',
    env: { DATABASE_URL: databaseUrl, NEWS_RATE_LIMIT: '1000000000', CACHE_BYTES: cacheBytes },
    port: 'NEWS_FEED_PORT',
    ready: '/readyz',
  });
}

function startWorker(databaseUrl: string, hosts: readonly string[]): ChildProcess {
  return spawn(process.execPath, ['services/news-feed/src/cli.ts', 'work'], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      NEWS_PRIVATE_HOSTS: hosts.join(','),
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function measurePolling(postgres: RunningPostgres, server: FeedServer) {
  return withDatabase(postgres, 'bench_polling', async (pool, url) => {
    const count = async (query: string) => (await pool.query<{ n: number }>(query)).rows[0]?.n ?? 0;
    await fillWithNews(pool, { items: 10_000, selected: 1000, recent: 10_000 });
    const [hot, cold] = [await startNewsFeed(url, '67108864'), await startNewsFeed(url, '0')];
    await measureAnswers(hot, cold);
    const alone = await measureAnswers(hot, cold);
    await pool.query(
      `insert into news.source (url, given_url, name, next_poll_at)
       select url, url, 'Feed', now() from unnest($1::text[]) as url`,
      [Array.from({ length: feeds }, (_, feed) => server.at(feed))],
    );
    const pid = Number(readFileSync(join(postgres.dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
    const before = usageOf(pid);
    const began = performance.now();
    const worker = startWorker(url, server.hosts);
    try {
      const written = "select count(*)::int as n from news.source_entry where state = 'done'";
      while ((await count(written)) === 0) await delay(50);
      const busy = await measureAnswers(hot, cold);
      const during = await count(written);
      while ((await count(written)) < feeds * ENTRIES) await delay(200);
      const seconds = (performance.now() - began) / 1000;
      const [own, database] = [usageOf(worker.pid ?? 0), usageOf(pid)];
      return {
        polling: {
          feeds,
          entries: feeds * ENTRIES,
          // The answers that are measured in between take their share of the cores.
          seconds: round(seconds),
          workerCpuSeconds: round(own.cpuSeconds),
          workerMiB: Math.round(own.memoryMiB),
          databaseCpuSeconds: round(database.cpuSeconds - before.cpuSeconds),
          databaseMiB: Math.round(database.memoryMiB),
        },
        answers: (['hot', 'cold'] as const).map((kind) => ({
          answers: kind,
          'alone, requests/s': Math.round(alone[kind].requestsPerSecond),
          'busy, requests/s': Math.round(busy[kind].requestsPerSecond),
          ratio: round(busy[kind].requestsPerSecond / alone[kind].requestsPerSecond, 2),
          'alone, p99 ms': round(alone[kind].p99),
          'busy, p99 ms': round(busy[kind].p99),
          'entries written by then': during,
        })),
      };
    } finally {
      const ended = once(worker, 'exit');
      worker.kill('SIGTERM');
      await ended;
      await Promise.all([hot.stop(), cold.stop()]);
    }
  });
}

async function bench() {
  const dataDir = await temporaryHome();
  const postgres = await startPostgres({ dataDir, port: 0, settings: { max_wal_size: '4GB' } });
  const server = await serveFeeds(feeds, ENTRIES);
  try {
    const ranking = items > 0 ? await measureRanking(postgres) : undefined;
    if (ranking !== undefined) console.table([ranking]);
    const polled = feeds > 0 ? await measurePolling(postgres, server) : undefined;
    if (polled !== undefined) {
      console.table([polled.polling]);
      console.table(polled.answers);
    }
    const story =
      stored > 0
        ? await withDatabase(postgres, 'bench_stories', (pool) =>
            measureSpeed(pool, queriesOn<NewsTables>(pool), stored),
          )
        : undefined;
    if (story !== undefined) console.table([story]);
    return { ranking, ...polled, story };
  } finally {
    server.stop();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

writeFigures('newsroom', await bench());
