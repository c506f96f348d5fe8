import { createHash } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { mergeStories } from '../editing/stories.ts';
import { writeDigest } from './digest-writer.ts';
import type { Lexicon } from './lexicon.ts';
import { evidenceOf, likenessOf, SAME_EVENT } from './likeness.ts';
import { writeReferences } from './references.ts';
import type { AssignableItem, StoryAssigner } from './story-assigner.ts';
import { type Candidate, findCandidates, putIntoIndex } from './story-index.ts';

/** How many days after its nearest report an item may still join a story. */
const WINDOW_DAYS = 14;

/** The score with an item that two stories need so that the item alone shows them to be one. */
const CERTAIN = 0.8;

/** The score between their own reports that two stories need so that an item which fits both merges them. */
const PLAUSIBLE = 0.15;

/** A story, or an item without one, that a new item may join. */
interface Group {
  /** Null: an item that has no story yet. */
  story: string | null;
  /** Its reports among the candidates, likeliest first. */
  reports: Candidate[];
  score: number;
}

/**
 * Assigns items to stories by {@link likenessOf}: an item joins the story with the likeliest report, if that
 * reaches `SAME_EVENT` and is at most 14 days away; else it starts a story of its own. Stories that it shows
 * to be one are merged, and the older id survives. Assignments wait for each other, so that two workers with
 * two reports on one event make one story.
 */
export class RulesAssigner implements StoryAssigner {
  readonly #lexicon: Lexicon;

  constructor(lexicon: Lexicon) {
    this.#lexicon = lexicon;
  }

  async assign(tx: Transaction<NewsTables>, item: AssignableItem, now: Date): Promise<string | null> {
    // 1852143475 is "news" in ASCII; 50 is the right to assign stories.
    await sql`select pg_advisory_xact_lock(1852143475, 50)`.execute(tx);
    const { report, candidates } = await findCandidates(tx, item, this.#lexicon);
    const others = candidates.filter(({ itemId }) => itemId !== item.id);
    const groups = groupsOf(others);
    const [best] = groups;
    const story =
      best === undefined ? await startStory(tx, item, now) : await this.#join(tx, item, best, now);
    await putIntoIndex(tx, item.id, report, now);
    const survivor = await mergeAlike(tx, story, groups);
    await tx.updateTable('news.item').set({ story: survivor }).where('id', '=', item.id).execute();
    await writeReferences(tx, survivor, others);
    await writeDigest(tx, survivor, this.#lexicon, now);
    return survivor;
  }

  async #join(tx: Transaction<NewsTables>, item: AssignableItem, group: Group, now: Date): Promise<string> {
    if (group.story !== null) return group.story;
    const story = await startStory(tx, item, now);
    const ids = group.reports.map(({ itemId }) => itemId);
    await tx
      .updateTable('news.item')
      .set({ story })
      .where('id', '=', sql<string>`any(${ids})`)
      .where('story', 'is', null)
      .execute();
    return story;
  }
}

/** The stories that an item may join, likeliest first. */
function groupsOf(candidates: readonly Candidate[]): Group[] {
  const near = candidates.filter(({ evidence }) => evidence.days <= WINDOW_DAYS);
  const groups = Map.groupBy(near, ({ story, itemId }) =>
    story === null ? `item ${itemId}` : `story ${story}`,
  );
  return [...groups.values()]
    .map((reports) => ({ story: reports[0]?.story ?? null, reports, score: scoreOf(reports) }))
    .filter(({ score }) => score >= SAME_EVENT)
    .sort((a, b) => b.score - a.score);
}

/**
 * The score of an item and a story: that of its likeliest report, halved if a version, magnitude, quarter,
 * round or year of most of its reports says that the item is on another event.
 */
function scoreOf(reports: readonly Candidate[]): number {
  const conflicts = reports.filter(({ evidence }) => evidence.conflict).length;
  const best = Math.max(...reports.map(({ score }) => score));
  return conflicts * 2 > reports.length ? best / 2 : best;
}

async function startStory(tx: Transaction<NewsTables>, item: AssignableItem, now: Date): Promise<string> {
  // Made from the item's id, so that a replay makes the same stories; an attempt is taken only after a split.
  for (let attempt = 0; ; attempt += 1) {
    const publicId = createHash('sha256').update(`${item.id} ${attempt}`).digest('hex').slice(0, 20);
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('news.story')
      .values({ public_id: publicId, title: item.title, created_at: now })
      .onConflict((conflict) => conflict.column('public_id').doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 1n) return publicId;
  }
}

/**
 * Merges the stories that the item fits, unless they contradict each other or a person has split them; the
 * oldest id survives. Returns the survivor.
 */
async function mergeAlike(
  tx: Transaction<NewsTables>,
  story: string,
  groups: readonly Group[],
): Promise<string> {
  const [best, ...rest] = groups;
  let survivor = story;
  for (const group of rest) {
    if (best === undefined || group.story === null || group.story === survivor) continue;
    if (!areAlike(best, group) || (await areSplit(tx, survivor, group.story))) continue;
    const [older, newer] = await byAge(tx, survivor, group.story);
    await mergeStories(tx, newer, older);
    survivor = older;
  }
  return survivor;
}

/** Whether two stories are one, if nothing but the item that both fit says so. */
function areAlike(a: Group, b: Group): boolean {
  const pairs = a.reports.flatMap((mine) =>
    b.reports.map((theirs) => evidenceOf(mine.report, theirs.report)),
  );
  if (pairs.some(({ conflict }) => conflict)) return false;
  return b.score >= CERTAIN || pairs.some((evidence) => likenessOf(evidence) >= PLAUSIBLE);
}

async function areSplit(tx: Transaction<NewsTables>, a: string, b: string): Promise<boolean> {
  const { rows } = await sql`
    with recursive members as (
      select public_id as root, public_id from news.story where public_id in (${a}, ${b})
      union
      select members.root, story.public_id
      from members join news.story as story on story.merged_into = members.public_id
    )
    select from news.story_split as split
    join members as one on one.public_id = split.story
    join members as two on two.public_id = split.other
    where one.root <> two.root
  `.execute(tx);
  return rows.length > 0;
}

async function byAge(tx: Transaction<NewsTables>, a: string, b: string): Promise<[string, string]> {
  const [older] = await tx
    .selectFrom('news.story')
    .select('public_id')
    .where('public_id', 'in', [a, b])
    .orderBy('created_at')
    .orderBy('public_id')
    .execute();
  return older?.public_id === b ? [b, a] : [a, b];
}
