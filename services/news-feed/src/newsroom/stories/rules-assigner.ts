import { createHash } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { lockStories } from '../editing/stories.ts';
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

/** Groups whose stories are locked, and when each of these was created. */
interface LockedGroups {
  groups: Group[];
  createdAt: ReadonlyMap<string, Date>;
}

/**
 * Locks the stories of the groups until the transaction ends: a person who merges one waits, and then moves
 * the new item too. A story that a person has merged just now is its survivor.
 */
async function lockGroups(tx: Transaction<NewsTables>, groups: Group[]): Promise<LockedGroups> {
  const ids = [...new Set(groups.flatMap(({ story }) => story ?? []))];
  if (ids.length === 0) return { groups, createdAt: new Map() };
  const locked = await tx
    .selectFrom('news.story')
    .select(['public_id', 'created_at', 'merged_into'])
    .where('public_id', '=', sql<string>`any(${ids})`)
    .orderBy('public_id')
    .forShare()
    .execute();
  if (locked.length === ids.length && locked.every(({ merged_into }) => merged_into === null)) {
    return { groups, createdAt: new Map(locked.map(({ public_id, created_at }) => [public_id, created_at])) };
  }
  const survivors = await lockStories(tx, ids);
  const moved = groups.map((group) => ({
    ...group,
    story: group.story && (survivors.get(group.story) ?? null),
  }));
  return lockGroups(tx, moved);
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
    const { groups, createdAt } = await lockGroups(tx, groupsOf(others));
    const [best] = groups;
    const story = best?.story ?? (await startStory(tx, item, now));
    const reports = best?.story === null ? best.reports.map(({ itemId }) => itemId) : [];
    await putIntoIndex(tx, item.id, report, now);
    const survivor = await mergeAlike(tx, story, groups, createdAt);
    await tx
      .updateTable('news.item')
      .set({ story: survivor })
      .where('id', '=', sql<string>`any(${[item.id, ...reports]})`)
      .where((where) => where.or([where('story', 'is', null), where('id', '=', item.id)]))
      .execute();
    await writeReferences(tx, survivor, others);
    if (best !== undefined) await writeDigest(tx, survivor, this.#lexicon, now);
    return survivor;
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
  [best, ...rest]: readonly Group[],
  createdAt: ReadonlyMap<string, Date>,
): Promise<string> {
  if (best === undefined) return story;
  const alike = rest.flatMap((group) => (areAlike(best, group) ? (group.story ?? []) : []));
  const merged = await withoutSplit(tx, [...new Set([story, ...alike])]);
  if (merged.length === 1) return story;
  const [survivor = story, ...others] = merged.toSorted((a, b) => byAge(a, b, createdAt));
  await tx
    .updateTable('news.story')
    .set({ merged_into: survivor, updated_at: sql<Date>`clock_timestamp()` })
    .where('public_id', '=', sql<string>`any(${others})`)
    .execute();
  await tx
    .updateTable('news.item')
    .set({ story: survivor })
    .where('story', '=', sql<string>`any(${others})`)
    .execute();
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

/** Leaves out those that a person has split from one before them. */
async function withoutSplit(tx: Transaction<NewsTables>, stories: readonly string[]): Promise<string[]> {
  if (stories.length === 1) return [...stories];
  const { rows } = await sql<{ one: string; two: string }>`
    with recursive members as (
      select public_id as root, public_id from news.story where public_id = any(${stories})
      union
      select members.root, story.public_id
      from members join news.story as story on story.merged_into = members.public_id
    )
    select one.root as one, two.root as two from news.story_split as split
    join members as one on one.public_id = split.story
    join members as two on two.public_id = split.other
    where one.root <> two.root
  `.execute(tx);
  const areSplit = (a: string, b: string) =>
    rows.some(({ one, two }) => (one === a && two === b) || (one === b && two === a));
  const kept: string[] = [];
  for (const story of stories) {
    if (!kept.some((other) => areSplit(other, story))) kept.push(story);
  }
  return kept;
}

/** The older first; one that was started just now is the newest. */
function byAge(a: string, b: string, createdAt: ReadonlyMap<string, Date>): number {
  const time = (story: string) => createdAt.get(story)?.getTime() ?? Number.POSITIVE_INFINITY;
  if (time(a) !== time(b)) return time(a) - time(b);
  return a < b ? -1 : 1;
}
