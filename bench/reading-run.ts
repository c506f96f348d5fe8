/** `pnpm bench reading [ITEMS]`: compares the news feed's reads to bare servers. */
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { migrate } from '@pressroom/common/database/migrate';
import { SearchGate } from '@pressroom/common/search/search-gate';
import { startPostgres } from '@pressroom/embedded-postgres/postgres';
import { type ItemsQuery, itemsQuery } from '@pressroom/news-feed/api/items/schema';
import { ItemStore } from '@pressroom/news-feed/api/items/store';
import { readVocabulary } from '@pressroom/news-feed/config';
import { publishRanking } from '@pressroom/news-feed/newsroom/publishing/rank';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { temporaryHome } from '../test/support/temporary-home.ts';
import { captureAnswer, captureStatements, temporaryFile } from './captured.ts';
import { type ServerProcess, startServer } from './child.ts';
import { type Comparison, type Contender, compare, comparisonFigures } from './compare.ts';
import { keepFigures } from './figures/keep.ts';
import { fillWithNews } from './news-data.ts';
import { cursorNow } from './news-ledger.ts';
import { printComparisons } from './report.ts';

/** The smallest acceptable ratios: hot against bare bytes, cold against the same SQL. */
const HOT_BAR = 0.75;
const COLD_BAR = 0.9;

const CONNECTIONS = 32;
const ITEMS = '/api/v1/items';

/** How many different cursors and queries are requested. */
const COLD_PATHS = 1000;

/** A query of the items as a client writes it. */
type Parameters = Record<string, string>;

function startNewsFeed(databaseUrl: string, cacheBytes?: string): Promise<ServerProcess> {
  const settings = {
    NEWS_RATE_LIMIT: '1000000000',
    // The load runs more concurrent searches than the service allows by default.
    NEWS_SEARCH_CONCURRENCY: String(CONNECTIONS),
    ...(cacheBytes && { CACHE_BYTES: cacheBytes }),
  };
  return startServer({
    program: 'services/news-feed/src/main.ts',
    env: { DATABASE_URL: databaseUrl, ...settings },
    port: 'NEWS_FEED_PORT',
    ready: '/readyz',
  });
}

async function compareHot(service: ServerProcess, path: string): Promise<Comparison[]> {
  const { file, etag } = await captureAnswer(`http://127.0.0.1:${service.port}${path}`);
  const bare = await startServer({
    program: 'bench/servers/bytes.ts',
    env: { ANSWER: file },
    port: 'PORT',
    ready: '/',
  });
  const contenders: [Contender, Contender] = [
    { name: 'news-feed', port: service.port, pid: service.pid },
    { name: 'node:http', port: bare.port, pid: bare.pid },
  ];
  const request = { paths: [path], connections: CONNECTIONS };
  const unchanged = { ...request, headers: { 'if-none-match': etag }, status: 304 };
  const comparisons = [
    await compare(`hot ${path.split('?')[0]}, 200`, contenders, { ...request, status: 200 }, HOT_BAR),
    await compare(`hot ${path.split('?')[0]}, 304`, contenders, unchanged, HOT_BAR),
  ];
  await bare.stop();
  return comparisons;
}

/** Different queries in turn, every tenth a search, each followed for some pages by its cursors. */
async function coldQueries(store: ItemStore): Promise<Parameters[]> {
  const schema = itemsQuery(readVocabulary({}));
  const queries: Parameters[] = [];
  for (let word = 0; queries.length < COLD_PATHS; word += 1) {
    const base: Parameters = {
      mode: word % 2 === 0 ? 'all' : 'selected',
      by: word % 4 < 2 ? 'timeline' : 'published',
      limit: String(20 + (word % 31)),
      ...(word % 3 === 0 && { direction: 'domestic' }),
      ...(word % 5 === 0 && { category: 'research' }),
      ...(word % 10 === 9 && { q: `word${word} 新闻` }),
    };
    for (let page = 0, cursor: string | null = ''; page < 10 && cursor !== null; page += 1) {
      const parameters: Parameters = cursor === '' ? base : { ...base, cursor };
      queries.push(parameters);
      cursor = (await store.page(schema.parse(parameters))).nextCursor;
    }
  }
  return queries.slice(0, COLD_PATHS);
}

async function compareCold(databaseUrl: string, pool: pg.Pool): Promise<Comparison[]> {
  const dialect = new PostgresDialect({ pool });
  const storeOf = (db: Kysely<NewsTables>) =>
    new ItemStore({ db, gate: new SearchGate(db, 1), clock: () => new Date() });
  const schema = itemsQuery(readVocabulary({}));
  const queries = await coldQueries(storeOf(new Kysely<NewsTables>({ dialect })));
  const statements: Record<string, unknown> = { '/': [] };
  for (const parameters of queries) {
    const query: ItemsQuery = schema.parse(parameters);
    statements[`${ITEMS}?${new URLSearchParams(parameters)}`] = await captureStatements<NewsTables>(
      dialect,
      (db) => storeOf(db).page(query),
    );
  }
  const service = await startNewsFeed(databaseUrl, '0');
  const env = { DATABASE_URL: databaseUrl, STATEMENTS: temporaryFile(statements) };
  const bare = await startServer({ program: 'bench/servers/sql.ts', env, port: 'PORT', ready: '/' });
  const paths = Object.keys(statements).filter((path) => path !== '/');
  const comparison = await compare(
    `${paths.length} cursors and queries, cold`,
    [
      { name: 'news-feed', port: service.port, pid: service.pid },
      { name: 'node:http + pg', port: bare.port, pid: bare.pid },
    ],
    { paths, connections: CONNECTIONS, status: 200 },
    COLD_BAR,
  );
  await Promise.all([service.stop(), bare.stop()]);
  return [comparison];
}

async function benchReading(items: number): Promise<Comparison[]> {
  const dataDir = await temporaryHome();
  const server = await startPostgres({ dataDir, port: 0, settings: { max_wal_size: '4GB' } });
  const pool = new pg.Pool({ connectionString: server.url });
  try {
    await migrate(server.url, fileURLToPath(new URL('../migrations', import.meta.url)));
    await fillWithNews(pool, { items, selected: items / 10, recent: Math.ceil(items * 0.03) });
    const db = new Kysely<NewsTables>({ dialect: new PostgresDialect({ pool }) });
    await db.transaction().execute((tx) => publishRanking(tx, readVocabulary({}).directions, new Date()));
    const cached = await startNewsFeed(server.url);
    const comparisons = [];
    const tip = `/api/v1/selected/changes?cursor=${await cursorNow(cached)}`;
    for (const path of [ITEMS, '/api/v1/hot-topics', tip])
      comparisons.push(...(await compareHot(cached, path)));
    await cached.stop();
    return [...comparisons, ...(await compareCold(server.url, pool))];
  } finally {
    await pool.end();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const items = Number(process.argv[2] ?? 1_000_000);
const comparisons = await benchReading(items);
printComparisons(comparisons);
keepFigures(
  'reading',
  comparisons.flatMap((comparison) => comparisonFigures(comparison, { rows: items })),
);
