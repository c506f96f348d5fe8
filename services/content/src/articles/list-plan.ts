import type { Kysely } from 'kysely';
import type { ContentTables } from '../tables.ts';
import { type FilterName, type FilterValues, filterOf, filtersOf } from './filters.ts';
import { countFilter } from './list-count.ts';
import { type ListShape, MOST_COUNTED, timeOf } from './list-rows.ts';
import type { ArticleSort, ArticleStatus } from './schema.ts';

/** Which articles a list has, and in which order. */
export interface ArticleScope {
  status: ArticleStatus;
  sort: ArticleSort;
  filters: FilterValues;
}

/**
 * Decides how a list is read, so that its cost is bounded. Times that are ranges of the order are bounds of
 * the walk along an index. Of the other filters the one with the fewest articles leads: its index is walked
 * if it has the order; if not, all its articles are read and sorted. The others choose among what is read.
 * Where even the fewest are too many for that, the list is walked in its order, and may end before all are
 * found.
 */
export async function planList(
  db: Kysely<ContentTables>,
  { status, sort, filters }: ArticleScope,
): Promise<ListShape> {
  const names = filtersOf(filters);
  const ranges = names.filter((name) => filterOf(name).rangeOf === timeOf(sort));
  const rest = names.filter((name) => !ranges.includes(name));
  const isOrdered = (name: FilterName) => filterOf(name).orderedBy?.includes(timeOf(sort)) === true;
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
