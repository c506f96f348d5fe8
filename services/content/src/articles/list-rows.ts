import { type BuildShape, PreparedQueries } from '@pressroom/common/database/database';
import { type Compilable, type Kysely, type RawBuilder, sql } from 'kysely';
import type { ContentTables } from '../tables.ts';
import { type FilterName, type FilterValues, filterOf, type SortKey } from './filters.ts';
import {
  type ArticleSort,
  type ArticleStatus,
  categoryOf,
  DETAIL_MEMBERS,
  type ListedArticle,
  type ListedMember,
  NESTED_MEMBERS,
  SHOWN_AUTHOR,
} from './schema.ts';

/** The values that the queries of a list take; its shape decides which of them it uses. */
export interface ListValues extends FilterValues {
  day: string;
  offset: number;
  limit: number;
  /** The position of a cursor: the key of the order, and the id, of the last article of the page before. */
  afterKey: Date | string | number | null;
  afterId: number;
  /** Most content in an answer, in bytes. */
  bytes: number;
}

/** A query of lists, prepared for those that one index has: every connection keeps what is prepared. */
export class ListQuery<QueryShape extends ListShape, Row> {
  readonly #build: BuildShape<ContentTables, QueryShape, Partial<ListValues>, Row>;
  readonly #prepared: PreparedQueries<ContentTables, QueryShape, Partial<ListValues>, Row>;

  constructor(build: BuildShape<ContentTables, QueryShape, Partial<ListValues>, Row>) {
    this.#build = build;
    this.#prepared = new PreparedQueries(build);
  }

