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
import { fillWithNews } from './news-data.ts';
import { measureFollowers } from './news-followers.ts';
import { cursorNow, measureMirrors, measurePages } from './news-ledger.ts';
import { writeFigures } from './report.ts';

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
async function benchNewsFeed(items: number) {
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
    return { items, pages, mirrors, followers };
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const selected = await benchNewsFeed(Number(process.argv[2] ?? 1_000_000));
const { pages, mirrors, followers } = selected;
console.table([...pages.changes, ...pages.snapshot]);
console.table([mirrors]);
console.table([followers]);
writeFigures('selected', { selected });
