import { ask } from './ask.ts';
import { peakMemory, type ServerProcess } from './child.ts';
import { type Figure, figuresOf } from './figures/figure.ts';
import { load } from './load.ts';
import { MirrorClient } from './news-mirror.ts';
import { median } from './quantile.ts';
import { inTurns, timed } from './turns.ts';

/** The maximum cost of a page, as a multiple of the cheapest of its kind. */
const DEPTH_AIM = 1.5;

/** The largest acceptable resident memory while many clients copy everything, in MiB. */
const MEMORY_AIM = 180;

/** How many clients read the whole set at once. */
const MIRRORS = 20;

const SNAPSHOT = '/api/v1/selected/snapshot?limit=1000';
const CHANGES = '/api/v1/selected/changes?limit=100';

/** The members of a page that point to the next one. */
interface Page {
  cursor: string;
  hasMore: boolean;
  nextPage?: string;
}

function read(port: number, path: string): Promise<Page> {
  return ask(`http://127.0.0.1:${port}${path}`);
}

/** The cursor at the tip, with which a request returns no changes. */
export async function cursorNow({ port }: ServerProcess): Promise<string> {
  let { cursor, hasMore } = { ...(await read(port, SNAPSHOT)), hasMore: true };
  while (hasMore) ({ cursor, hasMore } = await read(port, `${CHANGES}&cursor=${cursor}`));
  return cursor;
}

/** Measures pages of the ledger after `cursor`, and of the snapshot, on a service without a cache. */
export async function measurePages({ port }: ServerProcess, cursor: string, rows: number): Promise<Figure[]> {
  const follow = async (first: string, next: (page: Page) => string) => {
    const paths = [first];
    for (let page = await read(port, first); page.hasMore; page = await read(port, paths.at(-1) ?? '')) {
      paths.push(next(page));
    }
    return paths;
  };
  const changes = await follow(`${CHANGES}&cursor=${cursor}`, (page) => `${CHANGES}&cursor=${page.cursor}`);
  const snapshot = await follow(SNAPSHOT, (page) => `${SNAPSHOT}&page=${page.nextPage}`);
  return [
    ...(await timesOf(port, 'changes', changes, rows)),
    ...(await timesOf(port, 'snapshot', snapshot, rows)),
  ];
}

async function timesOf(port: number, kind: string, paths: string[], rows: number): Promise<Figure[]> {
  const places = { first: 0, middle: Math.floor(paths.length / 2), last: paths.length - 1 };
  const times = await inTurns(Object.values(places), 5, async (index) => {
    const request = { port, paths: [paths[index] ?? ''], connections: 1, durationMs: 700, status: 200 };
    return (await load(request)).p50;
  });
  const cheapest = Math.min(...times.map(median));
  const figure = figuresOf('news-feed', { rows });
  return Object.keys(places).flatMap((place, index) => {
    const rounds = times[index] ?? [];
    return [
      figure(`${kind}, ${place}`, 'p50', 'ms', rounds),
      figure(`${kind}, ${place}`, 'times the cheapest', '', median(rounds) / cheapest, DEPTH_AIM),
    ];
  });
}

/** Measures full copies: one client, then many at once. */
export async function measureMirrors(server: ServerProcess, rows: number): Promise<Figure[]> {
  let items = 0;
  const copy = async () => {
    const client = new MirrorClient(server.port);
    await client.readSnapshot();
    while ((await client.readChanges()).hasMore);
    client.close();
    items = client.copy.size;
  };
  const ms = await timed(copy);
  const { ms: msTogether, peak } = await peakMemory(server, () =>
    Promise.all(Array.from({ length: MIRRORS }, copy)),
  );
  const figure = figuresOf('news-feed', { rows });
  const what = `a full mirror of ${items.toLocaleString('en')} items`;
  return [
    figure(`${what}, one client`, 'until done', 's', ms / 1000),
    figure(`${what}, ${MIRRORS} clients at once`, 'until done', 's', msTogether / 1000),
    figure(`${MIRRORS} mirrors at once`, 'memory', 'MiB', peak, MEMORY_AIM),
  ];
}
