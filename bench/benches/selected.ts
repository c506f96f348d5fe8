import { timesOfPages } from '../bare.ts';
import type { Bench } from '../bench.ts';
import { addItems } from '../data/items.ts';
import { openDatabase } from '../database.ts';
import { type Figure, figuresOf, MEMORY_AIM } from '../figures/figure.ts';
import { measuredSection } from '../report/measured.ts';
import { measureFollowers } from '../selected/followers.ts';
import { cursorNow, follow, type Page, readSelected } from '../selected/mirror.ts';
import { peakMemory, type ServerProcess } from '../server.ts';
import { NO_CACHE, startService } from '../services.ts';
import { timed } from '../turns.ts';

/** The maximum cost of a page, as a multiple of the cheapest of its kind. */
const DEPTH = { metric: 'times the cheapest', aim: 1.5, base: (times: number[]) => Math.min(...times) };

/** How many clients read the whole set at once. */
const MIRRORS = 20;

/** Measures pages of the ledger after `cursor`, and of the snapshot, on a service without a cache. */
async function measurePages(service: ServerProcess, cursor: string, rows: number): Promise<Figure[]> {
  const timesOf = async (kind: string, first: string, next: (page: Page) => string) => {
    const paths = [first];
    for (let page = await readSelected(service.port, first); page.hasMore; ) {
      paths.push(next(page));
      page = await readSelected(service.port, next(page));
    }
    const places = { first: 0, middle: Math.floor(paths.length / 2), last: paths.length - 1 };
    const pages = Object.entries(places).map(([place, index]) => [
      `${kind}, ${place}`,
      `/api/v1/selected/${paths[index]}`,
    ]);
    return timesOfPages(['news-feed', service], Object.fromEntries(pages), { ...DEPTH, rows });
  };
  const [changes, snapshot] = ['changes?limit=100&cursor=', 'snapshot?limit=1000'];
  return [
    ...(await timesOf('changes', `${changes}${cursor}`, (page) => `${changes}${page.cursor}`)),
    ...(await timesOf('snapshot', snapshot, (page) => `${snapshot}&page=${page.nextPage}`)),
  ];
}

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
  const DATABASE_URL = database.url;
  const figures: Figure[] = [];
  {
    await using uncached = await startService('news-feed', { DATABASE_URL, ...NO_CACHE });
    const start = await cursorNow(uncached);
    await addItems(database.pool, 0, items);
    figures.push(...(await measurePages(uncached, start, items)));
  }
  await using cached = await startService('news-feed', { DATABASE_URL });
  figures.push(...(await measureMirrors(cached, items)));
  return [...figures, ...(await measureFollowers(database, cached.port, items))];
}

/**
 * `pnpm bench selected [ITEMS]`: the selected set, a tenth of the items: pages at every depth, mirrors,
 * followers of writers.
 */
export const selected: Bench = {
  parts: ([items = 1_000_000]) => [{ name: 'selected set', seconds: 120, run: () => measure(items) }],
  sections: { selected: measuredSection('selected') },
};
