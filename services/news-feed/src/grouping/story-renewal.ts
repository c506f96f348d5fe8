import { createHash } from 'node:crypto';
import { Failure } from '@pressroom/common/failures/failure';
import {
  type DigestReport,
  digestOf,
  type Lexicon,
  reportsOfAnotherEvent,
  type StoredReport,
  weighedReport,
} from '@pressroom/stories';
import { type Kysely, sql, type Transaction } from 'kysely';
import { asNoEdit, asOneEdit } from '../editing/edits.ts';
import { survivorsOf } from '../merged-stories.ts';
import type { NewsTables } from '../tables.ts';

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

/** With how many reports a story is looked at as a whole. */
const LOOKED_AT = [8, 16, 32];

/** Splits those of the stories that have grown apart. Merges by a person stay. */
export async function splitGrownApart(
  tx: Transaction<NewsTables>,
  stories: readonly string[],
  renewal: RenewalParts,
): Promise<void> {
  for (const story of stories) {
    const leaving = reportsOfAnotherEvent(await membersOf(tx, story));
    if (leaving.length > 0) await splitStory(tx, story, leaving, renewal);
  }
}

/** The reports of a story, oldest first, if it has just so many that it is looked at. */
async function membersOf(tx: Transaction<NewsTables>, story: string) {
  const { rows } = await sql<{ item_id: string; published_at: Date; report: StoredReport }>`
    with member as (
      select id from news.item where story = ${story} and withdrawn_at is null limit ${Math.max(...LOOKED_AT) + 1}
    )
    select terms.item_id, terms.published_at, terms.report
    from member join news.report_terms as terms on terms.item_id = member.id
    where (select count(*) from member) = any(${LOOKED_AT})
      and not exists (select from news.story where merged_into = ${story})
    order by terms.published_at, terms.item_id
  `.execute(tx);
  return rows.map(({ item_id, published_at, report }) => ({
    itemId: item_id,
    report: weighedReport(report, published_at),
  }));
}

export interface RenewalParts {
  lexicon: Lexicon;
  now: Date;
}

/**
 * Makes stories say what their present reports say, after one of these was changed, withdrawn, restored or
 * moved: the digest, unless a person wrote it, and a title that was that of a report which has gone or has
 * another one now (`formerTitles`). It is written by the rules at once, and a model begins anew, because its
 * previous digest may tell what no report says any more.
 */
export async function renewStories(
  tx: Transaction<NewsTables>,
  publicIds: readonly string[],
  formerTitles: readonly string[],
  renewal: RenewalParts,
): Promise<void> {
  if (publicIds.length === 0) return;
  await asNoEdit(tx, () => renew(tx, publicIds, formerTitles, renewal));
}

async function renew(
  tx: Transaction<NewsTables>,
  publicIds: readonly string[],
  formerTitles: readonly string[],
  { lexicon, now }: RenewalParts,
): Promise<void> {
  // First, so that no report is added between the reading of the others and the writing of the digest.
  await sql`
    select from news.story where public_id = any(${publicIds}) order by public_id for no key update
  `.execute(tx);
  await sql`
    update news.story set title = earliest.title, updated_at = ${now}
    from unnest(${publicIds}::text[]) as wanted (story)
    cross join lateral (
      select title from news.item where item.story = wanted.story collate "C" and withdrawn_at is null
      order by published_at, id limit 1
    ) as earliest
    where public_id = wanted.story collate "C"
      and not exists (
        select from news.item where item.story = public_id and withdrawn_at is null and item.title = story.title
      )
      and (story.title = any(${formerTitles}) or exists (
        select from news.item where item.story = public_id and withdrawn_at is not null and item.title = story.title
      ))
  `.execute(tx);
  await sql`delete from news.story_model_digest where story = any(${publicIds})`.execute(tx);
  await writeDigests(tx, publicIds, lexicon, now);
}

/**
 * The survivors of the stories that items will belong to, by the requested ids; unknown ones are left out.
 * The stories are locked until the transaction ends: a merge waits, and then moves these items too.
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

/** A digest reads at most this many reports, newest first. */
const MOST_REPORTS = 20;

/** Most reports read of one source, which could crowd the others out. */
const MOST_OF_A_SOURCE = 3;

/**
 * Rewrites the digests of stories by rules, where a story has two reports or more. A digest that a person
 * wrote stays.
 */
export async function writeDigests(
  tx: Transaction<NewsTables>,
  publicIds: readonly string[],
  lexicon: Lexicon,
  now: Date,
): Promise<void> {
  if (publicIds.length === 0) return;
  const stories = await tx
    .selectFrom('news.story')
    .select(['public_id', 'digest'])
    .where('public_id', '=', sql<string>`any(${publicIds})`)
    .where((where) => where.or([where('digest', 'is', null), where('digest_by', 'is not', null)]))
    .execute();
  const reports = await readReports(
    tx,
    stories.map(({ public_id }) => public_id),
  );
  const changed = stories.flatMap(({ public_id, digest: before }) => {
    const digest = digestOf(reports.get(public_id) ?? [], lexicon);
    return digest === before ? [] : [{ public_id, digest }];
  });
  if (changed.length === 0) return;
  await sql`
    update news.story set digest = row.digest,
      digest_by = case when row.digest is not null then 'rules' end,
      digest_updated_at = case when row.digest is not null then ${now}::timestamptz end,
      updated_at = ${now}
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as row (public_id text, digest text)
    where story.public_id = row.public_id collate "C"
  `.execute(tx);
}

/** A report of a story, as digests read it. */
export interface StoryReport extends DigestReport {
  id: string;
  story: string;
}

/** The reports of stories that their digests read, newest first. */
export async function readReports(
  db: Kysely<NewsTables>,
  publicIds: readonly string[],
): Promise<Map<string, StoryReport[]>> {
  const { rows } = await sql<StoryReport>`
    select wanted.story, report.* from unnest(${publicIds}::text[]) as wanted (story)
    cross join lateral (
      select id, title, summary, source, "publishedAt", language from (
        select id, title, summary, source_name as source, published_at as "publishedAt",
          -- A translated title is not in the language of its article.
          case when original_title is null then language end as language,
          row_number() over (partition by source_name order by published_at desc, id desc) as place
        from news.item where item.story = wanted.story collate "C" and withdrawn_at is null
      ) as placed
      where place <= ${MOST_OF_A_SOURCE} order by "publishedAt" desc, id desc limit ${MOST_REPORTS}
    ) as report
  `.execute(db);
  return Map.groupBy(rows, ({ story }) => story);
}
