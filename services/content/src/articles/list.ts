import { hash } from 'node:crypto';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Page, Total } from '../envelope.ts';
import type { ContentTables } from '../tables.ts';
import { type FilterName, type FilterValues, filterOf, filtersOf } from './filters.ts';
import {
  type Columns,
  columnsOf,
  compilable,
  countedRows,
  type Direction,
  directionOf,
  type FilterValue,
  ListQuery,
  type ListRow,
  type ListShape,
  type ListValues,
  listRows,
  MOST_COUNTED,
  MOST_SEEN,
  membersOf,
  selectItems,
  someRows,
  sortable,
  sortedBy,
  walkedRows,
} from './list-rows.ts';
import {
  type ArticleSort,
  type ArticleStatus,
  type ListedArticle,
  type ListedMember,
  MOST_PER_PAGE,
} from './schema.ts';

type Database = Kysely<ContentTables>;

/** A page of a list, and how many articles the list has. */
export interface ListPage<Member extends ListedMember = ListedMember> {
  articles: ListedArticle<Member>[];
  total: Total;
}

/** A page of a walk through a list. */
export interface WalkedPage<Member extends ListedMember = ListedMember> extends ListPage<Member> {
  page: number;
  /** Leads to the next page; null at the end. */
  next: string | null;
}

/** The request for a page of a walk. */
export interface Walk {
  /** Cursor of the page before; empty for the first. */
  cursor: string;
  perPage: number;
}

interface Place {
  direction: Direction;
  offset: number;
  limit: number;
  /** The day that finds the rows. */
  day?: string;
}

/** Most content in a page, in bytes, unless its first article alone has more. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Lists articles with the members that are named. */
export class ArticleList<Member extends ListedMember> {
  readonly #members: readonly Member[];
  readonly #columns: Columns;

  constructor(members: readonly Member[]) {
    this.#members = members;
    this.#columns = columnsOf(members);
  }

