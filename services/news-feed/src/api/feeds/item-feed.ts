import type { Feed, FeedEntry } from '@pressroom/common/feeds/feed';
import type { Vocabulary } from '../../vocabulary.ts';
import { wordsIn } from '../../words.ts';
import type { ItemsQuery } from '../items/schema.ts';
import type { ListedItem } from '../items/select-page.ts';
import type { Site } from '../site.ts';

/** How many items a feed has. */
export const FEED_ITEMS = 50;

/** What a feed of items is restricted to. */
export type ItemFeedQuery = Pick<ItemsQuery, 'mode' | 'category' | 'direction'>;

/** The members of a feed that its items determine. */
export function itemFeed(
  items: readonly ListedItem[],
  query: ItemFeedQuery,
  site: Site,
  { labels }: Vocabulary,
): Pick<Feed, 'title' | 'description' | 'entries'> {
  const { mode, category, direction } = query;
  const parts = [labels.category.get(category ?? ''), labels.direction.get(direction ?? '')];
  const entries = items.map((row) => entryOf(row, site));
  return {
    title: [site.attribution.name, ...parts.filter((part) => part !== undefined)].join(': '),
    description: wordsIn(site.language)[mode],
    entries,
  };
}

function entryOf(row: ListedItem, site: Site): FeedEntry {
  return {
    id: site.item(row.id),
    title: row.title,
    url: row.original_url,
    summary: row.summary,
    html: null,
    published: row.published_at,
    updated: row.discovered_at,
    authors: [{ name: row.source_name }],
    ...(row.image !== null && { image: row.image }),
    // A title that was translated is in the language of the feed.
    ...(row.language !== null && row.original_title === null && { language: row.language }),
    categories: [...(row.category === null ? [] : [row.category]), ...row.directions],
  };
}
