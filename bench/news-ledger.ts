import type { ServerProcess } from './child.ts';
import { median } from './compare.ts';
import { load } from './load.ts';
import { MirrorClient } from './news-mirror.ts';

/** The maximum cost of a page, as a multiple of the cheapest of its kind. */
const DEPTH_BAR = 1.5;

/** How many clients read the whole set at once. */
const MIRRORS = 20;

const SNAPSHOT = '/api/v1/selected/snapshot?limit=1000';
const CHANGES = '/api/v1/selected/changes?limit=100';

/** The time of a page, by its position. */
interface PageTime {
  page: string;
  /** Times to an answer by round, in ms, one request at a time. */
  rounds: number[];
  /** Their median as a multiple of the cheapest page's of its kind. */
  multiple: number;
}

/** The results for the ledger and the snapshot. */
export interface LedgerFigures {
  changes: PageTime[];
  snapshot: PageTime[];
  bar: number;
}

/** The cost of a full copy. */
export interface MirrorFigures {
  items: number;
  /** One client alone, in seconds. */
  seconds: number;
  clients: number;
  /** All clients at once, until the last one is done, in seconds. */
  secondsTogether: number;
  /** Peak resident memory of the server during the copies, in MiB. */
  peakMemory: number;
}

/** The members of a page that point to the next one. */
interface Page {
  cursor: string;
  hasMore: boolean;
  nextPage?: string;
}

async function read(port: number, path: string): Promise<Page> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Page;
}

/** The cursor at the tip, with which a request returns no changes. */
export async function cursorNow({ port }: ServerProcess): Promise<string> {
  let { cursor, hasMore } = { ...(await read(port, SNAPSHOT)), hasMore: true };
  while (hasMore) ({ cursor, hasMore } = await read(port, `${CHANGES}&cursor=${cursor}`));
  return cursor;
}

/** Measures pages of the ledger after `cursor`, and of the snapshot, on a service without a cache. */
export async function measurePages({ port }: ServerProcess, cursor: string): Promise<LedgerFigures> {
  const changes = [`${CHANGES}&cursor=${cursor}`];
  for (
    let page = await read(port, changes[0] ?? '');
    page.hasMore;
    page = await read(port, changes.at(-1) ?? '')
  ) {
    changes.push(`${CHANGES}&cursor=${page.cursor}`);
  }
  const snapshot = [SNAPSHOT];
  for (let page = await read(port, SNAPSHOT); page.hasMore; page = await read(port, snapshot.at(-1) ?? '')) {
    snapshot.push(`${SNAPSHOT}&page=${page.nextPage}`);
  }
  return {
    changes: await timesOf(port, 'changes', changes),
    snapshot: await timesOf(port, 'snapshot', snapshot),
    bar: DEPTH_BAR,
  };
}

async function timesOf(port: number, kind: string, paths: string[]): Promise<PageTime[]> {
  const pages = (['first', 'middle', 'last'] as const).map((place) => {
    const index = { first: 0, middle: Math.floor(paths.length / 2), last: paths.length - 1 }[place];
    return { page: `${kind}, ${place}`, path: paths[index] ?? '', times: [] as number[] };
  });
  for (let round = 0; round < 5; round += 1) {
    for (const { path, times } of pages) {
      times.push((await load({ port, paths: [path], connections: 1, durationMs: 700, status: 200 })).p50);
    }
  }
  const cheapest = Math.min(...pages.map(({ times }) => median(times)));
  return pages.map(({ page, times }) => ({ page, rounds: times, multiple: median(times) / cheapest }));
}

/** Measures full copies: one client, then many at once. */
export async function measureMirrors(server: ServerProcess): Promise<MirrorFigures> {
  const copy = async () => {
    const client = new MirrorClient(server.port);
    await client.readSnapshot();
    while ((await client.readChanges()).hasMore);
    client.close();
    return client.copy.size;
  };
  const begin = performance.now();
  const items = await copy();
  const alone = performance.now();
  let peakMemory = 0;
  const watch = setInterval(() => {
    peakMemory = Math.max(peakMemory, server.residentMemory());
  }, 100);
  await Promise.all(Array.from({ length: MIRRORS }, copy));
  clearInterval(watch);
  return {
    items,
    seconds: (alone - begin) / 1000,
    clients: MIRRORS,
    secondsTogether: (performance.now() - alone) / 1000,
    peakMemory,
  };
}
