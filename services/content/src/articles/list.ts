import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql } from 'kysely';
import type { Page, Total } from '../envelope.ts';
import type { ContentTables } from '../tables.ts';
import { type FilterValues, filtersOf } from './filters.ts';
import { countList, DAYS, isStored } from './list-count.ts';
import { ListQuery } from './list-query.ts';
import { type ListShape, listRows } from './list-rows.ts';
import { type PageWindow, pageWindow } from './page-window.ts';
import type { ArticleListItem, ArticleStatus } from './schema.ts';

type Database = Kysely<ContentTables>;

/** Which articles a list contains. */
export interface ArticleScope {
  status: ArticleStatus;
  filters: FilterValues;
}

/** An article in a list, with the members that only some lists show. */
interface ListedArticle extends ArticleListItem {
  alt_text: string | null;
}

/** A page of a list, and how many articles the list has. */
export interface ListPage {
  articles: ListedArticle[];
  total: Total;
}

/** Where a page is read from in a list. */
interface Place extends PageWindow {
  /** The day by which the rows are found. */
  day?: string;
}

/** Everything that the SQL of a page's rows depends on. */
type RowsShape = ListShape & {
  from: PageWindow['from'];
  byDay: boolean;
};

/** Finds the ids from the index alone, so that only the rows of the page are read. */
const ROWS = new ListQuery<RowsShape, ListRow>((db, { from, byDay, ...shape }, value) => {
  const before = sql`published_at < (${value('day')}::date + 1)::timestamp at time zone 'UTC'`;
  const rows = listRows(shape, value, from === 'oldest' ? 'oldest' : 'newest', byDay ? before : undefined);
  const ids = sql<number>`
    (select id from (${rows} offset ${value('offset')} limit ${value('limit')}) as page)`;
  return selectListItems(db)
    .where('article.id', 'in', ids)
    .orderBy('article.published_at', 'desc')
    .orderBy('article.id', 'desc');
});

/** Lists articles. */
export class ArticleList {
  /**
   * A page of the articles of `scope`, newest first, and how many there are in total.
   *
   * The database maintains the total of all articles, and that of one counted filter. The rows of these lists
   * are reached from the nearer end, or, in the middle, by their day, which is found by adding up the counts
   * of the months, and then those of the days of one month. Other lists are counted up to a limit, which is
   * also how far their pages reach.
   *
   * @throws Failure `refused` for a page beyond that limit
   */
  async read(db: Database, { status, filters }: ArticleScope, page: Page): Promise<ListPage> {
    const shape = { status, ...(await leadOf(db, status, filters)) };
    const total = await countList(db, shape, filters);
    const window = isStored(shape) ? pageWindow(page, total.total) : countedWindow(page, total);
    if (window === undefined) return { articles: [], total };
    const { from, offset, limit, day } = await placeOf(db, shape, filters, window);
    const rows = await ROWS.execute(
      db,
      { ...shape, from, byDay: day !== undefined },
      { ...filters, offset, limit, day },
    );
    return { articles: rows.map(listItemOf), total };
  }
}

/** The filter with the fewest articles leads, so that most combinations are read and counted completely. */
async function leadOf(
  db: Database,
  status: ArticleStatus,
  filters: FilterValues,
): Promise<Pick<ListShape, 'lead' | 'others'>> {
  const names = filtersOf(filters);
  const [only = '', ...more] = names;
  if (more.length === 0) return { lead: only, others: '' };
  const counts = await Promise.all(
    names.map(async (name) => ({
      name,
      total: (await countList(db, { status, lead: name, others: '' }, filters)).total,
    })),
  );
  const { name: lead } = counts.reduce((least, count) => (count.total < least.total ? count : least));
  return { lead, others: names.filter((name) => name !== lead).join() };
}

/** The rows of a page of a list that was counted, all of which were looked at for it. */
function countedWindow({ page, perPage }: Page, { total, isExact }: Total): PageWindow | undefined {
  const offset = (page - 1) * perPage;
  const limit = Math.min(perPage, total - offset);
  if (limit > 0) return { from: 'newest', offset, limit };
  if (isExact || page === 1) return undefined;
  throw new Failure(
    'refused',
    `page: this list is too long to be read beyond the first ${total} articles; add a filter`,
  );
}

/** A page deep in the list is found by its day, the one that contains the row at its offset. */
async function placeOf(
  db: Database,
  shape: ListShape,
  filters: FilterValues,
  window: PageWindow,
): Promise<Place> {
  if (window.from !== 'day') return window;
  const [found] = await DAYS.execute(db, shape, { ...filters, offset: window.offset });
  // The list has become shorter since it was counted.
  if (found === undefined) return { ...window, limit: 0 };
  const offset = window.offset - Number(found.before);
  return found.day === 'infinity' ? { ...window, offset } : { ...window, offset, day: found.day };
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

/** The category of an article as clients see it; null if it does not have one. */
export function categoryOf(id: number | null, name: string | null, slug: string | null) {
  return id === null || name === null || slug === null ? null : { id, name, slug };
}
