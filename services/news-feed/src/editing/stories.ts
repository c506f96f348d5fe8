import { violates } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import { requiredText, text } from '@pressroom/common/fields/fields';
import { type Lexicon, type StoredReport, sharedWords, weighedReport } from '@pressroom/stories';
import { type Kysely, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { MAX_TEXT, MAX_TITLE, storyId } from '../fields.ts';
import { type RenewalParts, renewStories } from '../grouping/story-renewal.ts';
import { correctionsOf, familiesOf, survivorsOf } from '../merged-stories.ts';
import type { NewsTables } from '../tables.ts';
import { asOneEdit, type Outcome } from './edits.ts';

const reference = z.strictObject({ publicId: storyId, relation: requiredText(200) });

/** The schema of a story's values; an absent member keeps its value. */
export const storyInput = z.strictObject({
  publicId: storyId,
  title: requiredText(MAX_TITLE),
  status: z.enum(['active', 'settled'], 'must be active or settled').optional(),
  digest: text(MAX_TEXT).nullable().optional(),
  storyline: z.array(reference).max(100).optional(),
  related: z.array(reference).max(100).optional(),
});

type StoryInput = z.infer<typeof storyInput>;

/** A story that another one points to. */
type Reference = NonNullable<StoryInput['storyline']>[number];

/** The lists in which a story points to others. */
const REFERENCE_KINDS = ['storyline', 'related'] as const;

/** The stories that an input points to, by the list that names them; an absent list is left as it is. */
export function referencesOf(
  input: StoryInput,
): { kind: (typeof REFERENCE_KINDS)[number]; list: Reference[] }[] {
  return REFERENCE_KINDS.flatMap((kind) => {
    const list = input[kind];
    return list === undefined ? [] : [{ kind, list }];
  });
}

/**
 * Creates or changes stories that may point to each other; absent members keep their values. Returns the
 * outcome of each. Throws a {@link Failure} for invalid references.
 */
export async function upsertStories(
  tx: Transaction<NewsTables>,
  inputs: readonly StoryInput[],
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const input of inputs) outcomes.push(await upsertStory(tx, input));
  for (const [index, input] of inputs.entries()) {
    if ((await writeReferences(tx, input)) && outcomes[index] === 'unchanged') outcomes[index] = 'changed';
  }
  return outcomes;
}

/** Creates or changes a story, except for its references. */
async function upsertStory(tx: Transaction<NewsTables>, input: StoryInput): Promise<Outcome> {
  const { publicId, title, status, digest } = input;
  const { numInsertedOrUpdatedRows: created } = await tx
    .insertInto('news.story')
    .values({
      public_id: publicId,
      title,
      ...(status && { status }),
      ...(digest && { digest, digest_updated_at: sql<Date>`clock_timestamp()` }),
    })
    .onConflict((conflict) => conflict.column('public_id').doNothing())
    .executeTakeFirstOrThrow();
  const { numUpdatedRows: changed } = await tx
    .updateTable('news.story')
    .set({ title, ...(status && { status }), updated_at: sql<Date>`clock_timestamp()` })
    .where('public_id', '=', publicId)
    .where((where) =>
      where.or([where('title', '<>', title), ...(status ? [where('status', '<>', status)] : [])]),
    )
    .executeTakeFirstOrThrow();
  const rewritten = digest !== undefined && (await setDigest(tx, publicId, digest));
  if (created === 1n) return 'created';
  return changed === 1n || rewritten ? 'changed' : 'unchanged';
}

/** Replaces the references of a story and returns whether that changed anything. */
async function writeReferences(tx: Transaction<NewsTables>, input: StoryInput): Promise<boolean> {
  refuseWrongReferences(input);
  let changed = false;
  for (const { kind, list } of referencesOf(input)) {
    const unknown = await unknownStories(
      tx,
      list.map(({ publicId }) => publicId),
    );
    if (unknown.length > 0) throw unknownReferences(kind, unknown);
    const known = await tx
      .selectFrom('news.story_reference')
      .select(['neighbor', 'relation'])
      .where('story', '=', input.publicId)
      .where('kind', '=', kind)
      .orderBy('position')
      .execute();
    const wanted = list.map(({ publicId, relation }) => ({ neighbor: publicId, relation }));
    if (JSON.stringify(known) === JSON.stringify(wanted)) continue;
    changed = true;
    await tx
      .deleteFrom('news.story_reference')
      .where('story', '=', input.publicId)
      .where('kind', '=', kind)
      .execute();
    const rows = wanted.map((reference, position) => ({
      story: input.publicId,
      kind,
      ...reference,
      position,
    }));
    if (rows.length > 0) await tx.insertInto('news.story_reference').values(rows).execute();
  }
  return changed;
}

