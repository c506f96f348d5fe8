import { type Kysely, sql } from 'kysely';
import type { Page } from '../envelope.ts';
import type { ContentTables } from '../tables.ts';
import { type PageWindow, pageWindow } from './page-window.ts';
import type { ArticleListItem, ArticleStatus } from './schema.ts';

type Database = Kysely<ContentTables>;

/** Which articles a list holds. */
export interface ArticleScope {
  status: ArticleStatus;
  categoryId?: number | undefined;
}

/** An article of a list, with what only some lists show. */
export interface ListedArticle extends ArticleListItem {
  alt_text: string | null;
}

/**
 * A page of the articles of `scope`, newest first, and how many there are in all. It costs the same at the
 * beginning, in the depth and at the end of a list of any length: the total is kept by the database, and the rows
 * are reached from the nearer end or by their day.
 */
export async function listArticles(
  db: Database,
  scope: ArticleScope,
  page: Page,
): Promise<{ articles: ListedArticle[]; total: number }> {
  const total = await countArticles(db, scope);
  const window = pageWindow(page, total);
  if (window === undefined) return { articles: [], total };
  return { articles: await readWindow(db, scope, window), total };
}

/** The whole site's counts stand under a null category. */
async function countArticles(db: Database, { status, categoryId }: ArticleScope): Promise<number> {
  const { total } = await db
    .selectFrom('content.article_count')
    .select(({ fn }) => fn.coalesce(fn.sum<number>('articles'), sql.lit(0)).as('total'))
    .where('category_id', categoryId === undefined ? 'is' : '=', categoryId ?? null)
    .$if(status !== 'all', (query) => query.where('is_published', '=', status === 'published'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

async function readWindow(db: Database, scope: ArticleScope, window: PageWindow): Promise<ListedArticle[]> {
  if (window.from !== 'day') return readRows(db, scope, window);
  const { day, before } = await dayOf(db, scope, window.offset);
  return readRows(db, scope, { ...window, offset: window.offset - before }, day);
}

/** The day on which the row at `offset` lies, and how many rows are newer than that day. */
async function dayOf(db: Database, { status, categoryId }: ArticleScope, offset: number) {
  const days = db
    .selectFrom('content.article_count_by_day')
    .select(['day', sql<number>`sum(sum(articles)) over (order by day desc) - sum(articles)`.as('before')])
    .where('category_id', categoryId === undefined ? 'is' : '=', categoryId ?? null)
    .$if(status !== 'all', (query) => query.where('is_published', '=', status === 'published'))
    .groupBy('day');
  const { day, before } = await db
    .selectFrom(days.as('days'))
    .select([sql<string>`day::text`.as('day'), 'before'])
    .where('before', '<=', offset)
    .orderBy('days.day', 'asc')
    .limit(1)
    .executeTakeFirstOrThrow();
  return { day, before: Number(before) };
}

/** Reads a window: the index alone finds the ids, so that only the rows of the page are touched. */
async function readRows(
  db: Database,
  { status, categoryId }: ArticleScope,
  { from, offset, limit }: PageWindow,
  day?: string,
): Promise<ListedArticle[]> {
  const direction = from === 'oldest' ? 'asc' : 'desc';
  const ids = db
    .selectFrom('content.article')
    .select('id')
    .$if(categoryId !== undefined, (query) => query.where('category_id', '=', categoryId as number))
    .$if(status !== 'all', (query) => query.where('is_published', '=', status === 'published'))
    .$if(day !== undefined && day !== 'infinity', (query) =>
      query.where('published_at', '<', sql<Date>`(${day}::date + 1)::timestamp at time zone 'UTC'`),
    )
    .orderBy('published_at', direction)
    .orderBy('id', direction)
    .offset(offset)
    .limit(limit);
  const rows = await selectListItems(db)
    .where('article.id', 'in', ids)
    .orderBy('article.published_at', 'desc')
    .orderBy('article.id', 'desc')
    .execute();
  return rows.map(listItemOf);
}

function selectListItems(db: Database) {
  return db
    .selectFrom('content.article as article')
    .leftJoin('content.category as category', 'category.id', 'article.category_id')
    .select([
      'article.id',
      'article.title',
      'article.slug',
      'article.excerpt',
      'article.featured_image',
      'article.alt_text',
      'article.author',
      'article.published_at',
      'category.id as categoryId',
      'category.name as categoryName',
      'category.slug as categorySlug',
    ]);
}

type ListRow = Awaited<ReturnType<ReturnType<typeof selectListItems>['executeTakeFirstOrThrow']>>;

function listItemOf({
  categoryId,
  categoryName,
  categorySlug,
  published_at,
  ...rest
}: ListRow): ListedArticle {
  return {
    ...rest,
    category: categoryOf(categoryId, categoryName, categorySlug),
    published_at: published_at?.toISOString() ?? null,
  };
}

/** The category of an article as it is shown: null when it has none. */
export function categoryOf(id: number | null, name: string | null, slug: string | null) {
  return id === null || name === null || slug === null ? null : { id, name, slug };
}
