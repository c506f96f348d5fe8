import type { Bench } from '../bench.ts';
import { addItems, rank } from '../data/items.ts';
import { openDatabase } from '../database.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { load } from '../load.ts';
import { measuredTables } from '../report/measured.ts';
import { sectionOf } from '../report/section.ts';
import { cursorNow } from '../selected/mirror.ts';
import { NO_CACHE, startService } from '../services.ts';
import { timed } from '../turns.ts';

/** Uncached requests that are timed, one after the other. */
const UNCACHED = 200;

const figure = figuresOf('news-feed');

/** The sizes of a path's answers, in bytes on the wire. */
async function costOf(origin: string, path: string): Promise<Figure[]> {
  const whole = await fetch(origin + path);
  const body = (await whole.arrayBuffer()).byteLength;
  const headers = { 'if-none-match': whole.headers.get('etag') ?? '' };
  const unchanged = await fetch(origin + path, { headers });
  if (whole.status !== 200 || unchanged.status !== 304)
    throw new Error(`${path}: ${whole.status}, ${unchanged.status}`);
  const what = path.replace(/\?.*/, '');
  const sizes = { body, head: headOf(whole), 'a 304': headOf(unchanged) };
  return Object.entries(sizes).map(([metric, size]) => figure(what, metric, 'bytes', size));
}

/** The bytes of the status line and the headers. */
function headOf({ status, statusText, headers }: Response): number {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${statusText}\r\n${lines.join('')}\r\n`.length;
}

async function measure(items: number): Promise<Figure[]> {
  await using database = await openDatabase();
  await addItems(database.pool, 0, items, 0.1);
  await rank(database.pool);
  const DATABASE_URL = database.url;
  await using cached = await startService('news-feed', { DATABASE_URL });
  const tip = `/api/v1/selected/changes?cursor=${await cursorNow(cached)}`;
  const paths = ['/api/v1/items', '/api/v1/hot-topics', tip];
  const figures: Figure[] = [];
  for (const path of paths) figures.push(...(await costOf(`http://127.0.0.1:${cached.port}`, path)));
  const requests = paths.map((path) => ({ path }));
  const hot = await load({ port: cached.port, requests, connections: 32, durationMs: 5000, status: 200 });
  await using uncached = await startService('news-feed', { DATABASE_URL, ...NO_CACHE });
  const ms = await timed(async () => {
    for (let index = 0; index < UNCACHED; index += 1)
      await (await fetch(`http://127.0.0.1:${uncached.port}${paths[index % paths.length]}`)).arrayBuffer();
  });
  return [
    ...figures,
    figure('cached answers of one process', 'rate', '/s', hot.requestsPerSecond),
    figure('an answer that is not cached', 'time', 'ms', ms / UNCACHED),
  ];
}

/** `pnpm bench scaling [ITEMS]`: what an answer of the news feed costs. */
export const scaling: Bench = {
  parts: ([items = 20_000]) => [{ name: 'answers', seconds: 30, run: () => measure(items) }],
  sections: { scaling: sectionOf('scaling', (figures) => [measuredTables(figures)]) },
};
