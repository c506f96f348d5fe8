import { type RawBuilder, sql } from 'kysely';
import { type FilterName, filterOf } from './filters.ts';
import type { ArticleStatus } from './schema.ts';

/** How far a list without a stored count is counted; filters combine among the first so many and one. */
export const MOST_COUNTED = 10_000;

/** What the SQL of every query of a list depends on. */
export type ListShape = {
  status: ArticleStatus;
  /** The filter by whose index the list is read; empty for all articles. */
  lead: FilterName | '';
  /** The filters that choose among the rows of the lead, joined by commas. */
  others: string;
};

/** Makes the placeholder for the value of a filter. */
export type FilterValue = (name: FilterName) => RawBuilder<unknown>;

/** The order of a list, and its reverse. */
const ORDERS = {
  newest: sql`published_at desc, id desc`,
  oldest: sql`published_at asc, id asc`,
};

/**
 * A SELECT of `id` and `published_at` of the articles of a list, in order; of a list with several filters,
 * those among the first of the lead. `within` is a condition on these columns.
 */
export function listRows(
  shape: ListShape,
  value: FilterValue,
  first: keyof typeof ORDERS,
  within?: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const order = ORDERS[first];
  const rows = sql`select id, published_at from (${rowsOfLead(shape, value, within)}) as listed order by ${order}`;
  if (shape.others === '') return rows;
  return sql`
    select listed.id, listed.published_at from (${rows} limit ${sql.lit(MOST_COUNTED + 1)}) as listed
    join content.article as article on article.id = listed.id
    where ${othersMatch(shape, value)} order by ${order}`;
}

/** Counts the articles of a list (`total`), and the rows that were looked at for it (`seen`). */
export function countedRows(shape: ListShape, value: FilterValue): RawBuilder<unknown> {
  const alone = { ...shape, others: '' };
  const rows = sql`${listRows(alone, value, 'newest')} limit ${sql.lit(MOST_COUNTED + 1)}`;
  if (shape.others === '') return sql`select count(*) as total, count(*) as seen from (${rows}) as listed`;
  return sql`
    select count(*) filter (where ${othersMatch(shape, value)}) as total, count(*) as seen
    from (${rows}) as listed join content.article as article on article.id = listed.id`;
}

function rowsOfLead(
  { status, lead }: ListShape,
  value: FilterValue,
  within = sql<unknown>`true`,
): RawBuilder<unknown> {
  const rows = lead === '' ? articlesThat(sql`true`) : rowsOf(lead, value);
  const inState = (state: RawBuilder<unknown>) =>
    sql`select id, published_at from (${rows}) as article where ${state} and ${within}`;
  if (status === 'published') return inState(sql`is_published`);
  if (status === 'draft') return inState(sql`not is_published`);
  // PostgreSQL merges the two in order, which it would have to sort by one condition.
  return sql`${inState(sql`is_published`)} union all ${inState(sql`not is_published`)}`;
}

function rowsOf(lead: FilterName, value: FilterValue): RawBuilder<unknown> {
  const { rows, matches } = filterOf(lead);
  return rows?.(value(lead)) ?? articlesThat(matches(value(lead)));
}

function articlesThat(match: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select id, is_published, published_at from content.article as article where ${match}`;
}

function othersMatch({ others }: ListShape, value: FilterValue): RawBuilder<unknown> {
  const names = others.split(',') as FilterName[];
  return sql.join(
    names.map((name) => filterOf(name).matches(value(name))),
    sql` and `,
  );
}
