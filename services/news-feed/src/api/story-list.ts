import { searchWords } from '@pressroom/common/search/search';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { NewsTables } from '../tables.ts';
import { idsWithTerms } from './archive-store.ts';
import { FREQUENT, type ListKey, readCursor, termsOf, writeCursor } from './items-store.ts';

export const STATUSES = ['active', 'settled'] as const;

/** A page of the stories, restricted by what one of their public reports has. */
interface StoriesQuery {
  status?: (typeof STATUSES)[number] | undefined;
  category?: string | undefined;
  q?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

interface ListedStory {
  public_id: string;
  title: string;
  status: (typeof STATUSES)[number];
  digest: string | null;
  reports: number;
  /** The newest public report. */
  latest_id: string;
  latest: string;
  latest_at: Date;
}

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
  const rows = await readStories(db, query);
  const stories = rows.slice(0, query.limit);
  const last = stories.at(-1);
  const hasMore = rows.length > stories.length && last !== undefined;
  return {
    stories,
    nextCursor: hasMore ? writeCursor(listKey(query), { at: last.latest_at, id: last.latest_id }) : null,
  };
}

function listKey({ status, category, q }: StoriesQuery): ListKey {
  const added = category === undefined && q === undefined ? [] : [category ?? null, q ?? null];
  return ['stories', status ?? null, ...added];
}

/** The stories that are searched before all others, of the newest reports. */
const NEWEST = 250;

/** The same ways as for items: what many stories have is soon found among the newest ones. */
async function readStories(db: Kysely<NewsTables>, query: StoriesQuery): Promise<ListedStory[]> {
  const { status } = query;
  const limit = query.limit + 1;
  const read = async (from: RawBuilder<unknown>, most: RawBuilder<unknown> = sql``) => {
    const { rows } = await sql<ListedStory>`
      select story.*,
        (select count(*)::int from news.item where story = story.public_id and withdrawn_at is null) as reports
      from (
        select story.public_id, story.title, story.status, story.digest,
          item.id as latest_id, item.title as latest, item.published_at as latest_at
        from ${from} and story.merged_into is null and ${isBefore(query)} ${most}
      ) as story
      where ${hasReport(query)} order by latest_at desc, latest_id desc limit ${limit}`.execute(db);
    return rows;
  };
  // A person settles a story, so these are few; the newest reports are of others.
  if (status === 'settled') return read(fromStories(sql`story.status = 'settled'`));
  const ofStatus = status === undefined ? sql`true` : sql`story.status = ${status}`;
  const all = fromReports(ofStatus);
  if (query.category === undefined && query.q === undefined) return read(all);
  const found = await read(all, sql`order by item.published_at desc, item.id desc limit ${NEWEST}`);
  if (found.length === limit) return found;
  if (found.length >= FREQUENT) return read(all);
  return read(fromStories(sql`${ofStatus} and story.public_id = any(array(${withTerms(query)}))`));
}

function isBefore(query: StoriesQuery): RawBuilder<boolean> {
  if (query.cursor === undefined) return sql`true`;
  const { at, id } = readCursor(listKey(query), query.cursor);
  return sql`(item.published_at, item.id) < (${at}::timestamptz, ${id})`;
}

/** Each story with its newest report, from the stories. */
function fromStories(which: RawBuilder<unknown>) {
  return sql`
    news.story cross join lateral (
      select * from news.item where story = story.public_id and withdrawn_at is null
      order by published_at desc, id desc limit 1
    ) as item
    where ${which}`;
}

/** The same from the reports, the newest first. */
function fromReports(which: RawBuilder<unknown>) {
  return sql`
    news.item join news.story on story.public_id = item.story
    where item.withdrawn_at is null and not exists (
      select from news.item as newer
      where newer.story = item.story and newer.withdrawn_at is null
        and (newer.published_at, newer.id) > (item.published_at, item.id)
    ) and ${which}`;
}

/** True of a story with a report that has all that the query restricts. */
function hasReport({ category, q }: StoriesQuery): RawBuilder<unknown> {
  if (category === undefined && q === undefined) return sql`true`;
  const words = searchWords(q ?? '').map((word) => sql`and strpos(search_text, news.fold(${word})) > 0`);
  return sql`exists (
    select from news.item where story = story.public_id and withdrawn_at is null
      and ${category === undefined ? sql`true` : sql`category = ${category}`} ${sql.join(words, sql` `)}
  )`;
}

/** At least the stories that the query finds, by the terms of their reports, however old. */
function withTerms({ category, q }: StoriesQuery): RawBuilder<string> {
  const terms = termsOf({ mode: 'all', category }, searchWords(q ?? ''));
  const months = sql`array(
    select to_char(month, 'YYYYMM') from generate_series(
      (select min(published_at) from news.item where withdrawn_at is null) at time zone 'UTC',
      clock_timestamp() at time zone 'UTC' + interval '1 month', interval '1 month'
    ) as month
  )`;
  const ids = idsWithTerms(terms, months);
  return sql`select story from news.item where id = any(array(${ids})) and story is not null`;
}
