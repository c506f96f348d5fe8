import { sql, type Transaction } from 'kysely';
import type { Calendar } from '../calendar.ts';
import { forgetRemoved } from '../reading/sources.ts';
import type { NewsTables } from '../tables.ts';

/** The most items that one run removes, so that its transaction stays short; the next day continues. */
const MOST_ITEMS = 20_000;

/**
 * Removes items that were not selected, are older than `keepDays` by timeline time and are not quoted by a
 * report; then the stories that are left without items, what sources no longer list for as long, sources that
 * were removed as long ago, what the judge has counted on past days, and notices that were sent. Selected
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
  // Entries in the feed's latest answers stay known, or they would come back as news.
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

/** The most stories whose families one run removes; the next day continues. */
const MOST_STORIES = 5000;

/** A story that may go, and the last survivor of its merges: itself, if it was never merged. */
interface LeftStory {
  publicId: string;
  survivor: string;
}

/**
 * Removes stories without any item, withdrawn or not, that were last changed before `before`, together with
 * those that redirect to them; their addresses then answer 404. Stories that redirect to a story with items
 * stay.
 */
async function pruneStories(tx: Transaction<NewsTables>, before: Date): Promise<void> {
  const found = await leftStories(tx, before);
  if (found.length === 0) return;
  const ids = new Set(found.map(({ publicId }) => publicId));
  await sql`
    select from news.story where public_id = any(${[...ids]}) order by public_id for update
  `.execute(tx);
  // An item may have come, or a merge, before the lock was there.
  const left = await leftStories(tx, before);
  const families = Map.groupBy(left, ({ survivor }) => survivor);
  const gone = [...families.values()]
    .filter((family) => family.every(({ publicId }) => ids.has(publicId)))
    .flatMap((family) => family.map(({ publicId }) => publicId));
  await sql`delete from news.story where public_id = any(${gone})`.execute(tx);
}

/** Old stories without items, and those that have been merged into them. */
async function leftStories(tx: Transaction<NewsTables>, before: Date): Promise<LeftStory[]> {
  const { rows } = await sql<LeftStory>`
    with recursive family as (
      (
        select public_id, public_id as survivor from news.story
        where merged_into is null and created_at < ${before} and updated_at < ${before}
          and not exists (select from news.item where item.story = story.public_id)
        order by created_at, public_id limit ${MOST_STORIES}
      )
      union all
      select story.public_id, family.survivor
      from family join news.story as story on story.merged_into = family.public_id
    )
    select public_id as "publicId", survivor from family
  `.execute(tx);
  return rows;
}
