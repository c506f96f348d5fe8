/** `pnpm bench reading [ITEMS]`: compares the news feed's reads to bare servers. */
import { SearchGate } from '@pressroom/common/search/search-gate';
import { type ItemsQuery, itemsQuery } from '@pressroom/news-feed/api/items/schema';
import { ItemStore } from '@pressroom/news-feed/api/items/store';
import { readVocabulary } from '@pressroom/news-feed/config';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { Kysely, PostgresDialect } from 'kysely';
import { captureAnswer, captureStatements, temporaryFile } from './captured.ts';
import type { ServerProcess } from './child.ts';
import { compareWithBare } from './compare.ts';
import { type BenchDatabase, onDatabase } from './database.ts';
import type { Figure } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { fillWithRankedNews } from './news-data.ts';
import { cursorNow } from './news-ledger.ts';
import { startNewsFeed } from './news-service.ts';

/** The smallest acceptable ratios: hot against bare bytes, cold against the same SQL. */
const HOT_AIM = 0.75;
const COLD_AIM = 0.9;

const CONNECTIONS = 32;
const ITEMS = '/api/v1/items';

/** How many different cursors and queries are requested. */
const COLD_PATHS = 1000;

/** A query of the items as a client writes it. */
type Parameters = Record<string, string>;

/** The load runs more concurrent searches than the service allows by default. */
const SETTINGS = { NEWS_SEARCH_CONCURRENCY: String(CONNECTIONS) };

async function compareHot(service: ServerProcess, path: string, rows: number): Promise<Figure[]> {
  const { file, etag } = await captureAnswer(`http://127.0.0.1:${service.port}${path}`);
  const what = `hot ${path.split('?')[0]}`;
  const request = { paths: [path], connections: CONNECTIONS };
  const unchanged = { ...request, headers: { 'if-none-match': etag }, status: 304 };
  const common = { at: { rows }, aim: HOT_AIM };
  return compareWithBare(
    ['news-feed', service],
    { name: 'node:http', program: 'bench/servers/bytes.ts', env: { ANSWER: file } },
    [
      { ...common, what: `${what}, 200`, request: { ...request, status: 200 } },
      { ...common, what: `${what}, 304`, request: unchanged },
    ],
  );
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

async function compareCold({ url, pool }: BenchDatabase, rows: number): Promise<Figure[]> {
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
  const service = await startNewsFeed(url, '0', SETTINGS);
  const paths = Object.keys(statements).filter((path) => path !== '/');
  const request = { paths, connections: CONNECTIONS, status: 200 };
  const env = { DATABASE_URL: url, STATEMENTS: temporaryFile(statements) };
  const figures = await compareWithBare(
    ['news-feed', service],
    { name: 'node:http + pg', program: 'bench/servers/sql.ts', env },
    [{ what: `${paths.length} cursors and queries, cold`, request, at: { rows }, aim: COLD_AIM }],
  );
  await service.stop();
  return figures;
}

const items = Number(process.argv[2] ?? 1_000_000);
const figures = await onDatabase(async (database) => {
  await fillWithRankedNews(database.pool, { items, selected: items / 10, recent: Math.ceil(items * 0.03) });
  const cached = await startNewsFeed(database.url, undefined, SETTINGS);
  const hot: Figure[] = [];
  const tip = `/api/v1/selected/changes?cursor=${await cursorNow(cached)}`;
  for (const path of [ITEMS, '/api/v1/hot-topics', tip]) hot.push(...(await compareHot(cached, path, items)));
  await cached.stop();
  return [...hot, ...(await compareCold(database, items))];
});
keepFigures('reading', figures);
