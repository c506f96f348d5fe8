import { violates } from '@pressroom/common/database/database-fault';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql, type Transaction } from 'kysely';
import { survivorsOf } from '../../stories/survivors.ts';
import type { NewsTables } from '../../tables.ts';
import type { LineOf } from '../import/import-line.ts';

/** A story that another one points to. */
type Reference = NonNullable<LineOf<'story'>['storyline']>[number];

/**
 * Creates or changes a story; absent members keep their values. References are written apart, by
 * {@link writeReferences}, so that stories can point to each other. Returns whether the story is new.
 */
export async function upsertStory(tx: Transaction<NewsTables>, line: LineOf<'story'>): Promise<boolean> {
  const { publicId, title, status, digest } = line;
  const { created } = await tx
    .insertInto('news.story')
    .values({ public_id: publicId, title, ...(status && { status }) })
    .onConflict((conflict) =>
      conflict.column('public_id').doUpdateSet({
        title,
        ...(status && { status }),
        updated_at: sql<Date>`clock_timestamp()`,
      }),
    )
    .returning(sql<boolean>`xmax = 0`.as('created'))
    .executeTakeFirstOrThrow();
  if (digest !== undefined) await setDigest(tx, publicId, digest);
  return created;
}

/** Replaces what a story points to; an absent list keeps its references. Throws a {@link Failure} for unknown stories. */
export async function writeReferences(
  tx: Transaction<NewsTables>,
  { publicId, storyline, related }: LineOf<'story'>,
): Promise<void> {
  const lists = { storyline, related };
  for (const kind of ['storyline', 'related'] as const) {
    const list = lists[kind];
    if (list === undefined) continue;
    await refuseUnknown(tx, publicId, kind, list);
    await tx
      .deleteFrom('news.story_reference')
      .where('story', '=', publicId)
      .where('kind', '=', kind)
      .execute();
    if (list.length === 0) continue;
    const rows = list.map((reference, position) => ({
      story: publicId,
      kind,
      neighbor: reference.publicId,
      relation: reference.relation,
      position,
    }));
    await tx.insertInto('news.story_reference').values(rows).execute();
  }
}

async function refuseUnknown(
  tx: Transaction<NewsTables>,
  publicId: string,
  kind: string,
  list: readonly Reference[],
): Promise<void> {
  const ids = list.map((reference) => reference.publicId);
  if (ids.includes(publicId)) throw new Failure('invalid', `${kind}: a story cannot point to itself`);
  if (new Set(ids).size < ids.length) throw new Failure('invalid', `${kind}: names a story twice`);
  const known = await survivorsOf(tx, ids);
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) throw new Failure('missing', `${kind}: there is no story ${unknown.join(', ')}`);
}

/** Replaces the digest of a story; null removes it. The same text again changes nothing. Throws a {@link Failure}. */
export async function setDigest(
  db: Kysely<NewsTables>,
  publicId: string,
  digest: string | null,
): Promise<void> {
  const now = sql<Date>`clock_timestamp()`;
  const { numUpdatedRows } = await db
    .updateTable('news.story')
    .set({ digest, digest_updated_at: digest === null ? null : now, updated_at: now })
    .where('public_id', '=', publicId)
    .where('digest', 'is distinct from', digest)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) await existingStory(db, publicId);
}

/**
 * Merges the story `from` into `into`: its reports become those of the last survivor, and its address leads there.
 * Throws a {@link Failure} for an unknown story, one that was merged before, and a merge that would close a circle.
 */
export async function mergeStories(tx: Transaction<NewsTables>, from: string, into: string): Promise<void> {
  const { merged_into } = await existingStory(tx, from);
  if (merged_into !== null)
    throw new Failure('conflict', `story ${from} has been merged into ${merged_into} already`);
  await existingStory(tx, into);
  // The trigger lets one merge run at a time, so the survivor read below is that of all earlier ones.
  await tx
    .updateTable('news.story')
    .set({ merged_into: into, updated_at: sql<Date>`clock_timestamp()` })
    .where('public_id', '=', from)
    .execute()
    .catch((error: unknown) => {
      if (!violates(error, 'story_merge_circle')) throw error;
      throw new Failure(
        'conflict',
        `story ${into} has become ${from}: merging them again would close a circle`,
      );
    });
  const survivor = (await survivorsOf(tx, [from])).get(from);
  await tx
    .updateTable('news.item')
    .set({ story: survivor?.publicId ?? into })
    .where('story', '=', from)
    .execute();
}

/**
 * The survivors of the stories that items are to belong to, by the ids that were asked for; unknown ones are left out.
 * The stories stay as they are until the transaction ends: a merge waits, and then takes these items along.
 */
export async function lockStories(
  tx: Transaction<NewsTables>,
  publicIds: readonly string[],
): Promise<Map<string, string>> {
  const locked = new Set<string>();
  for (;;) {
    const survivors = await survivorsOf(tx, publicIds);
    const concerned = [...publicIds, ...[...survivors.values()].map(({ publicId }) => publicId)];
    const unlocked = [...new Set(concerned)].filter((id) => !locked.has(id));
    if (unlocked.length === 0) {
      return new Map([...survivors].map(([origin, { publicId }]) => [origin, publicId]));
    }
    await tx
      .selectFrom('news.story')
      .select('public_id')
      .where('public_id', '=', sql<string>`any(${unlocked})`)
      .orderBy('public_id')
      .forShare()
      .execute();
    for (const id of unlocked) locked.add(id);
  }
}

async function existingStory(db: Kysely<NewsTables>, publicId: string) {
  const story = await db
    .selectFrom('news.story')
    .select(['public_id', 'merged_into'])
    .where('public_id', '=', publicId)
    .executeTakeFirst();
  if (story === undefined) throw new Failure('missing', `there is no story ${publicId}`);
  return story;
}
