import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Page, Total } from '../envelope.ts';
import type { ContentTables } from '../tables.ts';
import type { FilterValues } from './filters.ts';
import { countList, DAYS, isStored, storedTotal } from './list-count.ts';
import { readCursor, writeCursor } from './list-cursor.ts';
import { type ArticleScope, planList } from './list-plan.ts';
import { compilable, ListQuery } from './list-query.ts';
import {
  type Direction,
  directionOf,
  type FilterValue,
  type ListShape,
  listRows,
  MOST_COUNTED,
  MOST_SEEN,
  timeOf,
  walkedRows,
} from './list-rows.ts';
import { type Columns, columnsOf, type ListRow, membersOf, selectItems } from './listed-members.ts';
import { isNear, type PageWindow, pageWindow } from './page-window.ts';
import { type ListedArticle, type ListedMember, MOST_PER_PAGE } from './schema.ts';

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
  /** Of the page before; empty for the first. */
  cursor: string;
  perPage: number;
}

/** Where a page is read from in a list. */
interface Place {
  direction: Direction;
  offset: number;
  limit: number;
  /** The day by which the rows are found. */
  day?: string;
}

/** How much content a page has, in bytes, unless its first article alone has more. */
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
    if (isStored(shape) && shape.sort !== 'updated' && isNear(page)) {
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
    const within = WITHIN.find((rows) => offset + limit <= rows) ?? '';
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
      ...(position && { afterTime: position.at, afterId: position.id }),
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
    const end = found ? { at: last[timeOf(scope.sort)] ?? null, id: last.id } : seen;
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
const WITHIN = [MOST_PER_PAGE, 1000] as const;

/** One row more than a page of a walk can have, in the text as those of {@link WITHIN} are. */
const MOST_WALKED = sql.lit(MOST_PER_PAGE + 1);

/** Everything that the SQL of a page depends on. */
type PageShape = ListShape & {
  direction: Direction;
  /** The rows of the list that the page is among, empty for any. */
  within: (typeof WITHIN)[number] | '';
  isByDay: boolean;
  /** Whether each row has the total. */
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
      .orderBy(`article.${timeOf(shape.sort)}`, directionOf(shape.sort))
      .orderBy('article.id', directionOf(shape.sort));
  },
);

/** Everything that the SQL of a walk depends on. */
type WalkShape = ListShape & { after: '' | 'time' | 'draft'; columns: Columns };

/** A row of a walk: `found` articles were found for its page, of which some may have too much content. */
type WalkRow = ListRow & { found: number };

const WALK = new ListQuery<WalkShape, WalkRow>((db, { after, columns, ...shape }, value) => {
  const direction = directionOf(shape.sort);
  const limit = sql`${value('limit')}::bigint`;
  const rows = listRows(shape, value, direction, limit, piecesAfter(shape, after, value));
  const order = sql`order by ${sql.ref(`article.${timeOf(shape.sort)}`)} ${sql.raw(direction)},
    article.id ${sql.raw(direction)}`;
  const items = selectItems(db, columns)
    .$if(columns === 'listed' && shape.sort === 'updated', (query) => query.select('article.updated_at'))
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
const END = new ListQuery<WalkShape, { at: Date | null; id: number }>((db, { after, ...shape }, value) => {
  const pieces = piecesAfter(shape, after, value);
  const rows = walkedRows(shape, value, directionOf(shape.sort), MOST_SEEN, pieces);
  return compilable(db, sql`${rows} offset ${sql.lit(MOST_COUNTED)} limit 1`);
});

/** The rows of a page of a walk, and the last row that was examined for it, if there may be more. */
async function readWalk(db: Database, shape: WalkShape, values: FilterValues) {
  if (shape.others === '' || shape.isWhole)
    return { rows: await WALK.execute(db, shape, values), seen: undefined };
  // Of one snapshot: a row between the two would never be looked at.
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return snapshot.execute(async (tx) => {
    const rows = await WALK.execute(tx, shape, values);
    const [seen] = await END.execute(tx, { ...shape, columns: 'listed' }, values);
    return { rows, seen };
  });
}

/** What comes after the position of a cursor, in pieces that an index has in order. */
function piecesAfter(
  { sort }: ListShape,
  after: WalkShape['after'],
  value: FilterValue & ((name: 'afterTime' | 'afterId') => RawBuilder<unknown>),
): RawBuilder<unknown>[] {
  const [time, id] = [sql.ref(timeOf(sort)), value('afterId')];
  const beyond = sql.raw(sort === 'oldest' ? '>' : '<');
  if (after === '') return [sql`true`];
  if (after === 'time') {
    const later = sql`(${time}, article.id) ${beyond} (${value('afterTime')}, ${id})`;
    return sort === 'oldest' ? [later, sql`${time} is null`] : [later];
  }
  // Drafts that were never published are the newest.
  const draft = sql`${time} is null and article.id ${beyond} ${id}`;
  return sort === 'oldest' ? [draft] : [draft, sql`${time} is not null`];
}

/** Where the rows of a page are; undefined past the end. */
async function placeOf(
  db: Database,
  shape: ListShape,
  filters: FilterValues,
  page: Page,
  total: Total,
): Promise<Place | undefined> {
  if (!isStored(shape) || shape.sort === 'updated') return countedPlace(shape, page, total);
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
