import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { type ListKey, readCursor, writeCursor } from '../list-cursor.ts';
import type { StoriesQuery } from './schema.ts';

/** A story in the list. */
interface ListedStory {
  public_id: string;
  title: string;
  status: 'active' | 'settled';
  digest: string | null;
  reports: number;
  /** The newest public report. */
  latest_id: string;
  latest: string;
  latest_at: Date;
}

/** A page of the stories. */
export interface StoryPage {
  stories: ListedStory[];
  /** Continues after the last story; null if there are no more. */
  nextCursor: string | null;
}

/**
 * A page of the stories with public reports, that with the newest one first. A story that gets a report
 * between two pages comes to the front. Throws `invalid_cursor`.
 */
export async function listStories(db: Kysely<NewsTables>, query: StoriesQuery): Promise<StoryPage> {
  const key: ListKey = ['stories', query.status ?? null];
  const anchor = query.cursor === undefined ? undefined : readCursor(key, query.cursor);
  const isBefore =
    anchor === undefined
      ? sql`true`
      : sql`(item.published_at, item.id) < (${anchor.at}::timestamptz, ${anchor.id})`;
  // A person settles a story, so these are few; the newest reports are of others.
  const from =
    query.status === 'settled'
      ? sql`
        news.story cross join lateral (
          select * from news.item where story = story.public_id and withdrawn_at is null
          order by published_at desc, id desc limit 1
        ) as item
        where story.status = 'settled'`
      : sql`
        news.item join news.story on story.public_id = item.story
        where item.withdrawn_at is null and not exists (
          select from news.item as newer
          where newer.story = item.story and newer.withdrawn_at is null
            and (newer.published_at, newer.id) > (item.published_at, item.id)
        ) ${query.status === undefined ? sql`` : sql`and story.status = ${query.status}`}`;
  const { rows } = await sql<ListedStory>`
    select story.public_id, story.title, story.status, story.digest,
      item.id as latest_id, item.title as latest, item.published_at as latest_at,
      (select count(*)::int from news.item where story = story.public_id and withdrawn_at is null) as reports
    from ${from} and story.merged_into is null and ${isBefore}
    order by item.published_at desc, item.id desc limit ${query.limit + 1}`.execute(db);
  const stories = rows.slice(0, query.limit);
  const last = stories.at(-1);
  const hasMore = rows.length > stories.length && last !== undefined;
  return {
    stories,
    nextCursor: hasMore ? writeCursor(key, { at: last.latest_at, id: last.latest_id }) : null,
  };
}
