import { deepStrictEqual } from 'node:assert';
import { ask } from '../ask.ts';
import type { Bench } from '../bench.ts';
import { askedFor } from '../compare.ts';
import { type ContentContender, SEARCHED_WORDS, type Write } from '../contenders/content.ts';
import { type Contest, contestParts } from '../contenders/contest.ts';
import { PROGRAMS, startPrograms } from '../contenders/programs.ts';
import type { Figure } from '../figures/figure.ts';
import { select, valuesOf } from '../figures/read.ts';
import { load } from '../load.ts';
import { peerTables, ratesPicture } from '../report/peers.ts';
import { type Picture, printed, sectionOf } from '../report/section.ts';

/** Articles, unless the command line gives a number. */
const ARTICLES = 10_000;

/** Requests that are made at once. */
const CONNECTIONS = [1, 32];

const PER_PAGE = 20;

const DETAIL = 501;

type Requests = ContentContender['requests'];

const read = (...paths: string[]) => ({ requests: paths.map((path) => ({ path })), status: 200 });

const write = ({ method, paths, headers, body, status }: Write) => {
  let written = 0;
  const next = () => {
    written += 1;
    return body(written);
  };
  const requests = paths.map((path) => ({ path, headers }));
  return { requests, status, write: { method, body: next } };
};

/** Operations on each server; writes come last and do not change what is read. */
const OPERATIONS = {
  list: ({ page }: Requests) => read(page(1)),
  detail: ({ detail }: Requests) => read(detail(DETAIL)),
  'page 50': ({ page }: Requests, pages: number) => read(page(Math.min(50, pages))),
  'last page': ({ page }: Requests, pages: number) => read(page(pages)),
  search: ({ search }: Requests) => search && read(...SEARCHED_WORDS.map(search)),
  create: ({ create }: Requests) => write(create),
  update: ({ update }: Requests) => update && write(update),
};

/** Starts all servers, checks that they have the same articles, and lets them compile what is asked most. */
async function startContest(articles: number, resources: AsyncDisposableStack): Promise<Contest<string>> {
  const { contenders } = resources.use(await startPrograms(articles, PROGRAMS));
  const pages = await comparePages(contenders);
  for (const { process, requests } of contenders) {
    const paths = [requests.page(1), requests.page(2), requests.detail(DETAIL)].map((path) => ({ path }));
    await load({ port: process.port, requests: paths, connections: 8, durationMs: 2000, status: 200 });
  }
  const contest = Object.entries(OPERATIONS).map(([what, loadOf]) => {
    const asked = contenders.flatMap((contender) => {
      const load = loadOf(contender.requests, pages);
      // A cache has nothing to do with writes.
      const isLeftOut = load === undefined || ('write' in load && contender.name.endsWith('no cache'));
      return isLeftOut ? [] : [askedFor(contender, load)];
    });
    return [what, asked] as const;
  });
  return Object.fromEntries(contest);
}

/** Checks that all servers have the same pages and find the same articles, and returns how many pages. */
async function comparePages(contenders: readonly ContentContender[]): Promise<number> {
  const read = async ({ process, readPage }: ContentContender, path: string) =>
    readPage(await ask(`http://127.0.0.1:${process.port}${path}`));
  const [first] = contenders;
  if (first === undefined) throw new Error('there is no server');
  const pages = Math.ceil((await read(first, first.requests.page(1))).total / PER_PAGE);
  for (const number of [1, Math.min(50, pages), pages]) {
    const expected = await read(first, first.requests.page(number));
    for (const other of contenders) {
      const message: string = `page ${number} of ${other.name} differs from that of ${first.name}`;
      deepStrictEqual(await read(other, other.requests.page(number)), expected, message);
    }
  }
  for (const word of SEARCHED_WORDS) {
    const expected = await read(first, first.requests.search?.(word) ?? '');
    for (const other of contenders.filter(({ requests }) => requests.search !== undefined)) {
      const { articles } = await read(other, other.requests.search?.(word) ?? '');
      deepStrictEqual(articles, expected.articles, `searches of ${other.name} for ${word} differ`);
    }
  }
  return pages;
}

/** The operations that a site needs most, for the front page. */
function picture(figures: readonly Figure[]): Picture {
  const shown = figures.filter(({ what }) => !what.includes('page'));
  const names = new Intl.ListFormat('en-GB').format(PROGRAMS);
  const alt = `Answers a second of ${names} with ${printed(ARTICLES)} articles`;
  return ratesPicture(shown, `peers-${ARTICLES}`, alt);
}

/** The tables of each number of articles. */
function tables(figures: readonly Figure[]): string[] {
  return valuesOf(figures, 'rows').map((rows) => {
    const own = select(figures, { at: { rows } });
    return `**${printed(Number(rows))} articles.** ${peerTables(own)}`;
  });
}

/**
 * `pnpm bench peers [ARTICLES]`: Pressroom next to what people would install instead, each as its
 * documentation sets it up for production, on the same PostgreSQL or MariaDB with the same data, in turns
 * (`bench/results/peers.md`).
 */
export const peers: Bench<Contest<string>> = {
  start: ([articles = ARTICLES], resources) => startContest(articles, resources),
  parts: ([articles = ARTICLES]) => {
    const questions = Object.keys(OPERATIONS).map((what) => [what, CONNECTIONS] as const);
    return contestParts<string>(Object.fromEntries(questions), { rows: articles });
  },
  sections: {
    peers: sectionOf('peers', (figures) => [picture(figures)]),
    'peers, all loads': sectionOf(['peers', 'peers 100000'], tables),
  },
};