/** Throws a {@link Failure} if a story points to itself, or twice to the same story in one list. */
export function refuseWrongReferences(input: StoryInput): void {
  for (const { kind, list } of referencesOf(input)) {
    const ids = list.map(({ publicId }) => publicId);
    if (ids.includes(input.publicId)) throw new Failure('invalid', `${kind}: a story cannot point to itself`);
    if (new Set(ids).size < ids.length) throw new Failure('invalid', `${kind}: must not name a story twice`);
  }
}

/** The ids that do not name a story. */
export async function unknownStories(
  db: Kysely<NewsTables>,
  publicIds: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('news.story')
    .select('public_id')
    .where('public_id', '=', sql<string>`any(${publicIds})`)
    .execute();
  const known = new Set(rows.map(({ public_id }) => public_id));
  return publicIds.filter((id) => !known.has(id));
}

/** The failure of a story whose list points to stories that do not exist. */
function unknownReferences(kind: string, publicIds: readonly string[]): Failure {
  return new Failure('missing', `${kind}: no such story: ${publicIds.join(', ')}`);
}

/**
 * Replaces the digest of a story; null removes it. Returns false if it already has this text. Throws a
 * {@link Failure}.
 */
export async function setDigest(
  db: Kysely<NewsTables>,
  publicId: string,
  digest: string | null,
): Promise<boolean> {
  const now = sql<Date>`clock_timestamp()`;
  const { numUpdatedRows } = await db
    .updateTable('news.story')
    .set({ digest, digest_updated_at: digest === null ? null : now, digest_by: null, updated_at: now })
    .where('public_id', '=', publicId)
    .where((where) =>
      where.or([where('digest', 'is distinct from', digest), where('digest_by', 'is not', null)]),
    )
    .executeTakeFirst();
  if (numUpdatedRows === 0n) await existingStory(db, publicId);
  return numUpdatedRows > 0n;
}

/**
 * Says what was wrong with a story, for its readers, in place of what was said of it and of those that have
 * become it; null if nothing was. Returns false if that changes nothing. Throws a {@link Failure} for an
 * unknown story.
 */
export async function setCorrection(
  db: Kysely<NewsTables>,
  publicId: string,
  correction: string | null,
): Promise<boolean> {
  await existingStory(db, publicId);
  const { numAffectedRows = 0n } = await sql`
    with recursive family as (${familiesOf([publicId])}),
    said as (
      select public_id, case public_id when ${publicId} then ${correction}::text end as correction from family
    )
    update news.story set correction = said.correction, updated_at = clock_timestamp() from said
    where story.public_id = said.public_id and story.correction is distinct from said.correction
  `.execute(db);
  return numAffectedRows > 0n;
}

/** Where the hot list has a story, whatever its heat. */
export const HOT_PLACES = ['pinned', 'hidden'] as const;

/**
 * Puts a story above those that are hotter, or out of the hot list, from the next ranking on; null leaves it
 * to its heat. Returns false if that changes nothing. Throws a {@link Failure} for an unknown story.
 */
