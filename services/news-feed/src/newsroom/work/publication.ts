import { sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { canonicalUrl } from '../editing/canonical-url.ts';
import type { ItemInput } from '../editing/item-input.ts';
import type { ItemValues } from '../editing/item-values.ts';
import { articleSpellings } from './article-spellings.ts';

/** Where and when an article was published, as the worker last wrote it to its item. */
export interface Publication {
  link: string;
  /** ISO 8601. */
  publishedAt: string;
}

/** An item's own values of it. */
export type PublishedItem = Pick<
  ItemValues,
  'original_url' | 'canonical_url' | 'published_at' | 'discovered_at'
>;

/** How long before its discovery an article was published that is back-filled, in ms: `item.timeline_at`. */
const BACK_FILLED_MS = 72 * 60 * 60 * 1000;

/** The canonical URL without the part of the page that an item may be; `#!` names a page. */
export function pageOf(canonicalUrl: string): string {
  return canonicalUrl.replace(/#(?!!).*$/s, '');
}

/** Whether an item has another link than the worker wrote: an editor has imported it. */
export function hasOtherLink({ canonical_url }: PublishedItem, { link }: Partial<Publication>): boolean {
  return link !== undefined && canonicalUrl(link) !== pageOf(canonical_url);
}

/** Likewise of the date. */
export function hasOtherDate(
  { published_at }: PublishedItem,
  { publishedAt }: Partial<Publication>,
): boolean {
  return publishedAt !== undefined && publishedAt !== published_at.toISOString();
}

/**
 * Whether an item takes another date from its source. None after the discovery, because the article was
 * there by then: it is that of an edit. And none that would move the item in the timeline, out of the sight
 * of readers or to the top.
 */
export function takesDate({ published_at, discovered_at }: PublishedItem, latest: Date): boolean {
  const isBackFilled = (date: Date) => discovered_at.getTime() - date.getTime() > BACK_FILLED_MS;
  return latest <= discovered_at && !isBackFilled(published_at) && !isBackFilled(latest);
}

/** Whether an item takes another address from its source: not that of another item. */
export async function takesLink(
  tx: Transaction<NewsTables>,
  itemId: string,
  { links }: Pick<ItemInput, 'links'>,
): Promise<boolean> {
  const holder = await tx
    .selectFrom('news.item')
    .select('id')
    .where('canonical_url', '=', sql<string>`any(${articleSpellings(links.original)})`)
    .where('id', '<>', itemId)
    .executeTakeFirst();
  return holder === undefined;
}