  /**
   * A page of the articles of `scope`, and how many there are in total.
   *
   * The database maintains the total of all articles, and that of one counted filter. The rows of these lists
   * are reached from the nearer end, or, in the middle, by their day, which is found by adding up the counts
   * of the months, and then those of the days of one month. Other lists are counted up to a limit, which is
   * also how far their pages reach.
   *
   * @throws Failure `refused` for a page beyond that limit
   */
  async page(db: Database, scope: ArticleScope, page: Page): Promise<ListPage<Member>> {
    const shape = await planList(db, scope);
    if (isStored(shape) && sortedBy(shape.sort) === 'published_at' && isNear(page)) {
      // Most pages are read with their total in one statement.
      const place = {
        direction: directionOf(shape.sort),
        offset: (page.page - 1) * page.perPage,
        limit: page.perPage,
      };
      const rows = await this.#rows(db, shape, scope, place, true);
      const total = Number(rows[0]?.total ?? 0);
      if (rows.length > 0) return { articles: this.#shown(rows), total: { total, isExact: true } };
    }
    const total = await countList(db, shape, scope.filters);
    const place = await placeOf(db, shape, scope.filters, page, total);
    if (place === undefined) return { articles: [], total };
    return { articles: this.#shown(await this.#rows(db, shape, scope, place)), total };
  }

  #rows(db: Database, shape: ListShape, { filters }: ArticleScope, place: Place, counted = false) {
    const { direction, offset, limit, day } = place;
    const within = PAGE_DEPTHS.find((rows) => offset + limit <= rows) ?? '';
    const reading = {
      direction,
      within,
      isByDay: day !== undefined,
      counted,
      columns: this.#columns,
    } as const;
    return PAGE.execute(db, { ...shape, ...reading }, { ...filters, offset, limit, day });
  }

  #shown(rows: readonly ListRow[]): ListedArticle<Member>[] {
    return rows.map((row) => membersOf(row, this.#members));
  }

  /**
   * A page of a walk through the articles of `scope`, which reaches every article that has been in the list
   * since the walk began. A page may have fewer articles than were asked for before the end: because of their
   * content, or because few of those that were looked at pass the filters.
   *
   * @throws Failure `refused` with code `invalid_cursor`
   */
  async walk(db: Database, scope: ArticleScope, { cursor, perPage }: Walk): Promise<WalkedPage<Member>> {
    const position = readCursor(scope, cursor);
    const shape = await planList(db, scope);
    const after = position === undefined ? '' : position.at === null ? 'draft' : 'time';
    const values = {
      ...scope.filters,
      ...(position && { afterKey: position.at, afterId: position.id }),
      limit: perPage + 1,
      bytes: this.#columns === 'content' ? MOST_BYTES : Number.MAX_SAFE_INTEGER,
    };
    const query = { ...shape, after, columns: this.#columns } as const;
    const [{ rows, seen }, total] = await Promise.all([
      readWalk(db, query, values),
      countList(db, shape, scope.filters),
    ]);
    const shown = rows.slice(0, perPage);
    const [last] = shown.slice(-1);
    const page = position?.page ?? 1;
    const found = last !== undefined && last.found > shown.length;
    const end = found ? { at: last[sortedBy(scope.sort)] ?? null, id: last.id } : seen;
    const next = end === undefined ? null : writeCursor(scope, { ...end, page: page + 1 });
    return { articles: this.#shown(shown), total, page, next };
  }
}

/**
 * Numbers of rows near the end of a list from which it is read. PostgreSQL takes a LIMIT that is a parameter
 * for a tenth of all rows: a plan for any value looks so dear to it that it plans each page anew, which takes
 * four times as long as the page. A number in the text, and an array of ids, which it takes for ten, let it
 * keep one.
 */
const PAGE_DEPTHS = [MOST_PER_PAGE, 1000] as const;

/** One row more than a page of a walk can have, in the text as those of {@link PAGE_DEPTHS} are. */
const MOST_WALKED = sql.lit(MOST_PER_PAGE + 1);

/** Everything that the SQL of a page depends on. */
type PageShape = ListShape & {
  direction: Direction;
  /** The rows of the list that the page is among, empty for any. */
  within: (typeof PAGE_DEPTHS)[number] | '';
  isByDay: boolean;
  counted: boolean;
  columns: Columns;
};

/** Finds the ids from the index alone, so that only the rows of the page are read. */
const PAGE = new ListQuery<PageShape, ListRow & { total?: number }>(
  (db, { direction, within, isByDay, counted, columns, ...shape }, value) => {
    const before = sql`published_at < (${value('day')}::date + 1)::timestamp at time zone 'UTC'`;
    const reach = sql`${value('offset')}::bigint + ${value('limit')}::bigint`;
    const rows = listRows(shape, value, direction, reach, isByDay ? [before] : undefined);
    const near = within === '' ? rows : sql`select id, at from (${rows} limit ${sql.lit(within)}) as near`;
    const ids = sql<number[]>`array(
    select id from (${near} offset ${value('offset')}::bigint limit ${value('limit')}::bigint) as page)`;
    return selectItems(db, columns)
      .$if(counted, (query) => query.select(storedTotal(shape, value).as('total')))
      .where(sql<boolean>`article.id = any(${ids})`)
      .orderBy(orderOf(shape), directionOf(shape.sort))
      .orderBy('article.id', directionOf(shape.sort));
  },
);

/** Everything that the SQL of a walk depends on. */
type WalkShape = ListShape & { after: '' | 'time' | 'draft'; columns: Columns };

/** A row of a walk: `found` articles were found for its page, and some may have too much content. */
type WalkRow = ListRow & { found: number; series_position?: number | null };

const WALK = new ListQuery<WalkShape, WalkRow>((db, { after, columns, ...shape }, value) => {
  const direction = directionOf(shape.sort);
  const limit = sql`${value('limit')}::bigint`;
  const rows = listRows(shape, value, direction, limit, piecesAfter(shape, after, value));
  const order = sql`order by ${orderOf(shape)} ${sql.raw(direction)},
    article.id ${sql.raw(direction)}`;
  const items = selectItems(db, columns)
    .$if(columns === 'listed' && sortedBy(shape.sort) === 'updated_at', (query) =>
      query.select('article.updated_at'),
    )
    .$if(sortedBy(shape.sort) === 'series_position', (query) => query.select('article.series_position'))
    .select([
      sql<number>`(count(*) over ())::integer`.as('found'),
      sql<number>`coalesce(sum(octet_length(article.content)) over (${order}
        rows between unbounded preceding and 1 preceding), 0)
        + octet_length(article.content)`.as('bytes'),
      sql<number>`row_number() over (${order})`.as('place'),
    ])
    .where(sql<boolean>`article.id = any(array(
      select id from (select id, at from (${rows} limit ${MOST_WALKED}) as near limit ${limit}) as page))`);
  return db
    .selectFrom(items.as('item'))
    .selectAll()
    .where(({ eb, or }) => or([eb('bytes', '<=', value('bytes')), eb('place', '=', 1)]))
    .orderBy('place');
});

/** The last of the rows that a walk examined, if there may be more. */
const END = new ListQuery<WalkShape, { at: Position['at']; id: number }>((db, { after, ...shape }, value) => {
  const pieces = piecesAfter(shape, after, value);
  const rows = walkedRows(shape, value, directionOf(shape.sort), MOST_SEEN, pieces);
  return compilable(db, sql`${rows} offset ${sql.lit(MOST_COUNTED)} limit 1`);
});

/** The rows of a page of a walk, and the last row that was examined for it, if there may be more. */
async function readWalk(db: Database, shape: WalkShape, values: FilterValues) {
  if (shape.others === '' || shape.isWhole)
    return { rows: await WALK.execute(db, shape, values), seen: undefined };
  // Both read one snapshot: a row between the two would never be examined.
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return snapshot.execute(async (tx) => {
    const rows = await WALK.execute(tx, shape, values);
    const [seen] = await END.execute(tx, { ...shape, columns: 'listed' }, values);
    return { rows, seen };
  });
}

function orderOf({ sort }: ListShape): RawBuilder<unknown> {
  const by = sortedBy(sort);
  return sortable(by, sql.ref(`article.${by}`));
}

/** Rows after the position of a cursor, in pieces that an index has in order. */
function piecesAfter(
  { sort }: ListShape,
  after: WalkShape['after'],
  value: FilterValue & ((name: 'afterKey' | 'afterId') => RawBuilder<unknown>),
): RawBuilder<unknown>[] {
  const [by, id] = [sortedBy(sort), value('afterId')];
  const time = sortable(by);
  const isAscending = directionOf(sort) === 'asc';
  const beyond = sql.raw(isAscending ? '>' : '<');
  if (after === '') return [sql`true`];
  if (after === 'time') {
    const later = sql`(${time}, article.id) ${beyond} (${sortable(by, value('afterKey'))}, ${id})`;
    return isAscending && by === 'published_at' ? [later, sql`${time} is null`] : [later];
  }
  // Drafts that were never published are the newest.
  const draft = sql`${time} is null and article.id ${beyond} ${id}`;
  return isAscending ? [draft] : [draft, sql`${time} is not null`];
}

/** Locates the rows of a page; undefined past the end. */
async function placeOf(
  db: Database,
  shape: ListShape,
  filters: FilterValues,
  page: Page,
  total: Total,
): Promise<Place | undefined> {
  if (!isStored(shape) || sortedBy(shape.sort) !== 'published_at') return countedPlace(shape, page, total);
  const window = pageWindow(page, total.total);
  if (window === undefined) return undefined;
  const isOldest = shape.sort === 'oldest';
  const direction = (window.from === 'oldest') === isOldest ? 'desc' : 'asc';
  if (window.from !== 'day') return { ...window, direction };
  const offset = isOldest ? total.total - window.offset - window.limit : window.offset;
  return placeByDay(db, shape, filters, { ...window, offset });
}

/** A page deep in the list is found by its day, the one that contains the row at its offset. */
async function placeByDay(
  db: Database,
  shape: ListShape,
  filters: FilterValues,
  { offset, limit }: PageWindow,
): Promise<Place> {
  const [found] = await DAYS.execute(db, shape, { ...filters, offset });
  // The list has become shorter since it was counted.
  if (found === undefined) return { direction: 'desc', offset, limit: 0 };
  const place = { direction: 'desc' as const, offset: offset - Number(found.before), limit };
  return found.day === 'infinity' ? place : { ...place, day: found.day };
}

/** The rows of a page of a list that was counted, all of which were examined for it. */
function countedPlace(
  { sort }: ListShape,
  { page, perPage }: Page,
  { total, isExact }: Total,
): Place | undefined {
  const offset = (page - 1) * perPage;
  const reach = Math.min(total, MOST_COUNTED + 1);
  const limit = Math.min(perPage, reach - offset);
  if (limit > 0) return { direction: directionOf(sort), offset, limit };
  if ((isExact && reach === total) || page === 1) return undefined;
  throw new Failure(
    'refused',
    `page: this list is too long to be read beyond the first ${reach} articles; use cursor`,
  );
}

export interface ArticleScope {
  status: ArticleStatus;
  sort: ArticleSort;
  filters: FilterValues;
}

/**
 * Decides how a list is read, so that its cost is bounded. Times that are ranges of the order bound the walk
 * along an index. Of the other filters, the one with the fewest articles leads: its index is walked if it has
 * the order; if not, all its articles are read and sorted, and the other filters choose among them. If even
 * the fewest are too many for that, the list is walked in its order, and may end before all are found.
 */
export async function planList(
  db: Kysely<ContentTables>,
  { status, sort, filters }: ArticleScope,
): Promise<ListShape> {
  const names = filtersOf(filters);
  const ranges = names.filter((name) => filterOf(name).rangeOf === sortedBy(sort));
  const rest = names.filter((name) => !ranges.includes(name));
  const isOrdered = (name: FilterName) => filterOf(name).orderedBy?.includes(sortedBy(sort)) === true;
  const led = (lead: FilterName | '', isWhole = false): ListShape => {
    const others = (isWhole ? names : rest).filter((name) => name !== lead).join();
    return { status, sort, lead, others, ranges: isWhole ? '' : ranges.join(), isWhole };
  };

  const [only = ''] = rest;
  if (only === '' || (rest.length === 1 && isOrdered(only))) return led(only);
  const counts = await Promise.all(
    rest.map(async (name) => ({ name, total: await countFilter(db, status, name, filters) })),
  );
  counts.sort((a, b) => a.total - b.total);
  const [fewest] = counts;
  if (fewest !== undefined && fewest.total <= MOST_COUNTED) return led(fewest.name, !isOrdered(fewest.name));
  return led(counts.find(({ name }) => isOrdered(name))?.name ?? '');
}

/** The length of a list, and the number of rows examined if it is not stored. */
interface CountRow {
  total: number | string;
  seen: number | string;
}

/** A day, and how many rows of the list are newer. */
interface DayRow {
  day: string;
  before: number | string;
}

/** True if the database keeps the counts of a list: of all articles, and of one counted filter. */
function isStored({ lead, others, ranges, isWhole }: ListShape): boolean {
  if (others !== '' || ranges !== '' || isWhole) return false;
  return lead === '' || filterOf(lead).counted !== undefined;
}

/** Returns the length of a list: the stored count, or counted as far as {@link MOST_COUNTED}. */
async function countList(
  db: Kysely<ContentTables>,
  shape: ListShape,
  values: Partial<ListValues>,
): Promise<Total> {
  const [row] = await COUNTS.execute(db, shape, values);
  return { total: Number(row?.total ?? 0), isExact: Number(row?.seen ?? 0) <= MOST_COUNTED };
}

/** Returns the number of articles of a filter alone: stored, or counted one further than the limit. */
export async function countFilter(
  db: Kysely<ContentTables>,
  status: ArticleStatus,
  name: FilterName,
  filters: FilterValues,
): Promise<number> {
  const shape = { status, sort: 'newest', lead: name, others: '', ranges: '', isWhole: false } as const;
  const [row] = await (isStored(shape) ? COUNTS : LIMITED_COUNT).execute(db, shape, filters);
  return Number(row?.total ?? 0);
}

const LIMITED_COUNT = new ListQuery<ListShape, CountRow>((db, { lead, status }, value) =>
  compilable(db, sql`select count(*) as total, 0 as seen from (${someRows(lead, status, value)}) as led`),
);

const COUNTS = new ListQuery<ListShape, CountRow>((db, shape, value) => {
  if (!isStored(shape)) return compilable(db, countedRows(shape, value));
  return compilable(db, sql`select ${storedTotal(shape, value)} as total, 0 as seen`);
});

/** The stored length of a list. */
function storedTotal(shape: ListShape, value: FilterValue): RawBuilder<number> {
  return sql`(select coalesce(sum(articles), 0)::bigint from content.list_count
    where ${stored(shape, value)} and period = 'all')`;
}

/**
 * Finds the day that contains the row at an offset. Newer rows come first, so it is the oldest month, and in
 * it the oldest day, that has no more rows before it than the offset.
 */
const DAYS = new ListQuery<ListShape, DayRow>((db, shape, value) =>
  compilable(
    db,
    sql`
      with month as (
        select since, before from (
          select since, sum(sum(articles)) over (order by since desc) - sum(articles) as before
          from content.list_count where ${stored(shape, value)} and period = 'month' group by since
        ) as months
        where before <= ${value('offset')} order by since limit 1
      )
      select day::text as day, before from (
        select list_count.since as day,
          month.before + sum(sum(articles)) over (order by list_count.since desc) - sum(articles) as before
        from content.list_count, month
        where ${stored(shape, value)} and period = 'day'
          and list_count.since between month.since and (month.since + interval '1 month' - interval '1 day')::date
        group by list_count.since, month.before
      ) as days
      where before <= ${value('offset')} order by days.day limit 1`,
  ),
);

/** The counts of a list in `content.list_count`. */
function stored({ status, lead }: ListShape, value: FilterValue): RawBuilder<unknown> {
  const { kind, id } = (lead === '' ? undefined : filterOf(lead).counted) ?? WHOLE_SITE;
  const of = lead === '' ? sql.lit(0) : value(lead);
  const list = sql`kind = ${sql.lit(kind)} and id = ${id(of)}`;
  return status === 'all' ? list : sql`${list} and is_published = ${sql.lit(status === 'published')}`;
}

const WHOLE_SITE = { kind: 'all', id: () => sql.lit(0) };

/** Start of a page of a walk: after this article, in the order of the list. */
interface Position {
  /** The time, title or place that sorts the list; null for a draft that was never published. */
  at: Date | string | number | null;
  id: number;
  /** The number of the page that begins here. */
  page: number;
}

/** Bytes of the list's digest in a cursor: enough to distinguish lists; a cursor grants no access. */
const DIGEST_LENGTH = 12;

/** The years 1 and 9999, in ms since 1970: articles have no other times, and PostgreSQL knows these. */
const [MIN_TIME, MAX_TIME] = [-62_135_596_800_000, 253_402_300_799_999];

/** Names a position in a list. Opaque: clients send it back unchanged. */
function writeCursor(scope: ArticleScope, { at, id, page }: Position): string {
  const parts = [digest(scope), at instanceof Date ? at.getTime() : at, id, page];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/**
 * Reads the cursor of a list; an empty one is its beginning, undefined.
 *
 * @throws Failure `refused` with code `invalid_cursor` if it is not a cursor, or belongs to another list
 */
function readCursor(scope: ArticleScope, cursor: string): Position | undefined {
  if (cursor === '') return undefined;
  const [made, at, id, page] = decode(cursor);
  const key = sortedBy(scope.sort);
  if (made !== digest(scope) || (key === 'title') !== (typeof at === 'string'))
    throw invalidCursor('the cursor belongs to another list');
  if (typeof at !== 'number') return { at, id, page };
  if (key !== 'series_position') return { at: new Date(at), id, page };
  if (!isNatural(at, 2 ** 31 - 1)) throw invalidCursor('the cursor is malformed');
  return { at, id, page };
}

type Parts = [digest: string, at: number | string | null, id: number, page: number];

function decode(cursor: string): Parts {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (isParts(value)) return value;
  } catch {
    // Not JSON: falls through to the error.
  }
  throw invalidCursor('the cursor is malformed');
}

function isParts(value: unknown): value is Parts {
  if (!Array.isArray(value) || value.length !== 4) return false;
  const [made, at, id, page] = value;
  const isTime = at === null || (Number.isInteger(at) && at >= MIN_TIME && at <= MAX_TIME);
  const isTitle = typeof at === 'string' && !at.includes('\0');
  return (
    typeof made === 'string' &&
    (isTime || isTitle) &&
    isNatural(id, 2 ** 31 - 1) &&
    isNatural(page, 2 ** 31 - 1)
  );
}

function isNatural(value: unknown, most: number): boolean {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) <= most;
}

function invalidCursor(why: string): Failure {
  return new Failure('refused', `${why}; start again with an empty cursor`, { code: 'invalid_cursor' });
}

function digest({ status, sort, filters }: ArticleScope): string {
  const text = JSON.stringify([status, sort, Object.entries(filters).sort()]);
  return hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH);
}

/** Rows that a list may skip from its nearer end; pages further in are found by day. */
const NEAR = 5000;

/** True if a page is read from the newest, however long the list is. */
function isNear({ page, perPage }: Page): boolean {
  return (page - 1) * perPage <= NEAR;
}

interface PageWindow {
  /** The end from which the rows are counted, or the day that finds them. */
  from: 'newest' | 'oldest' | 'day';
  /** Rows before the page, counted from that end (from the newest if found by day). */
  offset: number;
  /** The number of rows on the page. */
  limit: number;
}

/**
 * Chooses how to read a page of a list of `total` rows without reading everything before it. Undefined for a
 * page past the end.
 */
export function pageWindow({ page, perPage }: Page, total: number): PageWindow | undefined {
  const offset = (page - 1) * perPage;
  const limit = Math.min(perPage, total - offset);
  if (limit <= 0) return undefined;
  if (isNear({ page, perPage })) return { from: 'newest', offset, limit };
  const behind = total - offset - limit;
  if (behind <= NEAR) return { from: 'oldest', offset: behind, limit };
  return { from: 'day', offset, limit };
}
