import { LATIN } from '../data/vocabulary.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { type LoadResult, load } from '../load.ts';
import { startService } from '../services.ts';
import { pollsOf, type Site, timesOf } from './site.ts';

const SUBJECT = 'content';

/**
 * Requests per second of readers, a tenth of what the service gives, and of searches, more than PostgreSQL
 * can answer beside the rest.
 */
const [RATE, SEARCH_RATE] = [1000, 500];

/**
 * Time that readers ask while others make the service work, in s, and the largest acceptable 99th percentile
 * of their cached reads, in ms.
 */
const [WORK_S, WORK_AIM] = [5, 20];

const SENTENCE =
  'A paragraph of ordinary length with <em>some</em> markup and a <a href="https://example.org/">link</a>. ';

/** The text of a large article, as JSON: this process, which sends the load, is not to make it meanwhile. */
const LARGE = JSON.stringify(`<p>${SENTENCE.repeat(8)}</p>\n`.repeat(2_000_000 / (8 * SENTENCE.length + 8)));

const figure = figuresOf(SUBJECT);

/** The times of readers while nobody makes the service work, and while `work` does. */
async function besideWork(
  { url, articlePaths }: Site,
  [idle, what]: readonly [idle: string, what: string],
  work: (port: number, read: () => Promise<LoadResult>) => Promise<[LoadResult, ...Figure[]]>,
): Promise<Figure[]> {
  await using service = await startService(SUBJECT, { DATABASE_URL: url });
  const { port } = service;
  const requests = await pollsOf(service, articlePaths);
  const read = () => load({ port, requests, rate: RATE, durationMs: WORK_S * 1000 });
  await read();
  const alone = await read();
  const [during, ...figures] = await work(port, read);
  return [
    ...timesOf([SUBJECT, idle, RATE], alone),
    ...timesOf([SUBJECT, what, RATE], during, WORK_AIM),
    ...figures,
  ];
}

/** Articles of 2 MB are written one after the other while others read. */
export function largeWrites(site: Site): Promise<Figure[]> {
  const what = 'articles of 2 MB are written';
  return besideWork(site, ['nobody writes', what], async (port, read) => {
    let written = 0;
    const body = () => {
      written += 1;
      return `{"title":"Large article ${written}","category_id":1,"content":${LARGE}}`;
    };
    const requests = [{ path: '/api/articles', headers: { 'x-api-key': site.key } }];
    const write = { method: 'POST', body };
    const writer = load({ port, requests, connections: 1, durationMs: WORK_S * 1000, status: 201, write });
    const [during, { requests: count }] = await Promise.all([read(), writer]);
    return [during, figure(what, 'written', '', count)];
  });
}

/** Strangers search for words of all articles, each time for others, while others read. */
export function searches(site: Site): Promise<Figure[]> {
  const what = `strangers search ${SEARCH_RATE} times a second`;
  const requests = Array.from({ length: 1000 }, (_, n) => {
    return { path: `/api/articles?q=somebody+${LATIN.common(n % 300)}&page=${1 + n}` };
  });
  return besideWork(site, ['nobody searches', what], async (port, read) => {
    const search = load({ port, requests, rate: SEARCH_RATE, durationMs: WORK_S * 1000 });
    const [during, found] = await Promise.all([read(), search]);
    return [
      during,
      figure(what, 'answered', '/s', (found.requests - found.failed) / WORK_S),
      figure(what, 'refused, 503', '/s', (found.statuses[503] ?? 0) / WORK_S),
    ];
  });
}
