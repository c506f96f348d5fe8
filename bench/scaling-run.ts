/**
 * `pnpm bench scaling [ITEMS]`: measures what an answer of the news feed costs, and calculates from that what
 * polling clients cost (`docs/scaling.md`).
 */
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { migrate } from '@pressroom/common/database/migrate';
import { startPostgres } from '@pressroom/embedded-postgres/postgres';
import { readVocabulary } from '@pressroom/news-feed/config';
import { publishRanking } from '@pressroom/news-feed/newsroom/publishing/rank';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { temporaryHome } from '../test/support/temporary-home.ts';
import { startServer } from './child.ts';
import { type Conditions, type Figure, figureOf } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { load } from './load.ts';
import { fillWithNews } from './news-data.ts';
import { cursorNow } from './news-ledger.ts';
import { printFigures } from './report.ts';
import { type AnswerCost, demandOf, type Inputs } from './scaling-model.ts';

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
  const dataDir = await temporaryHome();
  const server = await startPostgres({ dataDir, port: 0 });
  const pool = new pg.Pool({ connectionString: server.url });
  try {
    await migrate(server.url, fileURLToPath(new URL('../migrations', import.meta.url)));
    await fillWithNews(pool, { items, selected: items / 10, recent: Math.ceil(items * 0.1) });
    const db = new Kysely<NewsTables>({ dialect: new PostgresDialect({ pool }) });
    await db.transaction().execute((tx) => publishRanking(tx, readVocabulary({}).directions, new Date()));
    const start = (cacheBytes: string) =>
      startServer({
        program: 'services/news-feed/src/main.ts',
        env: { DATABASE_URL: server.url, NEWS_RATE_LIMIT: '1000000000', CACHE_BYTES: cacheBytes },
        port: 'NEWS_FEED_PORT',
        ready: '/readyz',
      });
    const cached = await start(String(32 * 2 ** 20));
    const origin = `http://127.0.0.1:${cached.port}`;
    const paths = [
      '/api/v1/items',
      '/api/v1/hot-topics',
      `/api/v1/selected/changes?cursor=${await cursorNow(cached)}`,
    ];
    const answers = [];
    for (const path of paths) answers.push(await costOf(origin, path));
    const hot = await load({
      port: cached.port,
      paths,
      connections: CONNECTIONS,
      durationMs: MEASURED_MS,
      status: 200,
    });
    await cached.stop();
    const uncached = await start('0');
    const begun = performance.now();
    for (let index = 0; index < UNCACHED; index += 1) {
      await (await fetch(`http://127.0.0.1:${uncached.port}${paths[index % paths.length]}`)).arrayBuffer();
    }
    const uncachedMs = (performance.now() - begun) / UNCACHED;
    await uncached.stop();
    return { answers, requestsPerSecond: hot.requestsPerSecond, uncachedMs };
  } finally {
    await pool.end();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** How many clients poll, in the calculation. */
const CLIENTS = [1_000, 100_000, 10_000_000];

const inputs = await measure(Number(process.argv[2] ?? 20_000));
const of = (what: string, metric: string, unit: string, value: number, at: Conditions = {}): Figure =>
  figureOf({ what, subject: 'news-feed', metric, unit, at }, [value]);
const figures = [
  ...inputs.answers.flatMap(({ path, body, head, unchanged }) => [
    of(path, 'body', 'bytes', body),
    of(path, 'head', 'bytes', head),
    of(path, 'a 304', 'bytes', unchanged),
  ]),
  of('cached answers of one process', 'rate', '/s', inputs.requestsPerSecond),
  of('an answer that is not cached', 'time', 'ms', inputs.uncachedMs),
  ...CLIENTS.flatMap((clients) => {
    const { requests, bytesUnchanged, bytesChanged, origin, originBytes, queries } = demandOf(
      clients,
      inputs,
    );
    return [
      of('requests', 'demand', '/s', requests, { clients }),
      of('egress to clients, if nothing changed', 'demand', 'bytes/s', bytesUnchanged, { clients }),
      of('egress to clients, if everything changed since each poll', 'demand', 'bytes/s', bytesChanged, {
        clients,
      }),
      of('requests at the services, without a CDN', 'demand', '/s', requests, { clients }),
      of('requests at the services, with a CDN', 'demand', '/s', origin.locations, { clients }),
      of(
        'requests at the services, with a CDN that has one location ask for all (origin shield)',
        'demand',
        '/s',
        origin.shield,
        { clients },
      ),
      of('egress to the CDN, no shield, at most', 'demand', 'bytes/s', originBytes, { clients }),
      of('queries to PostgreSQL, besides heartbeats', 'demand', '/s', queries, { clients }),
    ];
  }),
];
printFigures(figures);
keepFigures('scaling', figures);
