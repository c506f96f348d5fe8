import { hasPieces } from '@pressroom/common/search/search';
import { type RawBuilder, sql } from 'kysely';
import type { ItemsQuery } from './schema.ts';

/** What a query restricts besides its words. */
type Filters = Pick<ItemsQuery, 'mode' | 'category' | 'direction'> & { language?: string | undefined };

/** Whether terms name fewer items than the whole window, so that {@link recentWithTerms} pays. */
export function hasTerms({ category, direction }: Filters, words: readonly string[]): boolean {
  return category !== undefined || direction !== undefined || words.some(hasPieces);
}

/**
 * The terms of all items that have what the query restricts and every piece of its words
 * (`migrations/0009_news_items.sql`), as `text[]`.
 */
export function termsOf(
  { mode, category, direction, language }: Filters,
  words: readonly string[],
): RawBuilder<string[]> {
  const given = [
    ...(mode === 'selected' ? [' selected'] : []),
    ...(category === undefined ? [] : [` category ${category}`]),
    ...(direction === undefined ? [] : [` direction ${direction}`]),
    ...(language === undefined ? [] : [` language ${language}`]),
  ];
  const pieces = words.map((word) => sql` || news.text_pieces(news.fold(${word}))`);
  return sql`(${given}::text[]${sql.join(pieces, sql``)})`;
}

/**
 * The ids of the recent items with these terms: at least those that the query finds. Read them as an array,
 * and so first: PostgreSQL takes any word for one that many items have, as the archive is in the same table,
 * and would rather look through the whole window.
 */
export function recentWithTerms(filters: Filters, words: readonly string[]): RawBuilder<string> {
  return sql`select item_id from news.item_terms where terms @> ${termsOf(filters, words)}`;
}
