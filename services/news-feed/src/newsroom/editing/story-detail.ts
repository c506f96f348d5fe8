import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql } from 'kysely';
import { survivorsOf } from '../../survivors.ts';
import type { NewsTables } from '../../tables.ts';

/** How many reports of a story are shown, newest first. */
const MOST_REPORTS = 500;

/**
 * All that an editor sees of a story, whatever readers see of it: its members and reports, who wrote its
 * digest, what it has become, the stories that were merged into it, those that it was split from, and those
 * that it points to. Throws a {@link Failure} if it does not exist.
 */
export async function readStoryDetail(db: Kysely<NewsTables>, publicId: string) {
  const story = await db
    .selectFrom('news.story')
    .select(['public_id as publicId', 'title', 'status', 'digest', 'digest_updated_at as digestUpdatedAt'])
    .select(
      sql<string | null>`case when digest is not null then coalesce(digest_by, 'person') end`.as('digestBy'),
    )
    .select(['created_at as createdAt', 'updated_at as updatedAt'])
    .where('public_id', '=', publicId)
    .executeTakeFirstOrThrow(() => new Failure('missing', `story ${publicId} does not exist`));
  const [survivors, reports, merged, splits, references] = await Promise.all([
    survivorsOf(db, [publicId]),
    reportsOf(db, publicId),
    db
      .selectFrom('news.story')
      .select(['public_id as publicId', 'title'])
      .where('merged_into', '=', publicId)
      .orderBy('public_id')
      .execute(),
    db
      .selectFrom('news.story_split')
      .select(sql<string>`case story when ${publicId} then other else story end`.as('publicId'))
      .where((where) => where.or([where('story', '=', publicId), where('other', '=', publicId)]))
      .orderBy('publicId')
      .execute(),
    db
      .selectFrom('news.story_reference')
      .select(['kind', 'neighbor as publicId', 'relation'])
      .where('story', '=', publicId)
      .orderBy('kind', 'desc')
      .orderBy('position')
      .execute(),
  ]);
  const survivor = survivors.get(publicId)?.publicId ?? publicId;
  return {
    ...story,
    mergedInto: survivor === publicId ? null : survivor,
    merged,
    keptApartFrom: splits.map((split) => split.publicId),
    references,
    reports,
  };
}

/** All that an editor sees of a story. */
export type StoryDetail = Awaited<ReturnType<typeof readStoryDetail>>;

function reportsOf(db: Kysely<NewsTables>, publicId: string) {
  return db
    .selectFrom('news.item')
    .select(['id', 'title', 'source_name as sourceName', 'published_at as publishedAt', 'selected'])
    .select('withdrawn_at as withdrawnAt')
    .where('story', '=', publicId)
    .orderBy('published_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_REPORTS)
    .execute();
}
