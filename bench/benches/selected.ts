import type { Bench } from '../bench.ts';
import { numberChanges } from '../data/copied-rows.ts';
import { addItems } from '../data/items.ts';
import { openDatabase } from '../database.ts';
import { type Figure, figuresOf, MEMORY_AIM } from '../figures/figure.ts';
import { measuredTables } from '../report/measured.ts';
import { sectionOf } from '../report/section.ts';
import { measureFollowers } from '../selected/followers.ts';
import { follow } from '../selected/mirror.ts';
import { peakMemory, type ServerProcess } from '../server.ts';
import { startService } from '../services.ts';
import { timed } from '../turns.ts';

/** Clients that read the whole set at once. */
const MIRRORS = 20;

async function measureMirrors(service: ServerProcess, rows: number): Promise<Figure[]> {
  let items = 0;
  const copy = async () => {
    const titles = new Map<string, string>();
    await follow(service.port, { titles });
    items = titles.size;
  };
  const ms = await timed(copy);
  const together = await peakMemory(service, () => Promise.all(Array.from({ length: MIRRORS }, copy)));
  const figure = figuresOf('news-feed', { rows });
  const what = `a full mirror of ${items.toLocaleString('en')} items`;
  return [
    figure(`${what}, one client`, 'until done', 's', ms / 1000),
    figure(`${what}, ${MIRRORS} clients at once`, 'until done', 's', together.ms / 1000),
    figure(`${MIRRORS} mirrors at once`, 'memory', 'MiB', together.peak, MEMORY_AIM),
  ];
}

async function measure(items: number): Promise<Figure[]> {
  await using database = await openDatabase();
  await addItems(database.pool, 0, items);
  await numberChanges(database.pool, 'news');
  await using service = await startService('news-feed', { DATABASE_URL: database.url });
  return [
    ...(await measureMirrors(service, items)),
    ...(await measureFollowers(database, service.port, items)),
  ];
}

/**
 * `pnpm bench selected [ITEMS]`: mirrors of the selected set, a tenth of the items, and followers of writers.
 */
export const selected: Bench = {
  parts: ([items = 1_000_000]) => [{ name: 'selected set', seconds: 120, run: () => measure(items) }],
  sections: { selected: sectionOf('selected', (figures) => [measuredTables(figures)]) },
};