export async function setHotPlace(
  db: Kysely<NewsTables>,
  publicId: string,
  place: (typeof HOT_PLACES)[number] | null,
): Promise<boolean> {
  await existingStory(db, publicId);
  const { numUpdatedRows } = await db
    .updateTable('news.story')
    .set({ hot_place: place })
    .where('public_id', '=', publicId)
    .where('hot_place', 'is distinct from', place)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Merges the story `from` into `into`: its reports move to the last survivor, whose digest then tells of
 * them, and its address redirects there. Returns false if it has already been merged into that story. Throws
 * a {@link Failure} for an unknown story, for one that has been merged into another story, and for a merge
 * that would form a cycle.
 */
export function mergeStories(
  tx: Transaction<NewsTables>,
  from: string,
  into: string,
  renewal: RenewalParts,
): Promise<boolean> {
  return asOneEdit(tx, { action: 'story merge' }, () => merge(tx, from, into, renewal));
}

async function merge(
  tx: Transaction<NewsTables>,
  from: string,
  into: string,
  renewal: RenewalParts,
): Promise<boolean> {
  const { merged_into } = await existingStory(tx, from);
  if (merged_into === into) return false;
  if (merged_into !== null)
    throw new Failure('conflict', `story ${from} has already been merged into ${merged_into}`);
  await existingStory(tx, into);
  // The trigger lets only one merge run at a time, so the survivor read below reflects all earlier merges.
  await tx
    .updateTable('news.story')
    .set({ merged_into: into, updated_at: sql<Date>`clock_timestamp()` })
    .where('public_id', '=', from)
    .execute()
    .catch((error: unknown) => {
      if (!violates(error, 'story_merge_circle')) throw error;
      throw new Failure(
        'conflict',
        `story ${into} has become ${from}: merging them again would form a cycle`,
      );
    });
  const survivor = (await survivorsOf(tx, [from])).get(from)?.publicId ?? into;
  await tx.updateTable('news.item').set({ story: survivor }).where('story', '=', from).execute();
  await renewStories(tx, [survivor], [], renewal);
  return true;
}

/** A story, and the one that it has been merged into. Throws a {@link Failure} if it does not exist. */
export function existingStory(db: Kysely<NewsTables>, publicId: string) {
  return db
    .selectFrom('news.story')
    .select(['public_id', 'merged_into'])
    .where('public_id', '=', publicId)
    .executeTakeFirstOrThrow(() => new Failure('missing', `story ${publicId} does not exist`));
}

/** The reason why a model's digest was refused, and the text that shows it. */
interface DigestRefusal {
  why: 'invented' | 'form' | 'endpoint' | 'report';
  detail: string | null;
}

/** Reports of a story that are shown, newest first. */
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
  const [survivors, corrections, reports, merged, splits, references, refusals] = await Promise.all([
    survivorsOf(db, [publicId]),
    correctionsOf(db, [publicId]),
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
    sql<DigestRefusal>`
      select refused_why as why, refused_detail as detail
      from news.story_model_digest as model join news.story on public_id = model.story
      where model.story = ${publicId} and digest_by = 'rules' and asked_for = digest_updated_at
        and refused_why is not null
    `.execute(db),
  ]);
  const survivor = survivors.get(publicId)?.publicId ?? publicId;
  return {
    ...story,
    correction: corrections.get(publicId)?.correction ?? null,
    correctedAt: corrections.get(publicId)?.corrected_at ?? null,
    mergedInto: survivor === publicId ? null : survivor,
    merged,
    keptApartFrom: splits.map((split) => split.publicId),
    references,
    reports,
    digestRefusal: refusals.rows[0] ?? null,
  };
}

/** All that an editor sees of a story. */
export type StoryDetail = Awaited<ReturnType<typeof readStoryDetail>>;

/** The newest reports of a story that its words are looked for in. */
const MOST_COMPARED = 40;

/**
 * What a story is about: the lead of its newest report, and the words by which its reports were taken for one
 * event, as far as these are still compared.
 */
export async function describeStory(
  db: Kysely<NewsTables>,
  publicId: string,
  lexicon: Lexicon,
): Promise<{ lead: string | null; words: string[] }> {
  const { rows } = await sql<{
    title: string;
    summary: string | null;
    published_at: Date;
    report: StoredReport | null;
  }>`
    select newest.title, newest.summary, newest.published_at, terms.report
    from (
      select id, title, summary, published_at from news.item
      where story = ${publicId} and withdrawn_at is null
      order by published_at desc, id desc limit ${MOST_COMPARED}
    ) as newest left join news.report_terms as terms on terms.item_id = newest.id
    order by newest.published_at desc, newest.id desc
  `.execute(db);
  const compared = rows.flatMap(({ title, published_at, report }) =>
    report === null ? [] : [{ title, report: weighedReport(report, published_at) }],
  );
  return { lead: rows[0]?.summary ?? null, words: sharedWords(compared, lexicon) };
}

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
