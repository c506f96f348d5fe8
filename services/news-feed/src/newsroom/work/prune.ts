import { sql, type Transaction } from 'kysely';
import type { Calendar } from '../../calendar.ts';
import type { NewsTables } from '../../tables.ts';
import { forgetRemoved } from '../sources/source-store.ts';
import { pruneStories } from './prune-stories.ts';

/** The most items that one run removes, so that its transaction stays short; the next day continues. */
const MOST_ITEMS = 20_000;

/**
 * Removes items that were not selected, are older than `keepDays` by timeline time and are not quoted by a
 * report; then the stories that are left without items, what sources no longer list for as long, sources that
 * were removed as long ago, what the editor has counted on past days, and notices that were sent. Selected
 * items stay, withdrawn or not.
 */
export async function pruneNews(
  tx: Transaction<NewsTables>,
  { keepDays, now, calendar }: { keepDays: number; now: Date; calendar: Calendar },
): Promise<void> {
  const before = new Date(now.getTime() - keepDays * 86_400_000);
  await sql`
    delete from news.item where id in (
      select id from news.item
      where not selected and timeline_at < ${before}
        and id not in (
          select unnest(item_ids) from news.daily
          union all select unnest(item_ids) from news.weekly
          union all select unnest(item_ids) from news.monthly
        )
      order by id limit ${MOST_ITEMS} for update
    )
  `.execute(tx);
  await pruneStories(tx, before);
  // What the feed's latest answers still list stays known, or it would come back as news.
  await sql`
    delete from news.source_entry as entry using news.source
    where source.id = entry.source_id and entry.state <> 'pending'
      and entry.last_seen_at < source.last_change_at - ${keepDays} * interval '1 day'
  `.execute(tx);
  await forgetRemoved(tx, before);
  const day = calendar.date(before);
  await sql`delete from news.editorial_slot where day < ${day}::date`.execute(tx);
  await sql`delete from news.editorial_budget where day < ${day}::date`.execute(tx);
  await sql`delete from news.editorial_share where day < ${day}::date`.execute(tx);
  await sql`delete from news.editorial_answer where answered_at < ${before}`.execute(tx);
  // The notice of a source that is still dead stays: without it, there would be another.
  await sql`
    delete from news.notice where due_at is null and at < ${before} and type not in ('source.dead', 'source.replaced')
  `.execute(tx);
  await sql`delete from news.worker where seen_at < clock_timestamp() - interval '1 day'`.execute(tx);
  const dayBefore = new Date(now.getTime() - 86_400_000);
  await tx.deleteFrom('news.host_turn').where('next_at', '<', dayBefore).execute();
  await tx.deleteFrom('news.host_slot').where('lease_until', '<', dayBefore).execute();
}
