import { queriesOn } from '@pressroom/common/database/database';
import { SearchGate } from '@pressroom/common/search/search';
import { itemsQuery } from '@pressroom/news-feed/api/items';
import { ItemStore } from '@pressroom/news-feed/api/items-store';
import { readVocabulary } from '@pressroom/news-feed/config';
import type { NewsTables } from '@pressroom/news-feed/tables';
import type { Kysely } from 'kysely';
import { CONNECTIONS, captureStatements, compareCold, compareHot, type Statement } from '../bare.ts';
import type { Bench } from '../bench.ts';
import { addItems, rank } from '../data/items.ts';
import { CHINESE, LATIN } from '../data/vocabulary.ts';
import { type BenchDatabase, openDatabase } from '../database.ts';
import type { Figure } from '../figures/figure.ts';
import { comparisonTable } from '../report/comparisons.ts';
import { shortfalls } from '../report/measured.ts';
import { sectionOf } from '../report/section.ts';
import { cursorNow } from '../selected/mirror.ts';
import { NO_CACHE, startService } from '../services.ts';

const ITEMS = '/api/v1/items';

const COLD_PATHS = 1000;

/** A query of the items as a client writes it. */
type Parameters = Record<string, string>;

/** The load runs more concurrent searches than the service allows by default. */
const SETTINGS = { NEWS_SEARCH_CONCURRENCY: String(CONNECTIONS) };

const SCHEMA = itemsQuery(readVocabulary({}));

function storeOf(db: Kysely<NewsTables>): ItemStore {
  return new ItemStore({ db, gate: new SearchGate(db, 1), clock: () => new Date(), stories: true });
}

/** Different queries in turn, every tenth a search, each followed for some pages by its cursors. */
async function coldQueries(store: ItemStore): Promise<Parameters[]> {
  const queries: Parameters[] = [];
  for (let word = 0; queries.length < COLD_PATHS; word += 1) {
    const base: Parameters = {
      mode: word % 2 === 0 ? 'all' : 'selected',
      by: word % 4 < 2 ? 'timeline' : 'published',
      limit: String(20 + (word % 31)),
      ...(word % 3 === 0 && { direction: 'domestic' }),
      ...(word % 5 === 0 && { category: 'research' }),
      ...(word % 10 === 9 && { q: `${LATIN.common(word)} ${CHINESE.common(word)}` }),
    };
    for (let page = 0, cursor: string | null = ''; page < 10 && cursor !== null; page += 1) {
      const parameters: Parameters = cursor === '' ? base : { ...base, cursor };
      queries.push(parameters);
      cursor = (await store.page(SCHEMA.parse(parameters))).nextCursor;
    }
  }
  return queries.slice(0, COLD_PATHS);
}

async function measureCold(database: BenchDatabase, rows: number): Promise<Figure[]> {
  const statements: Record<string, Statement[]> = {};
  for (const parameters of await coldQueries(storeOf(queriesOn(database.pool)))) {
    const work = (db: Kysely<NewsTables>) => storeOf(db).page(SCHEMA.parse(parameters));
    statements[`${ITEMS}?${new URLSearchParams(parameters)}`] = await captureStatements(database, work);
  }
  const settings = { DATABASE_URL: database.url, ...NO_CACHE, ...SETTINGS };
  await using service = await startService('news-feed', settings);
  const all = Object.keys(statements);
  const paths = { [`${all.length} cursors and queries, cold`]: all };
  return await compareCold({ name: 'news-feed', process: service }, { database, statements, paths, rows });
}

async function measure(rows: number): Promise<Figure[]> {
  await using database = await openDatabase();
  await addItems(database.pool, 0, rows);
  await rank(database.pool);
  const figures: Figure[] = [];
  {
    await using cached = await startService('news-feed', { DATABASE_URL: database.url, ...SETTINGS });
    const tip = `/api/v1/selected/changes?cursor=${await cursorNow(cached)}`;
    for (const path of [ITEMS, '/api/v1/hot-topics', tip]) {
      const name = path.replace(/\?.*/, '');
      figures.push(...(await compareHot({ name: 'news-feed', process: cached }, { name, path, rows })));
    }
  }
  return [...figures, ...(await measureCold(database, rows))];
}

/** `pnpm bench reading [ITEMS]`: the news feed's reads beside bare servers. */
export const reading: Bench = {
  parts: ([items = 1_000_000]) => [{ name: 'reads', seconds: 900, run: () => measure(items) }],
  sections: {
    reading: sectionOf('reading', (figures) => [comparisonTable(figures, 'news-feed'), shortfalls(figures)]),
  },
};
