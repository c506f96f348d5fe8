import type { Kysely } from 'kysely';
import { quotingReports } from '../../quoting-reports.ts';
import { survivorsOf } from '../../survivors.ts';
import type { NewsTables } from '../../tables.ts';
import { ITEM_COLUMNS } from './representation.ts';

/** The format of an id that may name an item (`migrations/0009_news_items.sql`). */
const ITEM_ID = /^[!-.0-~]+$/;

/**
 * The item of `id`, however old, with the story that its own has become and the reports that quote it;
 * undefined if it does not exist.
 */
export async function readItem(db: Kysely<NewsTables>, id: string) {
  if (!ITEM_ID.test(id)) return undefined;
  const row = await db
    .selectFrom('news.item')
    .select([...ITEM_COLUMNS, 'reason', 'story', 'withdrawn_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (row.withdrawn_at !== null) return 'withdrawn';
  const [survivors, reports] = await Promise.all([
    survivorsOf(db, row.story === null ? [] : [row.story]),
    quotingReports(db, id),
  ]);
  return { row, story: survivors.get(row.story ?? ''), reports };
}

/** The item with all that its page shows. */
export type ItemDetail = Exclude<Awaited<ReturnType<typeof readItem>>, undefined | 'withdrawn'>;
