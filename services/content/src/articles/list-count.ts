import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Total } from '../envelope.ts';
import type { ContentTables } from '../tables.ts';
import { type FilterName, type FilterValues, filterOf } from './filters.ts';
import { compilable, ListQuery, type ListValues } from './list-query.ts';
import { countedRows, type FilterValue, type ListShape, MOST_COUNTED, someRows } from './list-rows.ts';
import type { ArticleStatus } from './schema.ts';

/** How many articles a list has, and how many rows were looked at if it is not stored. */
interface CountRow {
  total: number | string;
  seen: number | string;
}

/** A day, and how many rows of the list are newer. */
export interface DayRow {
  day: string;
  before: number | string;
}

/** Whether the database keeps the counts of a list: of all articles, and of one counted filter. */
export function isStored({ lead, others, ranges, isWhole }: ListShape): boolean {
  if (others !== '' || ranges !== '' || isWhole) return false;
  return lead === '' || filterOf(lead).counted !== undefined;
}

/** How many articles a list has: the stored count, or counted as far as {@link MOST_COUNTED}. */
export async function countList(
  db: Kysely<ContentTables>,
  shape: ListShape,
  values: Partial<ListValues>,
): Promise<Total> {
  const [row] = await COUNTS.execute(db, shape, values);
  return { total: Number(row?.total ?? 0), isExact: Number(row?.seen ?? 0) <= MOST_COUNTED };
}

/** How many articles a filter has alone: the stored count, or counted one further than the limit. */
export async function countFilter(
  db: Kysely<ContentTables>,
  status: ArticleStatus,
  name: FilterName,
  filters: FilterValues,
): Promise<number> {
  const shape = { status, sort: 'newest', lead: name, others: '', ranges: '', isWhole: false } as const;
  const [row] = await (isStored(shape) ? COUNTS : SOME).execute(db, shape, filters);
  return Number(row?.total ?? 0);
}

const SOME = new ListQuery<ListShape, CountRow>((db, { lead, status }, value) =>
  compilable(db, sql`select count(*) as total, 0 as seen from (${someRows(lead, status, value)}) as led`),
);

const COUNTS = new ListQuery<ListShape, CountRow>((db, shape, value) => {
  if (!isStored(shape)) return compilable(db, countedRows(shape, value));
  return compilable(db, sql`select ${storedTotal(shape, value)} as total, 0 as seen`);
});

/** How many articles a list has whose count is stored. */
export function storedTotal(shape: ListShape, value: FilterValue): RawBuilder<number> {
  return sql`(select coalesce(sum(articles), 0)::bigint from content.list_count
    where ${stored(shape, value)} and period = 'all')`;
}

/**
 * Finds the day that contains the row at an offset. Newer rows come first, so it is the oldest month, and in
 * it the oldest day, that has no more rows before it than the offset.
 */
export const DAYS = new ListQuery<ListShape, DayRow>((db, shape, value) =>
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

/** The counts of all articles. */
const WHOLE_SITE = { kind: 'all', id: () => sql.lit(0) };
