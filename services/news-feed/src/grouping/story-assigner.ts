import { lockUntilCommit } from '@pressroom/common/database/database';
import {
  type Candidate,
  type Found,
  type IndexedReport,
  mayBeOfOneStory,
  type Neighbor,
  neighborsOf,
  placeOf,
  withOthers,
} from '@pressroom/stories';
import { sql, type Transaction } from 'kysely';
import type { NewsTables } from '../tables.ts';
import { StoryBatch, writeReferences } from './story-batch.ts';
import {
  lastNumber,
  putIntoIndex,
  renewInIndex,
  reportsAfter,
  type StorySearch,
  weighTexts,
} from './story-index.ts';
import { renewStories, splitGrownApart, writeDigests } from './story-renewal.ts';

/** Most reports that may have been added since a search: each item is compared with all of them. */
const MOST_MISSED = 500;

/**
 * Assigns items to stories by `storyLikeness`: an item joins the story whose core it is most like, if that
 * reaches `SAME_EVENT`; else it starts a new story. Stories that it shows to be one are merged, and the older
 * id survives. A report that tells several stories, or is one of a column, is a story of its own. Workers
 * decide one after the other, so that two with two reports on one event make one story, but they search
 * before it is their turn. Nothing is lost: the index grows only in somebody's turn, so a report that a
 * search has missed has a higher number than all that it saw, and is compared when the turn comes.
 */
export class RulesAssigner implements StoryAssigner {
  readonly #search: StorySearch;

  constructor(search: StorySearch) {
    this.#search = search;
  }

  async assign(
    tx: Transaction<NewsTables>,
    unordered: readonly AssignableItem[],
    now: Date,
    insert: InsertItems,
  ): Promise<void> {
    if (unordered.length === 0) return;
    const items = unordered.toSorted((a, b) => a.publishedAt.getTime() - b.publishedAt.getTime());
    let search = await this.#search.findLately(tx, items);
    await lockUntilCommit(tx, 'assign stories');
    // Asked first, because mostly nothing was added, and planning to read that takes longer than asking.
    const last = await lastNumber(tx);
    if (last - search.through > MOST_MISSED) search = await this.#search.find(tx, items);
    const missed = last > search.through ? await reportsAfter(tx, search.through) : [];
    const found = search.found.map((one) => withOthers(one, missed));
    const known = found.flatMap(({ candidates }) => candidates);
    const joinable = new Set(known.filter(mayBeOfOneStory).map(({ itemId }) => itemId));
    const batch = await StoryBatch.open(tx, items, new Set(known.map(({ itemId }) => itemId)), joinable, now);
    const assigned: IndexedReport[] = [];
    const grown = new Set<string>();
    const neighbors: { story: string; neighbors: Neighbor[] }[] = [];
    for (const [index, item] of items.entries()) {
      const one = found[index];
      if (one === undefined) continue;
      const candidates = currentCandidates(one, item, assigned, batch);
      const { story, hasGrown, isAlone } = await assignOne(tx, item, one, candidates, batch);
      if (hasGrown) grown.add(story);
      neighbors.push({ story, neighbors: neighborsOf(story, candidates) });
      const { id: itemId, sourceName: source, title } = item;
      assigned.push({ itemId, story, source, title, report: { ...one.report, isAlone } });
    }
    await batch.write();
    await insert((itemId) => batch.storyOf(itemId) ?? null);
    await putIntoIndex(tx, assigned, now);
    await writeReferences(tx, neighbors, (story) => batch.survivorOf(story));
    const { lexicon } = this.#search.reading;
    const told = [...new Set([...grown].map((story) => batch.survivorOf(story)))];
    await writeDigests(tx, told, lexicon, now);
    await splitGrownApart(tx, told, { lexicon, now });
  }

