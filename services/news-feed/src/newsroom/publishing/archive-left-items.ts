import { PreparedQuery } from '@pressroom/common/database/database';
import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';

/** The most items that are archived at once. */
const ARCHIVED = 2000;

const ARCHIVE = new PreparedQuery<NewsTables, Record<string, never>, unknown>((db) => ({
  compile: () =>
    sql`
      update news.item_terms as kept
      set archived = true, terms = news.archived_terms(item.published_at, item.source_name, kept.terms)
      from news.item as item
      where item.id = kept.item_id and kept.item_id in (
        select item_id from news.item_terms where not archived and latest_at < news.recent_since()
        order by latest_at limit ${sql.lit(ARCHIVED)} for update skip locked
      )`.compile(db),
}));

/**
 * Moves the terms of items that have left every window to the archive's. Time alone brings none of them back.
 */
export async function archiveLeftItems(db: Kysely<NewsTables>): Promise<void> {
  await ARCHIVE.execute(db, {});
}
