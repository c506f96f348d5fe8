import { PreparedQuery } from '@pressroom/common/database/prepared-query';
import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';

/** The most items that are forgotten at once. */
const FORGOTTEN = 10_000;

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
