import { sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { Source } from '../sources/source-store.ts';
import type { WrittenMembers } from './item-members.ts';
import { isOnSiteOf } from './own-site.ts';

/** An article that a source lists, and the item that it is already. */
export interface ListedArticle {
  itemId: string;
  url: string;
}

/**
 * Takes the items of articles on a source's own site from the entries of other sites' sources that brought
 * them first, so that no third party can speak for a site by being quicker. Returns what those had written,
 * by the item's id. Items that no entry made stay as they are: a person has imported them.
 */
export async function takeFromThirdParties(
  tx: Transaction<NewsTables>,
  source: Source,
  articles: readonly ListedArticle[],
): Promise<Map<string, Partial<WrittenMembers>>> {
  const own = new Map(
    articles.filter(({ url }) => isOnSiteOf(source, url)).map(({ itemId, url }) => [itemId, url]),
  );
  if (own.size === 0) return new Map();
  const rows = await tx
    .selectFrom('news.source_entry as entry')
    .innerJoin('news.source as source', 'source.id', 'entry.source_id')
    .select(['entry.source_id', 'entry.key', 'entry.item_id'])
    // A removed source has given its addresses away, and still is on its site.
    .select(sql<string>`coalesce(source.removed ->> 'url', source.url)`.as('url'))
    .select(sql<string>`coalesce(source.removed ->> 'given_url', source.given_url)`.as('given_url'))
    .select(sql<Partial<WrittenMembers> | null>`entry.written`.as('written'))
    .where('entry.item_id', '=', sql<string>`any(${[...own.keys()]})`)
    .where('entry.owns_item', '=', true)
    .where('entry.source_id', '<>', source.id)
    .orderBy('entry.source_id')
    .orderBy('entry.key')
    .forUpdate('entry')
    .execute();
  const taken = new Map<string, Partial<WrittenMembers>>();
  for (const { source_id, key, item_id, written, ...thirdParty } of rows) {
    const url = item_id === null ? undefined : own.get(item_id);
    if (item_id === null || url === undefined || isOnSiteOf(thirdParty, url)) continue;
    await tx
      .updateTable('news.source_entry')
      .set({ owns_item: false })
      .where('source_id', '=', source_id)
      .where('key', '=', key)
      .execute();
    taken.set(item_id, written ?? {});
  }
  return taken;
}
