import { PreparedQuery } from '@pressroom/common/database/prepared-query';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { NewsTables } from '../tables.ts';
import type { ItemsQuery } from './schema.ts';

/** What a query restricts besides its words. */
type Filters = Pick<ItemsQuery, 'mode' | 'category' | 'direction'>;

/** The most items that are forgotten at once. */
const FORGOTTEN = 10_000;

/** A word with a piece by which it can be found: three letters, or two characters of which one is Chinese. */
const FINDABLE = /...|.[\u{2e80}-\u{10ffff}]|[\u{2e80}-\u{10ffff}]./u;

/** Whether terms name fewer items than the whole window, so that {@link recentWithTerms} pays. */
export function hasTerms({ category, direction }: Filters, words: readonly string[]): boolean {
  return category !== undefined || direction !== undefined || words.some((word) => FINDABLE.test(word));
}

/**
 * The ids of the recent items that have the query's category, direction and selection and every piece of its
 * words (`migrations/0071_news_recent_items.sql`): at least those that it finds.
 */
export function recentWithTerms(
  { mode, category, direction }: Filters,
  words: readonly string[],
): RawBuilder<string> {
  const given = [
    ...(mode === 'selected' ? [' selected'] : []),
    ...(category === undefined ? [] : [` category ${category}`]),
    ...(direction === undefined ? [] : [` direction ${direction}`]),
  ];
  const pieces = words.map((word) => sql` || news.text_pieces(news.fold(${word}))`);
  return sql`select item_id from news.recent_item where terms @> (${given}::text[]${sql.join(pieces, sql``)})`;
}

const FORGET = new PreparedQuery<NewsTables, Record<string, never>, unknown>((db) => ({
  compile: () =>
    sql`
      delete from news.recent_item where item_id in (
        select item_id from news.recent_item where latest_at < news.recent_since()
        order by latest_at limit ${sql.lit(FORGOTTEN)} for update skip locked
      )`.compile(db),
}));

/** Removes items that have left every window. Time alone brings none of them back. */
export async function forgetLeftItems(db: Kysely<NewsTables>): Promise<void> {
  await FORGET.execute(db, {});
}