  /** Runs the query for a list of that shape, and returns its rows. */
  async execute(db: Kysely<ContentTables>, shape: QueryShape, values: Partial<ListValues>): Promise<Row[]> {
    if (shape.others === '' && shape.ranges === '' && !shape.isWhole)
      return this.#prepared.of(shape).execute(db, values);
    const { rows } = await db.executeQuery(this.#build(db, shape, (name) => sql`${values[name]}`).compile());
    return rows;
  }
}

/** Wraps SQL for {@link ListQuery}. */
export function compilable<Row>(db: Kysely<ContentTables>, text: RawBuilder<Row>): Compilable<Row> {
  return { compile: () => text.compile(db) };
}

/** A list without a stored count is counted this far; filters combine among the first so many and one. */
export const MOST_COUNTED = 10_000;

/** Rows examined: one more than are counted, which shows that there are more. */
export const MOST_SEEN = sql.lit(MOST_COUNTED + 1);

/** Parameters that change the SQL of every query of a list. */
export type ListShape = {
  status: ArticleStatus;
  sort: ArticleSort;
  /** The filter by whose articles the list is read; empty for all articles. */
  lead: FilterName | '';
  /** The filters that choose among the rows of the lead, joined by commas. */
  others: string;
  /** The filters that bound the walk along the index of the order, joined by commas. */
  ranges: string;
  /** True if all rows of the lead are read and sorted, because no index has them in this order. */
  isWhole: boolean;
};

/** Makes the placeholder for the value of a filter. */
export type FilterValue = (name: FilterName) => RawBuilder<unknown>;

/** The direction in which an order is read: from the latest time to the earliest, or back. */
export type Direction = 'desc' | 'asc';

/** The sort key of a list; the id breaks ties. */
export function sortedBy(sort: ArticleSort): SortKey {
  if (sort === 'title' || sort === 'title_desc') return 'title';
  if (sort === 'series') return 'series_position';
  return sort === 'updated' || sort === 'updated_asc' ? 'updated_at' : 'published_at';
}

/** A time, or a title, as an index has it: in upper or lower case, with or without accents. */
export function sortable(key: SortKey, value: RawBuilder<unknown> = sql.ref(key)): RawBuilder<unknown> {
  if (key !== 'title') return value;
  const plain = sql`regexp_replace(normalize((${value})::text, nfd), '[\\u0300-\\u036f]+', '', 'g')`;
  return sql`lower(left(normalize(${plain}, nfc), 120) collate "pg_unicode_fast") collate "C"`;
}

/** The direction in which a list is sorted. */
export function directionOf(sort: ArticleSort): Direction {
  return ['oldest', 'updated_asc', 'title', 'series'].includes(sort) ? 'asc' : 'desc';
}

/**
 * A SELECT of `id` and `at`, the time of the order, of the articles of a list, read in a direction, for a
 * LIMIT that reaches `reach` rows. Each of `pieces` is a condition on `article`, whose rows an index has in
 * order: together the part that is wanted.
 */
export function listRows(
  shape: ListShape,
  value: FilterValue,
  direction: Direction,
  reach: RawBuilder<unknown>,
  pieces: readonly RawBuilder<unknown>[] = [sql`true`],
): RawBuilder<unknown> {
  if (shape.isWhole) return wholeRows(shape, value, direction, pieces);
  if (shape.others === '') return walkedRows(shape, value, direction, reach, pieces);
  return sql`
    select article.id, at from ${seenArticles(shape, value, direction, pieces)}
    where ${allMatch(shape.others, value)} order by ${orderBy(direction)}`;
}

/**
 * The articles among which the other filters of a list choose: `article`, with `at`, the time of the order.
 */
function seenArticles(
  shape: ListShape,
  value: FilterValue,
  direction: Direction,
  pieces: readonly RawBuilder<unknown>[],
): RawBuilder<unknown> {
  const { lead, sort } = shape;
  if (lead !== '' && filterOf(lead).rows !== undefined) {
    const rows = walkedRows(shape, value, direction, MOST_SEEN, pieces);
    return sql`(${rows} limit ${MOST_SEEN}) as listed join content.article as article on article.id = listed.id`;
  }
  // Found with all its columns: to look for each of them again by its id takes four times as long.
  const match = lead === '' ? sql`true` : filterOf(lead).matches(value(lead));
  const walked = {
    rows: sql`select * from content.article as article where ${match}`,
    columns: sql`article.*, ${sortable(sortedBy(sort))} as at`,
  };
  return sql`(${walk(walked, shape, value, direction, MOST_SEEN, pieces)} limit ${MOST_SEEN}) as article`;
}

/** The rows that are walked for a list, before the other filters choose among them. */
export function walkedRows(
  shape: ListShape,
  value: FilterValue,
  direction: Direction,
  reach: RawBuilder<unknown>,
  pieces: readonly RawBuilder<unknown>[],
): RawBuilder<unknown> {
  const key = sortedBy(shape.sort);
  const walked = { rows: rowsOf(shape.lead, value, key), columns: sql`id, ${sortable(key)} as at` };
  return walk(walked, shape, value, direction, reach, pieces);
}

/** Rows with `is_published` and the time of the order, and the columns selected. */
interface Walked {
  rows: RawBuilder<unknown>;
  columns: RawBuilder<unknown>;
}

function walk(
  { rows, columns }: Walked,
  { status, ranges }: ListShape,
  value: FilterValue,
  direction: Direction,
  reach: RawBuilder<unknown>,
  pieces: readonly RawBuilder<unknown>[],
): RawBuilder<unknown> {
  // PostgreSQL merges parts that are in order; one condition for all of them it would have to sort. And it
  // plans a part for few rows only if that part itself has a limit.
  const parts = statesOf(status).flatMap((state) =>
    pieces.map(
      (piece) => sql`
        select ${columns} from (${rows}) as article
        where ${state} and ${piece} and ${allMatch(ranges, value)} order by ${orderBy(direction)}`,
    ),
  );
  const [only = sql``, ...more] = parts;
  if (more.length === 0) return only;
  const merged = sql.join(
    parts.map((part) => sql`(${part} limit ${reach})`),
    sql` union all `,
  );
  return sql`select * from (${merged}) as listed order by ${orderBy(direction)}`;
}

function wholeRows(
  { status, sort, lead, others }: ListShape,
  value: FilterValue,
  direction: Direction,
  pieces: readonly RawBuilder<unknown>[],
): RawBuilder<unknown> {
  return sql`
    select article.id, ${sortable(sortedBy(sort), sql.ref(`article.${sortedBy(sort)}`))} as at
    from (${someRows(lead, status, value)}) as led
    join content.article as article on article.id = led.id
    where ${allMatch(others, value)} and (${sql.join(pieces, sql` or `)}) order by ${orderBy(direction)}`;
}

/** Counts the articles of a list (`total`), and the rows that were examined for it (`seen`). */
export function countedRows(shape: ListShape, value: FilterValue): RawBuilder<unknown> {
  const direction = directionOf(shape.sort);
  if (shape.isWhole) {
    return sql`select count(*) as total, 0 as seen from (${listRows(shape, value, direction, MOST_SEEN)}) as listed`;
  }
  if (shape.others === '') {
    const rows = walkedRows(shape, value, direction, MOST_SEEN, [sql`true`]);
    return sql`select count(*) as total, count(*) as seen from (${rows} limit ${MOST_SEEN}) as listed`;
  }
  return sql`
    select count(*) filter (where ${allMatch(shape.others, value)}) as total, count(*) as seen
    from ${seenArticles(shape, value, direction, [sql`true`])}`;
}

/** A SELECT of the `id` of articles of a filter, in any order, one more than are counted at most. */
export function someRows(lead: FilterName | '', status: ArticleStatus, value: FilterValue) {
  const rows = rowsOf(lead, value, 'published_at');
  const parts = statesOf(status).map((state) => sql`select id from (${rows}) as article where ${state}`);
  return sql`${sql.join(parts, sql` union all `)} limit ${MOST_SEEN}`;
}

function statesOf(status: ArticleStatus): RawBuilder<unknown>[] {
  if (status === 'published') return [sql`is_published`];
  if (status === 'draft') return [sql`not is_published`];
  return [sql`is_published`, sql`not is_published`];
}

function rowsOf(lead: FilterName | '', value: FilterValue, key: SortKey) {
  const match = lead === '' ? sql`true` : filterOf(lead).matches(value(lead));
  const rows = lead === '' ? undefined : filterOf(lead).rows?.(value(lead));
  return rows ?? sql`select id, is_published, ${sql.ref(key)} from content.article as article where ${match}`;
}

function allMatch(filters: string, value: FilterValue): RawBuilder<unknown> {
  if (filters === '') return sql`true`;
  const names = filters.split(',') as FilterName[];
  return sql.join(
    names.map((name) => filterOf(name).matches(value(name))),
    sql` and `,
  );
}

function orderBy(direction: Direction): RawBuilder<unknown> {
  return direction === 'desc' ? sql`at desc, id desc` : sql`at asc, id asc`;
}

/** The columns that are read: those of a list item, all but the content, or all. */
export type Columns = 'listed' | 'all' | 'content';

const LISTED: readonly ListedMember[] = NESTED_MEMBERS;

export function columnsOf(members: readonly ListedMember[]): Columns {
  if (members.includes('content')) return 'content';
  return members.every((member) => LISTED.includes(member)) ? 'listed' : 'all';
}

/** A SELECT of articles with their categories. */
export function selectItems(db: Kysely<ContentTables>, columns: Columns) {
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
      SHOWN_AUTHOR,
      'article.published_at',
      'category.id as categoryId',
      'category.name as categoryName',
      'category.slug as categorySlug',
    ])
    .$if(columns !== 'listed', (query) =>
      query.select([
        ...DETAIL_MEMBERS.map((name) => `article.${name}` as const),
        'article.is_published',
        'article.created_at',
        'article.updated_at',
      ]),
    )
    .$if(columns === 'content', (query) => query.select('article.content'));
}

export type ListRow = Awaited<ReturnType<ReturnType<typeof selectItems>['executeTakeFirstOrThrow']>>;

/** The members of an article of a list, in the order of the names. */
export function membersOf<Member extends ListedMember>(row: ListRow, names: readonly Member[]) {
  const named: Record<string, unknown> = {};
  // This is done for every row of every page: one object a row, and no copies.
  for (const name of names as readonly ListedMember[]) {
    const value =
      name === 'category' ? categoryOf(row.categoryId, row.categoryName, row.categorySlug) : row[name];
    named[name] = value instanceof Date ? value.toISOString() : value;
  }
  return named as ListedArticle<Member>;
}
