/**
 * `pnpm bench selected [ITEMS]`: measures the selected set, a tenth of the items: pages at every depth,
 * mirrors, followers of writers.
 */
import { onDatabase } from './database.ts';
import { keepFigures } from './figures/keep.ts';
import { fillWithNews } from './news-data.ts';
import { measureFollowers } from './news-followers.ts';
import { cursorNow, measureMirrors, measurePages } from './news-ledger.ts';
import { startNewsFeed } from './news-service.ts';

const items = Number(process.argv[2] ?? 1_000_000);
const figures = await onDatabase(async (database) => {
  const uncached = await startNewsFeed(database.url, '0');
  const start = await cursorNow(uncached);
  await fillWithNews(database.pool, { items, selected: items / 10, recent: Math.ceil(items * 0.03) });
  const pages = await measurePages(uncached, start, items);
  await uncached.stop();
  const cached = await startNewsFeed(database.url);
  const mirrors = await measureMirrors(cached, items);
  const followers = await measureFollowers(database, cached.port, items);
  await cached.stop();
  return [...pages, ...mirrors, ...followers];
});
keepFigures('selected', figures);
