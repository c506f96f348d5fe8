import { ArticleList } from '@pressroom/content/articles/list';
import { LIST_MEMBERS } from '@pressroom/content/articles/schema';
import { ArticleStore } from '@pressroom/content/articles/store';
import type { ContentTables } from '@pressroom/content/tables';
import type { Kysely } from 'kysely';
import { captureStatements, compareCold, compareHot } from '../bare.ts';
import type { Bench } from '../bench.ts';
import { addArticles } from '../data/articles.ts';
import { openDatabase } from '../database.ts';
import type { Figure } from '../figures/figure.ts';
import { comparisonTable } from '../report/comparisons.ts';
import { shortfalls } from '../report/measured.ts';
import { sectionOf } from '../report/section.ts';
import { NO_CACHE, startService } from '../services.ts';

/** The numbers of articles that are measured unless the command line names others. */
const SIZES = [10_000, 1_000_000];

/** Up to how many articles cached answers are measured: they cost the same however many there are. */
const MOST_HOT = 100_000;

const LIST = '/api/articles';

async function measure(rows: number): Promise<Figure[]> {
  await using database = await openDatabase();
  const DATABASE_URL = database.url;
  await addArticles(database.pool, [0, rows], { sentences: 25, isSearched: false });
  const some = 'select id from content.article where is_published order by id offset 500 limit 1';
  const { id } = (await database.pool.query(some)).rows[0];
  const paths = { list: LIST, detail: `${LIST}/${id}` };
  const figures: Figure[] = [];
  if (rows <= MOST_HOT) {
    await using cached = await startService('content', { DATABASE_URL });
    for (const [name, path] of Object.entries(paths))
      figures.push(...(await compareHot({ name: 'content', process: cached }, { name, path, rows }, true)));
  }
  await using uncached = await startService('content', { DATABASE_URL, ...NO_CACHE });
  const own = { name: 'content', process: uncached };
  const capture = (work: (db: Kysely<ContentTables>) => Promise<unknown>) =>
    captureStatements<ContentTables>(database, work);
  const listed = { status: 'published', sort: 'newest', filters: {} } as const;
  const statements = {
    [LIST]: await capture((db) => new ArticleList(LIST_MEMBERS).page(db, listed, { page: 1, perPage: 20 })),
    [paths.detail]: await capture((db) => new ArticleStore(db).read(id, { seesDrafts: false })),
  };
  const compared = Object.entries(paths).map(([name, path]) => [`uncached ${name}, 200`, [path]]);
  const cold = { database, statements, paths: Object.fromEntries(compared), rows };
  return [...figures, ...(await compareCold(own, cold))];
}

/** `pnpm bench content [SIZE …]`: the content service beside bare servers, with each number of articles. */
export const content: Bench = {
  parts: (sizes) =>
    (sizes.length > 0 ? sizes : SIZES).map((rows) => ({
      name: `${rows} articles`,
      seconds: 150 + rows / 10_000,
      run: () => measure(rows),
    })),
  sections: {
    content: sectionOf('content', (figures) => [comparisonTable(figures, 'content'), shortfalls(figures)]),
    'content, Fastify alone': sectionOf('content', (figures) => [comparisonTable(figures, 'Fastify')]),
  },
};
