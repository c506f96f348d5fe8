import { setTimeout as delay } from 'node:timers/promises';
import { TcpProxy } from '../../test/support/tcp-proxy.ts';
import { LATIN } from '../data/vocabulary.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { type LoadResult, load } from '../load.ts';
import { startService } from '../services.ts';
import { cpuOfEach, cpuTime } from '../usage.ts';
import { pollsOf, type Site, timesOf } from './site.ts';

const SUBJECT = 'content';

/**
 * Requests per second while something goes wrong, a tenth of what the service gives; those that meet a
 * process without an answer in its cache; and searches, more than PostgreSQL can answer beside the rest.
 */
const [RATE, COLD_RATE, SEARCH_RATE] = [1000, 8000, 500];

const AWAY_MS = 10_000;

/**
 * How long readers ask while others make the service work, in s, and the largest acceptable 99th percentile
 * of their cached reads, in ms.
 */
const [WORK_S, WORK_AIM] = [5, 20];

const SENTENCE =
  'A paragraph of ordinary length with <em>some</em> markup and a <a href="https://example.org/">link</a>. ';

/** The text of a large article, as JSON: this process, which sends the load, is not to make it meanwhile. */
const LARGE = JSON.stringify(`<p>${SENTENCE.repeat(8)}</p>\n`.repeat(2_000_000 / (8 * SENTENCE.length + 8)));

const figure = figuresOf(SUBJECT);

/** The first seconds of a process, with an empty cache, under full load. */
export async function coldStart({ url, articlePaths }: Site): Promise<Figure[]> {
  const requests = articlePaths.map((path) => ({ path }));
  await using service = await startService(SUBJECT, { DATABASE_URL: url });
  const result = await load({ port: service.port, requests, rate: COLD_RATE, durationMs: 3000 });
  const what = 'cold start, the first 3 s';
  return [
    figure(what, 'ready after', 'ms', service.readyMs),
    ...timesOf([SUBJECT, what, COLD_RATE], result),
    figure(what, 'failed', '', result.failed),
  ];
}

/** The database is away and comes back: what readers get, and what it is asked when it is back. */
export async function databaseAway({ url, articlePaths }: Site): Promise<Figure[]> {
  const { hostname, port } = new URL(url);
  const proxy = await TcpProxy.start({ host: hostname, port: Number(port) });
  const proxied = new URL(url);
  proxied.port = String(proxy.port);
  const service = await startService(SUBJECT, { DATABASE_URL: proxied.href });
  const requests = articlePaths.map((path) => ({ path }));
  const counts = countStatements(proxy);
  const run = load({ port: service.port, requests, rate: RATE, durationMs: AWAY_MS + 12_000 });
  await delay(5000);
  const before = counts.highest();
  await proxy.refuse();
  await delay(AWAY_MS);
  counts.forget();
  await proxy.accept();
  const result = await run;
  const after = counts.highest();
  await service.stop();
  await proxy.close();
  const what = 'the database is away for 10 s';
  const atRate = figuresOf(SUBJECT, { rate: RATE });
  return [
    atRate(what, 'most statements while the cache fills', '/s', before),
    atRate(what, 'most statements after its return', '/s', after),
    figure(what, 'failed', '', result.failed),
    atRate(what, 'answers', '', result.requests - result.failed),
  ];
}

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

/** What a request costs one process, and two that share the requests. */
export async function replicas({ url, articlePaths }: Site): Promise<Figure[]> {
  await using one = await startService(SUBJECT, { DATABASE_URL: url });
  await using other = await startService(SUBJECT, { DATABASE_URL: url });
  const requests = await pollsOf(one, articlePaths);
  for (const { port } of [one, other]) await load({ port, requests, rate: RATE, durationMs: 3000 });
  const figures: Figure[] = [];
  for (const [what, used] of Object.entries({ 'one process': [one], 'two replicas': [one, other] })) {
    const pids = used.map(({ pid }) => pid);
    const before = cpuTime(pids);
    const rate = (4 * RATE) / used.length;
    await Promise.all(used.map(({ port }) => load({ port, requests, rate, durationMs: WORK_S * 1000 })));
    const { user, system } = cpuOfEach(4 * RATE * WORK_S, pids, before);
    const atRate = figuresOf(SUBJECT, { rate: 4 * RATE });
    figures.push(atRate(what, 'cpu, user', 'µs', user), atRate(what, 'cpu, system', 'µs', system));
  }
  return figures;
}

/** Sync, which ends each statement with values; PostgreSQL's own counters are late by seconds. */
const SYNC = 'S\0\0\0\x04';

/** Counts the statements that go through a proxy to PostgreSQL, a second at a time. */
function countStatements(proxy: TcpProxy) {
  const seconds = new Map<number, number>();
  proxy.onRequest = () => (chunk) => {
    const second = Math.floor(performance.now() / 1000);
    const statements = chunk.toString('latin1').split(SYNC).length - 1;
    seconds.set(second, (seconds.get(second) ?? 0) + statements);
  };
  return { highest: () => Math.max(0, ...seconds.values()), forget: () => seconds.clear() };
}
