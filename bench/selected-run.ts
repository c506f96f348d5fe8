/**
 * `pnpm bench selected [ITEMS]`: measures the selected set: pages at every depth, mirrors, followers of
 * writers.
 */
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { migrate } from '@pressroom/common/database/migrate';
import { startPostgres } from '@pressroom/embedded-postgres/postgres';
import pg from 'pg';
import { temporaryHome } from '../test/support/temporary-home.ts';
import { type ServerProcess, startServer } from './child.ts';
import { type Figure, figureOf } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { fillWithNews } from './news-data.ts';
import { type FollowerFigures, measureFollowers } from './news-followers.ts';
import {
  cursorNow,
  type LedgerFigures,
  type MirrorFigures,
  measureMirrors,
  measurePages,
} from './news-ledger.ts';
import { printFigures } from './report.ts';

const SUBJECT = 'news-feed';

/** The largest acceptable resident memory while many clients copy everything, in MiB. */
const MEMORY_AIM = 180;

function startNewsFeed(databaseUrl: string, cacheBytes?: string): Promise<ServerProcess> {
  const settings = { NEWS_RATE_LIMIT: '1000000000', LOG_LEVEL: 'info' };
  return startServer({
    program: 'services/news-feed/src/main.ts',
    env: { DATABASE_URL: databaseUrl, ...settings, ...(cacheBytes && { CACHE_BYTES: cacheBytes }) },
    port: 'NEWS_FEED_PORT',
    ready: '/readyz',
  });
}

async function fill(databaseUrl: string, items: number): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl });
  try {
    await fillWithNews(pool, { items, selected: items / 10, recent: Math.ceil(items * 0.03) });
  } finally {
    await pool.end();
  }
}

/** Measures the news feed with `items` items, a tenth of them selected, on its own PostgreSQL. */
async function benchNewsFeed(items: number): Promise<Figure[]> {
  const dataDir = await temporaryHome();
  const server = await startPostgres({ dataDir, port: 0, settings: { max_wal_size: '4GB' } });
  try {
    await migrate(server.url, fileURLToPath(new URL('../migrations', import.meta.url)));
    const uncached = await startNewsFeed(server.url, '0');
    const start = await cursorNow(uncached);
    await fill(server.url, items);
    const pages = await measurePages(uncached, start);
    await uncached.stop();
    const cached = await startNewsFeed(server.url);
    const mirrors = await measureMirrors(cached);
    const followers = await measureFollowers(server.url, cached.port);
    await cached.stop();
    return [
      ...pageFigures(pages, items),
      ...mirrorFigures(mirrors, items),
      ...followerFigures(followers, items),
    ];
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function pageFigures({ changes, snapshot, bar }: LedgerFigures, rows: number): Figure[] {
  return [...changes, ...snapshot].flatMap(({ page: what, rounds, multiple }) => [
    figureOf({ what, subject: SUBJECT, metric: 'p50', unit: 'ms', at: { rows } }, rounds),
    figureOf({ what, subject: SUBJECT, metric: 'times the cheapest', unit: '', at: { rows }, aim: bar }, [
      multiple,
    ]),
  ]);
}

function mirrorFigures(
  { items, seconds, clients, secondsTogether, peakMemory }: MirrorFigures,
  rows: number,
): Figure[] {
  const of = (what: string, metric: string, unit: string, value: number, aim?: number) =>
    figureOf({ what, subject: SUBJECT, metric, unit, at: { rows }, ...(aim !== undefined && { aim }) }, [
      value,
    ]);
  const count = items.toLocaleString('en');
  return [
    of(`a full mirror of ${count} items, one client`, 'until done', 's', seconds),
    of(`a full mirror of ${count} items, ${clients} clients at once`, 'until done', 's', secondsTogether),
    of(`${clients} mirrors at once`, 'memory', 'MiB', peakMemory, MEMORY_AIM),
  ];
}

function followerFigures(
  { writers, followers, pollMs, ...measured }: FollowerFigures,
  rows: number,
): Figure[] {
  const what = `${followers} followers that poll every ${pollMs} ms, ${writers} writers`;
  const of = (metric: string, unit: string, value: number, aim?: number) =>
    figureOf({ what, subject: SUBJECT, metric, unit, at: { rows }, ...(aim !== undefined && { aim }) }, [
      value,
    ]);
  return [
    of('writes', '/s', measured.writesPerSecond),
    of('polls', '/s', measured.pollsPerSecond),
    of('commit to follower, p50', 'ms', measured.lagP50),
    of('commit to follower, p99', 'ms', measured.lagP99),
    of('lost', '', measured.lost, 0),
  ];
}

const figures = await benchNewsFeed(Number(process.argv[2] ?? 1_000_000));
printFigures(figures);
keepFigures('selected', figures);
