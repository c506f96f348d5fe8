import { PreparedQueries } from '@pressroom/common/database/prepared-query';
import { type Kysely, sql } from 'kysely';
import type { Page } from '../envelope.ts';
import type { ContentTables } from '../tables.ts';
import { type PageWindow, pageWindow } from './page-window.ts';
import type { ArticleListItem, ArticleStatus } from './schema.ts';

type Database = Kysely<ContentTables>;

/** Which articles a list contains. */
export interface ArticleScope {
  status: ArticleStatus;
  categoryId?: number | undefined;
}

/** An article in a list, with the members that only some lists show. */
export interface ListedArticle extends ArticleListItem {
  alt_text: string | null;
}

/** The values that a list's query takes; its shape decides which of them it uses. */
interface ListValues {
  categoryId: number;
  day: string;
  offset: number;
  limit: number;
}

/** Where a page is read from in a list. */
interface Place extends PageWindow {
  /** The day by which the rows are found. */
  day?: string;
}

/** Everything that the SQL of a list depends on. */
type ListShape = {
  status: ArticleStatus;
  inCategory: boolean;
};

/** Everything that the SQL of a page's rows depends on. */
type RowsShape = ListShape & {
  from: PageWindow['from'];
  byDay: boolean;
};

/** The counts for the whole site are stored under a null category. */
const COUNTS = new PreparedQueries<
  ContentTables,
  ListShape,
  Pick<ListValues, 'categoryId'>,
  { total: number }
>((db, { status, inCategory }, value) =>
  db
    .selectFrom('content.article_count')
    .select(({ fn }) => fn.coalesce(fn.sum<number>('articles'), sql.lit(0)).as('total'))
    .$if(!inCategory, (query) => query.where('category_id', 'is', null))
    .$if(inCategory, (query) => query.where('category_id', '=', value('categoryId')))
    .$if(status !== 'all', (query) => query.where('is_published', '=', status === 'published')),
);

/** The values that the query of a day takes. */
type DayValues = Pick<ListValues, 'categoryId' | 'offset'>;

/** A day, and how many rows of the list are newer. */
interface DayRow {
  day: string;
  before: number | string;
}

/** Finds the ids from the index alone, so that only the rows of the page are read. */
const ROWS = new PreparedQueries<ContentTables, RowsShape, ListValues, ListRow>(
  (db, { status, inCategory, from, byDay }, value) => {
    const direction = from === 'oldest' ? 'asc' : 'desc';
    const ids = db
      .selectFrom('content.article')
      .select('id')
      .$if(inCategory, (query) => query.where('category_id', '=', value('categoryId')))
      .$if(status !== 'all', (query) => query.where('is_published', '=', status === 'published'))
      .$if(byDay, (query) =>
        query.where(
          'published_at',
          '<',
          sql<Date>`(${value('day')}::date + 1)::timestamp at time zone 'UTC'`,
        ),
      )
      .orderBy('published_at', direction)
      .orderBy('id', direction)
      .offset(value('offset'))
      .limit(value('limit'));
    return selectListItems(db)
      .where('article.id', 'in', ids)
      .orderBy('article.published_at', 'desc')
      .orderBy('article.id', 'desc');
  },
);

/** Lists articles. */
export class ArticleList {
  /**
   * A page of the articles of `scope`, newest first, and how many there are in total. The database maintains
   * the total. Rows are reached from the nearer end of the list, or, in the middle, by their day, which is
   * found by adding up the counts of the months, and then those of the days of one month.
   */
  async read(
    db: Database,
    scope: ArticleScope,
    page: Page,
  ): Promise<{ articles: ListedArticle[]; total: number }> {
    const total = await this.#count(db, scope);
    const window = pageWindow(page, total);
    if (window === undefined) return { articles: [], total };
    const rows = await this.#read(db, scope, await placeOf(db, scope, window));
    return { articles: rows.map(listItemOf), total };
  }

  async #count(db: Database, scope: ArticleScope): Promise<number> {
    const [row] = await COUNTS.of(shapeOf(scope)).execute(db, { categoryId: scope.categoryId ?? 0 });
    return Number(row?.total ?? 0);
  }

  #read(db: Database, scope: ArticleScope, place: Place): Promise<ListRow[]> {
    const { from, offset, limit, day = '' } = place;
    const query = ROWS.of({ ...shapeOf(scope), from, byDay: place.day !== undefined });
    return query.execute(db, { categoryId: scope.categoryId ?? 0, day, offset, limit });
  }
}

function shapeOf({ status, categoryId }: ArticleScope): ListShape {
  return { status, inCategory: categoryId !== undefined };
}

/** A page deep in the list is found by its day, the one that contains the row at its offset. */
async function placeOf(db: Database, scope: ArticleScope, window: PageWindow): Promise<Place> {
  if (window.from !== 'day') return window;
  const values = { categoryId: scope.categoryId ?? 0, offset: window.offset };
  const [found] = await DAYS.of(shapeOf(scope)).execute(db, values);
  // The list has become shorter since it was counted.
  if (found === undefined) return { ...window, limit: 0 };
  const offset = window.offset - Number(found.before);
  return found.day === 'infinity' ? { ...window, offset } : { ...window, offset, day: found.day };
}

/**
 * Finds the day that contains the row at an offset. Newer rows come first, so it is the oldest month, and in
 * it the oldest day, that has no more rows before it than the offset.
 */
const DAYS = new PreparedQueries<ContentTables, ListShape, DayValues, DayRow>(
  (db, { status, inCategory }, value) => {
    const scope = sql`${inCategory ? sql`category_id = ${value('categoryId')}` : sql`category_id is null`}
      ${status === 'all' ? sql`` : sql`and is_published = ${sql.lit(status === 'published')}`}`;
    const days = sql<DayRow>`
      with month as (
        select month, before from (
          select month, sum(sum(articles)) over (order by month desc) - sum(articles) as before
          from content.article_count_by_month where ${scope} group by month
        ) as months
        where before <= ${value('offset')} order by month limit 1
      )
      select day::text as day, before from (
        select day, month.before + sum(sum(articles)) over (order by day desc) - sum(articles) as before
        from content.article_count_by_day, month
        where ${scope} and day between month.month and (month.month + interval '1 month' - interval '1 day')::date
        group by day, month.before
      ) as days
      where before <= ${value('offset')} order by days.day limit 1`;
    return { compile: () => days.compile(db) };
  },
);

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

/** The category of an article as clients see it; null if it does not have one. */
export function categoryOf(id: number | null, name: string | null, slug: string | null) {
  return id === null || name === null || slug === null ? null : { id, name, slug };
}
