import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql } from 'kysely';
import type { Image } from '../../image.ts';
import { quotingReports } from '../../quoting-reports.ts';
import { survivorsOf } from '../../survivors.ts';
import type { NewsTables } from '../../tables.ts';

/**
 * All that an editor sees of an item, withdrawn or not: its members, its story, the sources that carry it,
 * and the reports that quote it. Throws a {@link Failure} if it does not exist.
 */
export async function readItemDetail(db: Kysely<NewsTables>, id: string) {
  const item = await db
    .selectFrom('news.item')
    .select(['id', 'title', 'original_title as originalTitle', 'summary', 'source_name as sourceName'])
    .select(['source_first_party as firstParty', 'original_url as originalUrl', 'category', 'score'])
    .select(['published_at as publishedAt', 'discovered_at as discoveredAt', 'selected', 'reason'])
    .select(['directions', 'language', 'story', 'withdrawn_at as withdrawnAt', 'updated_at as updatedAt'])
    .select(sql<Image | null>`image`.as('image'))
    .where('id', '=', id)
    .executeTakeFirstOrThrow(() => new Failure('missing', `item ${id} does not exist`));
  const [survivors, sources, reports] = await Promise.all([
    survivorsOf(db, item.story === null ? [] : [item.story]),
    carriersOf(db, id),
    quotingReports(db, id),
  ]);
  const story = survivors.get(item.story ?? '');
  return {
    ...item,
    story: story === undefined ? null : { publicId: story.publicId, title: story.title },
    sources,
    reports,
  };
}

/** All that an editor sees of an item. */
export type ItemDetail = Awaited<ReturnType<typeof readItemDetail>>;

/** The sources whose feeds have an item; the one that it follows first. */
function carriersOf(db: Kysely<NewsTables>, id: string) {
  return db
    .selectFrom('news.source_entry as entry')
    .innerJoin('news.source as source', 'source.id', 'entry.source_id')
    .select(['source.id', 'source.name', 'entry.owns_item as isFollowed'])
    .where('entry.item_id', '=', id)
    .where('source.removed', 'is', null)
    .orderBy('entry.owns_item', 'desc')
    .orderBy('source.id')
    .execute();
}

/** The items that were withdrawn last, the latest first. */
export function readWithdrawn(db: Kysely<NewsTables>, limit: number) {
  return db
    .selectFrom('news.item')
    .select(['id', 'title', 'source_name as sourceName', 'published_at as publishedAt', 'category', 'score'])
    .select(['selected', 'withdrawn_at as withdrawnAt'])
    .where('withdrawn_at', 'is not', null)
    .orderBy('withdrawn_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
