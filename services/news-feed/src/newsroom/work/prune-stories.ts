import { sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';

/** The most stories of which one run removes the families; the next day continues. */
const MOST_STORIES = 5000;

/** A story that may go, and what it has become by merges: itself, if it was never merged. */
interface LeftStory {
  publicId: string;
  survivor: string;
}

/**
 * Removes stories without any item, withdrawn or not, that were last changed before `before`, together with
 * those that redirect to them; their addresses then answer 404. What a story with items needs stays: all
 * stories that redirect to it.
 */
export async function pruneStories(tx: Transaction<NewsTables>, before: Date): Promise<void> {
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
