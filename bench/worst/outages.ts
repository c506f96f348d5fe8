import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { TcpProxy } from '../../test/support/tcp-proxy.ts';
import { startContent } from '../content-service.ts';
import { cpuTime } from '../cpu-time.ts';
import { type Figure, figureOf, figuresOf } from '../figures/figure.ts';
import { type SteadyResult, steadyLoad } from '../steady-load.ts';
import { pollsOf, type Site } from './site.ts';
import { StatementReader } from './statement-reader.ts';

const SUBJECT = 'content';

/** Requests per second while something goes wrong: a tenth of what the service gives. */
const RATE = 1000;

/** Requests per second that meet a process without an answer in its cache. */
const COLD_RATE = 8000;

/** How long the database is away, in ms. */
const AWAY_MS = 10_000;

/** Searches per second, more than PostgreSQL can answer beside the rest. */
const SEARCH_RATE = 500;

/** The largest acceptable 99th percentile of a cached read while others make the service work, in ms. */
const WORK_AIM = 20;

/** The times of a load as figures; the aim is of the 99th percentile. */
export function timesOf(
  what: string,
  subject: string,
  { p50, p99, highest }: SteadyResult,
  rate: number,
  aim?: number,
): Figure[] {
  const figure = figuresOf(subject, { rate });
  return [
    figure(what, 'p50', 'ms', p50),
    figure(what, 'p99', 'ms', p99, aim),
    figure(what, 'highest', 'ms', highest),
  ];
}

/** The first seconds of a process, with an empty cache, under full load. */
export async function coldStart({ url, articlePaths }: Site): Promise<Figure[]> {
  const requests = articlePaths.map((path) => ({ path }));
  const service = await startContent(url);
  const result = await steadyLoad({ port: service.port, requests, rate: COLD_RATE, durationMs: 3000 });
  await service.stop();
  const what = 'cold start, the first 3 s';
  return [
    figuresOf(SUBJECT)(what, 'ready after', 'ms', service.readyMs),
    ...timesOf(what, SUBJECT, result, COLD_RATE),
    failures(what, result),
  ];
}

/** The database is away and comes back: what readers get, and what it is asked when it is back. */
export async function databaseAway({ url, articlePaths }: Site): Promise<Figure[]> {
  const { hostname, port } = new URL(url);
  const proxy = await TcpProxy.start({ host: hostname, port: Number(port) });
  const proxied = new URL(url);
  proxied.port = String(proxy.port);
  const service = await startContent(proxied.href);
  const requests = articlePaths.map((path) => ({ path }));
  const counts = countStatements(proxy);
  const run = steadyLoad({ port: service.port, requests, rate: RATE, durationMs: AWAY_MS + 12_000 });
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
  const figure = figuresOf(SUBJECT, { rate: RATE });
  return [
    figure(what, 'most statements while the cache fills', '/s', before),
    figure(what, 'most statements after its return', '/s', after),
    failures(what, result),
    figure(what, 'answers', '', answers(result)),
  ];
}

/** Articles of 2 MB are written one after the other while others read. */
export async function largeWrites({ url, key, articlePaths }: Site): Promise<Figure[]> {
  const service = await startContent(url);
  const requests = await pollsOf(service.port, articlePaths);
  const read = () => steadyLoad({ port: service.port, requests, rate: RATE, durationMs: 5000 });
  await read();
  const alone = await read();
  const writer = new Worker(new URL('../large-writer.ts', import.meta.url), {
    workerData: { port: service.port, key },
  });
  const during = await read();
  writer.postMessage('stop');
  const [written] = await once(writer, 'message');
  await service.stop();
  return [
    ...timesOf('nobody writes', SUBJECT, alone, RATE),
    ...timesOf('articles of 2 MB are written', SUBJECT, during, RATE, WORK_AIM),
    figuresOf(SUBJECT)('articles of 2 MB are written', 'written', '', Number(written)),
  ];
}

/** Strangers search for words of all articles, each time for others, while others read. */
export async function searches({ url, articlePaths }: Site): Promise<Figure[]> {
  const service = await startContent(url);
  const requests = await pollsOf(service.port, articlePaths);
  const paths = Array.from(
    { length: 1000 },
    (_, n) => `/api/articles?q=somebody+word${n % 300}&page=${1 + n}`,
  );
  const searching = paths.map((path) => ({ path }));
  const load = { port: service.port, durationMs: 5000 };
  const read = () => steadyLoad({ ...load, requests, rate: RATE });
  await read();
  const alone = await read();
  const [during, found] = await Promise.all([
    read(),
    steadyLoad({ ...load, requests: searching, rate: SEARCH_RATE }),
  ]);
  await service.stop();
  const what = `strangers search ${SEARCH_RATE} times a second`;
  return [
    ...timesOf('nobody searches', SUBJECT, alone, RATE),
    ...timesOf(what, SUBJECT, during, RATE, WORK_AIM),
    figuresOf(SUBJECT)(what, 'answered', '/s', answers(found) / 5),
    figuresOf(SUBJECT)(what, 'refused, 503', '/s', (found.statuses[503] ?? 0) / 5),
  ];
}

/** What a request costs one process, and two that share the requests. */
export async function replicas({ url, articlePaths }: Site): Promise<Figure[]> {
  const services = [await startContent(url), await startContent(url)] as const;
  const requests = await pollsOf(services[0].port, articlePaths);
  for (const { port } of services) await steadyLoad({ port, requests, rate: RATE, durationMs: 3000 });
  const figures: Figure[] = [];
  for (const count of [1, 2]) {
    const used = services.slice(0, count);
    const before = used.map(({ pid }) => cpuTime(pid));
    const rate = (4 * RATE) / count;
    await Promise.all(used.map(({ port }) => steadyLoad({ port, requests, rate, durationMs: 5000 })));
    const after = used.map(({ pid }) => cpuTime(pid));
    for (const kind of ['user', 'system'] as const) {
      const spent = after.reduce((sum, time, index) => sum + time[kind] - (before[index]?.[kind] ?? 0), 0);
      const what = count === 1 ? 'one process' : 'two replicas';
      const figure = figuresOf(SUBJECT, { rate: 4 * RATE });
      figures.push(figure(what, `cpu, ${kind}`, 'µs', spent / (4 * RATE * 5)));
    }
  }
  for (const service of services) await service.stop();
  return figures;
}

function failures(what: string, { statuses }: SteadyResult): Figure {
  const failed = Object.entries(statuses)
    .filter(([status]) => status !== '200' && status !== '304')
    .reduce((sum, [, count]) => sum + count, 0);
  return figureOf({ what, subject: SUBJECT, metric: 'failed', unit: '', at: {} }, [failed]);
}

function answers({ statuses }: SteadyResult): number {
  return (statuses[200] ?? 0) + (statuses[304] ?? 0);
}

/** Counts the statements that go through a proxy to PostgreSQL, a second at a time. */
function countStatements(proxy: TcpProxy) {
  const seconds = new Map<number, number>();
  proxy.onRequest = () => {
    const reader = new StatementReader();
    return (chunk) => {
      const second = Math.floor(performance.now() / 1000);
      seconds.set(second, (seconds.get(second) ?? 0) + reader.count(chunk));
    };
  };
  return { highest: () => Math.max(0, ...seconds.values()), forget: () => seconds.clear() };
}
