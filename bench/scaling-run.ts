/**
 * `pnpm bench scaling [ITEMS]`: measures what an answer of the news feed costs, and calculates from that what
 * polling clients cost (`docs/scaling.md`).
 */
import { onDatabase } from './database.ts';
import { figuresOf } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { load } from './load.ts';
import { fillWithRankedNews } from './news-data.ts';
import { cursorNow } from './news-ledger.ts';
import { startNewsFeed } from './news-service.ts';
import { type AnswerCost, demandOf, type Inputs } from './scaling-model.ts';
import { timed } from './turns.ts';

/** How long each rate is measured, in ms. */
const MEASURED_MS = 5000;

const CONNECTIONS = 32;

/** Uncached requests that are timed, one after the other. */
const UNCACHED = 200;

/** The sizes of a path's answers, in bytes on the wire. */
async function costOf(origin: string, path: string): Promise<AnswerCost> {
  const whole = await fetch(origin + path);
  const body = Buffer.from(await whole.arrayBuffer());
  const unchanged = await fetch(origin + path, {
    headers: { 'if-none-match': whole.headers.get('etag') ?? '' },
  });
  if (whole.status !== 200 || unchanged.status !== 304)
    throw new Error(`${path}: ${whole.status}, ${unchanged.status}`);
  await unchanged.arrayBuffer();
  return {
    path: path.split('?')[0] ?? path,
    body: body.length,
    head: headOf(whole),
    unchanged: headOf(unchanged),
  };
}

/** The bytes of the status line and the headers. */
function headOf({ status, statusText, headers }: Response): number {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${statusText}\r\n${lines.join('')}\r\n`.length;
}

async function measure(items: number): Promise<Inputs> {
  return onDatabase(async ({ url, pool }) => {
    await fillWithRankedNews(pool, { items, selected: items / 10, recent: Math.ceil(items * 0.1) });
    const cached = await startNewsFeed(url);
    const origin = `http://127.0.0.1:${cached.port}`;
    const tip = `/api/v1/selected/changes?cursor=${await cursorNow(cached)}`;
    const paths = ['/api/v1/items', '/api/v1/hot-topics', tip];
    const answers = [];
    for (const path of paths) answers.push(await costOf(origin, path));
    const request = { port: cached.port, paths, connections: CONNECTIONS, status: 200 };
    const hot = await load({ ...request, durationMs: MEASURED_MS });
    await cached.stop();
    const uncached = await startNewsFeed(url, '0');
    const ms = await timed(async () => {
      for (let index = 0; index < UNCACHED; index += 1) {
        await (await fetch(`http://127.0.0.1:${uncached.port}${paths[index % paths.length]}`)).arrayBuffer();
      }
    });
    await uncached.stop();
    return { answers, requestsPerSecond: hot.requestsPerSecond, uncachedMs: ms / UNCACHED };
  });
}

/** How many clients poll, in the calculation. */
const CLIENTS = [1_000, 100_000, 10_000_000];

const inputs = await measure(Number(process.argv[2] ?? 20_000));
const of = figuresOf('news-feed');
const demandFigures = CLIENTS.flatMap((clients) => {
  const { requests, bytesUnchanged, bytesChanged, origin, originBytes, queries } = demandOf(clients, inputs);
  const figure = figuresOf('news-feed', { clients });
  const rate = (what: string, value: number) => figure(what, 'demand', '/s', value);
  const egress = (what: string, value: number) => figure(what, 'demand', 'bytes/s', value);
  return [
    rate('requests', requests),
    egress('egress to clients, if nothing changed', bytesUnchanged),
    egress('egress to clients, if everything changed since each poll', bytesChanged),
    rate('requests at the services, without a CDN', requests),
    rate('requests at the services, with a CDN', origin.locations),
    rate(
      'requests at the services, with a CDN that has one location ask for all (origin shield)',
      origin.shield,
    ),
    egress('egress to the CDN, no shield, at most', originBytes),
    rate('queries to PostgreSQL, besides heartbeats', queries),
  ];
});
keepFigures('scaling', [
  ...inputs.answers.flatMap(({ path, body, head, unchanged }) => [
    of(path, 'body', 'bytes', body),
    of(path, 'head', 'bytes', head),
    of(path, 'a 304', 'bytes', unchanged),
  ]),
  of('cached answers of one process', 'rate', '/s', inputs.requestsPerSecond),
  of('an answer that is not cached', 'time', 'ms', inputs.uncachedMs),
  ...demandFigures,
]);
