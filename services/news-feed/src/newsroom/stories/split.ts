import { createHash } from 'node:crypto';
import { Failure } from '@pressroom/common/failures/failure';
import { sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { asOneEdit } from '../edits.ts';
import { type RenewalParts, renewStories } from './renew-stories.ts';

/**
 * Moves reports of a story to a new story, titled after the earliest of them, and remembers that the two are
 * not one: the newsroom does not merge them again. Each points to the other as its storyline. Returns the
 * `publicId` of the new story. Throws a {@link Failure} for an unknown or merged story, for items that are
 * not its reports, and if no report would be left.
 */
export function splitStory(
  tx: Transaction<NewsTables>,
  publicId: string,
  itemIds: readonly string[],
  renewal: RenewalParts,
): Promise<string> {
  return asOneEdit(tx, { action: 'story split' }, () => split(tx, publicId, itemIds, renewal));
}

async function split(
  tx: Transaction<NewsTables>,
  publicId: string,
  itemIds: readonly string[],
  renewal: RenewalParts,
): Promise<string> {
  const { now } = renewal;
  const wanted = [...new Set(itemIds)];
  await refuseUnsplittable(tx, publicId, wanted);
  const moved = await tx
    .selectFrom('news.item')
    .select('title')
    .where('id', '=', sql<string>`any(${wanted})`)
    .orderBy(sql`withdrawn_at is not null`)
    .orderBy('published_at')
    .orderBy('id')
    .execute();
  const titles = moved.map(({ title }) => title);
  const created = createHash('sha256')
    .update(`split ${publicId} ${wanted.sort().join(' ')} ${now.toISOString()}`)
    .digest('hex')
    .slice(0, 20);
  await tx
    .insertInto('news.story')
    .values({ public_id: created, title: titles[0] ?? created, created_at: now })
    .execute();
  await tx
    .updateTable('news.item')
    .set({ story: created, updated_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', sql<string>`any(${wanted})`)
    .execute();
  await tx.insertInto('news.story_split').values({ story: publicId, other: created }).execute();
  await tx
    .insertInto('news.story_reference')
    .values([
      { story: publicId, kind: 'storyline', neighbor: created, relation: 'Same storyline', position: 0 },
      { story: created, kind: 'storyline', neighbor: publicId, relation: 'Same storyline', position: 0 },
    ])
    .execute();
  await renewStories(tx, [publicId, created], titles, renewal);
  return created;
}

async function refuseUnsplittable(
  tx: Transaction<NewsTables>,
  publicId: string,
  itemIds: readonly string[],
): Promise<void> {
  const story = await tx
    .selectFrom('news.story')
    .select('merged_into')
    .where('public_id', '=', publicId)
    .forUpdate()
    .executeTakeFirstOrThrow(() => new Failure('missing', `story ${publicId} does not exist`));
  if (story.merged_into !== null) {
    throw new Failure(
      'conflict',
      `story ${publicId} has been merged into ${story.merged_into}; split that one`,
    );
  }
  const reports = await tx
    .selectFrom('news.item')
    .select('id')
    .where('story', '=', publicId)
    .orderBy('id')
    .forUpdate()
    .execute();
  const known = new Set(reports.map(({ id }) => id));
  const foreign = itemIds.filter((id) => !known.has(id));
  if (foreign.length > 0) {
    throw new Failure('refused', `not a report of story ${publicId}: ${foreign.join(', ')}`);
  }
  if (itemIds.length === reports.length) {
    throw new Failure('refused', `story ${publicId} has to keep a report: name fewer items`);
  }
}
