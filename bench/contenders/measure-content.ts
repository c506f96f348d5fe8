import { deepStrictEqual } from 'node:assert';
import { ask } from '../ask.ts';
import { createDatabase, createEmptyDatabase, startBenchPostgres } from '../database.ts';
import { type Load, load } from '../load.ts';
import {
  CONTENT_OPERATIONS,
  type ContentContender,
  type ContentOperation,
  SEARCHED_WORDS,
  type Write,
} from './content.ts';
import type { Question } from './contest.ts';
import { startDirectus } from './directus.ts';
import { startPressroom } from './pressroom-content.ts';
import { startStrapi } from './strapi.ts';
import { askWith } from './turns.ts';

const CONNECTIONS = [1, 8, 32];

const PER_PAGE = 20;

const WARM_UP_MS = 2000;

/** The content servers with the same articles. */
export interface ContentServers {
  contenders: ContentContender[];
  /** How many pages the list has. */
  pages: number;
  stop: () => Promise<void>;
}

/** What content servers are asked. */
export const CONTENT_QUESTIONS: readonly Question<ContentServers>[] = CONTENT_OPERATIONS.map((what) => ({
  what,
  connections: CONNECTIONS,
  choose: ({ contenders, pages }) =>
    contenders
      // A cache has nothing to do with writes.
      .filter(({ name }) => !(isWrite(what) && name.endsWith('no cache')))
      .filter(({ requests }) => what !== 'search' || requests.search !== undefined)
      .map(({ name, process, requests }) => ({
        subject: name,
        process,
        ask: askWith(process, loadOf(requests, what, pages)),
      })),
}));

/** Starts the servers, each with so many articles. */
export async function startContentServers(articles: number): Promise<ContentServers> {
  const server = await startBenchPostgres({ shared_buffers: '512MB' });
  const contenders: ContentContender[] = [];
  const stop = async () => {
    await Promise.all(contenders.map(({ process }) => process.stop()));
    await server.stop();
  };
  try {
    // One after the other: PostgreSQL copies its template for one database at a time.
    const own = await createDatabase(server.url, 'peers_pressroom');
    const directus = await createEmptyDatabase(server.url, 'peers_directus');
    const strapi = await createEmptyDatabase(server.url, 'peers_strapi');
    const started = await Promise.allSettled([
      startPressroom(own, articles),
      startDirectus(directus, articles),
      startStrapi(strapi, articles),
    ]);
    for (const result of started) if (result.status === 'fulfilled') contenders.push(...result.value);
    for (const result of started) if (result.status === 'rejected') throw result.reason;
    const pages = await comparePages(contenders);
    await compareSearches(contenders);
    for (const contender of contenders) await warmUp(contender);
    return { contenders, pages, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Lets a server compile what answers the most common requests. */
async function warmUp({ process: { port }, requests }: ContentContender): Promise<void> {
  const paths = [requests.page(1), requests.page(2), requests.detail];
  await load({ port, paths, connections: 8, durationMs: WARM_UP_MS, status: 200 });
}

/** Checks that every server has the same pages, and returns their number. */
async function comparePages([first, ...others]: readonly ContentContender[]): Promise<number> {
  if (first === undefined) throw new Error('there is no server');
  const pages = Math.ceil((await readPage(first, 1)).total / PER_PAGE);
  for (const number of [1, Math.min(50, pages), pages]) {
    const expected = await readPage(first, number);
    for (const other of others) {
      const message: string = `page ${number} of ${other.name} differs from that of ${first.name}`;
      deepStrictEqual(await readPage(other, number), expected, message);
    }
  }
  return pages;
}

/** Checks that every server that searches finds the same articles. */
async function compareSearches(contenders: readonly ContentContender[]): Promise<void> {
  for (const word of SEARCHED_WORDS) {
    const found = await Promise.all(
      contenders.flatMap(async ({ requests, readPage: read, process }) => {
        if (requests.search === undefined) return [];
        return [read(await ask(`http://127.0.0.1:${process.port}${requests.search(word)}`)).articles];
      }),
    );
    const [first, ...others] = found.flat();
    for (const other of others) deepStrictEqual(other, first, `searches for ${word} differ`);
  }
}

async function readPage({ process, requests, readPage: read }: ContentContender, number: number) {
  return read(await ask(`http://127.0.0.1:${process.port}${requests.page(number)}`));
}

function isWrite(what: ContentOperation): what is 'create' | 'update' {
  return what === 'create' || what === 'update';
}

function loadOf(
  requests: ContentContender['requests'],
  what: ContentOperation,
  pages: number,
): Omit<Load, 'port' | 'connections' | 'durationMs'> {
  if (isWrite(what)) return writing(requests[what]);
  const paths = {
    list: requests.page(1),
    'page 50': requests.page(Math.min(50, pages)),
    'last page': requests.page(pages),
    detail: requests.detail,
  };
  if (what === 'search')
    return { paths: SEARCHED_WORDS.flatMap((word) => requests.search?.(word) ?? []), status: 200 };
  return { paths: [paths[what]], status: 200 };
}

let written = 0;

function writing({
  method,
  paths,
  headers,
  body,
  status,
}: Write): Omit<Load, 'port' | 'connections' | 'durationMs'> {
  const next = () => {
    written += 1;
    return body(written);
  };
  return { paths, headers, status, write: { method, body: next } };
}