  async renew(tx: Transaction<NewsTables>, reports: readonly ChangedReport[], now: Date): Promise<void> {
    if (reports.length === 0) return;
    await lockUntilCommit(tx, 'assign stories');
    const { reading } = this.#search;
    const { reports: weighed } = await weighTexts(tx, reports, reading);
    await renewInIndex(
      tx,
      reports.flatMap(({ id }, index) => {
        const report = weighed[index];
        return report === undefined ? [] : [{ itemId: id, report }];
      }),
    );
    const stories = await tx
      .selectFrom('news.item')
      .select('story')
      .distinct()
      .where('id', '=', sql<string>`any(${reports.map(({ id }) => id)})`)
      .execute();
    await renewStories(
      tx,
      stories.flatMap(({ story }) => story ?? []),
      reports.map(({ formerTitle }) => formerTitle),
      { lexicon: reading.lexicon, now },
    );
  }
}

/** The candidates of an item with their stories as they are now, those of the same batch included. */
function currentCandidates(
  found: Found,
  item: AssignableItem,
  assigned: readonly IndexedReport[],
  batch: StoryBatch,
): Candidate[] {
  return withOthers(found, assigned).candidates.flatMap((candidate) => {
    const story = batch.storyOf(candidate.itemId);
    return story === undefined || candidate.itemId === item.id ? [] : [{ ...candidate, story }];
  });
}

/** Puts an item into its story, and returns that and whether it has other reports. */
async function assignOne(
  tx: Transaction<NewsTables>,
  item: AssignableItem,
  { report }: Found,
  candidates: readonly Candidate[],
  batch: StoryBatch,
): Promise<{ story: string; hasGrown: boolean; isAlone: boolean }> {
  const { title, sourceName: source } = item;
  const { isAlone, joined, alike } = placeOf({ report, title, source }, candidates, (story) =>
    batch.sizeOf(story),
  );
  const story = joined?.story ?? (await batch.start(item));
  const others = joined?.story === null ? joined.itemIds : [];
  batch.put([item.id, ...others], story);
  if (joined === undefined) return { story, hasGrown: false, isAlone };
  if (alike.length === 0) return { story, hasGrown: true, isAlone };
  // Split stories are looked up in the database.
  await batch.write();
  const merged = await withoutSplit(tx, [...new Set([story, ...alike])]);
  const [survivor = story, ...younger] = batch.byAge(merged);
  if (younger.length > 0) await batch.merge(younger, survivor);
  return { story: survivor, hasGrown: true, isAlone };
}

/** An item that may belong to a story. */
export interface AssignableItem {
  id: string;
  title: string;
  /** The title in the source's language, if `title` is a translation. */
  originalTitle: string | null;
  summary: string | null;
  sourceName: string;
  category: string | null;
  publishedAt: Date;
  discoveredAt: Date;
}

/** A stored item that its source has edited. */
export interface ChangedReport extends AssignableItem {
  formerTitle: string;
}

/** Inserts items, each in the story that `storyOf` says; null: it has none. */
export type InsertItems = (storyOf: (itemId: string) => string | null) => Promise<void>;

/** Finds the stories that items report on. */
export interface StoryAssigner {
  /**
   * Puts each new item into its story, one that was there or one that it creates, in the order of
   * publication; an item may stay without a story. It runs in the transaction that writes the items, lets
   * `insert` do that once their stories are there, and may give other items, which had no story, the same
   * one. Any number of workers ask at once; the worker runs the transaction again if it loses a race
   * (`isLostRace`).
   */
  assign(
    tx: Transaction<NewsTables>,
    items: readonly AssignableItem[],
    now: Date,
    insert: InsertItems,
  ): Promise<void>;
  /**
   * Lets items that were edited be found by what they say now, and their stories tell it; they stay in these.
   * It runs in the transaction that edits them, after `assign`.
   */
  renew(tx: Transaction<NewsTables>, reports: readonly ChangedReport[], now: Date): Promise<void>;
}

/** Leaves out those of the stories that a person has split from one before them. */
export async function withoutSplit(
  tx: Transaction<NewsTables>,
  stories: readonly string[],
): Promise<string[]> {
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
