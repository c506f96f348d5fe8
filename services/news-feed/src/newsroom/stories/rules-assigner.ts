import { lockUntilCommit } from '@pressroom/common/database/advisory-locks';
import { sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { writeDigests } from './digest-writer.ts';
import { evidenceOf, likenessOf, SAME_EVENT } from './likeness.ts';
import { type Neighbor, neighborsOf, writeReferences } from './references.ts';
import { renewStories } from './renew-stories.ts';
import type { AssignableItem, ChangedReport, StoryAssigner } from './story-assigner.ts';
import { StoryBoard } from './story-board.ts';
import {
  type Candidate,
  type Found,
  type IndexedReport,
  lastNumber,
  putIntoIndex,
  renewInIndex,
  reportsAfter,
  withOthers,
} from './story-index.ts';
import type { StorySearch } from './story-search.ts';
import { withoutSplit } from './story-splits.ts';
import { weighTexts } from './term-rarity.ts';

/** How many days after its nearest report an item may still join a story. */
const WINDOW_DAYS = 14;

/** The score between their own reports that two stories need so that an item which fits both merges them. */
const PLAUSIBLE = 0.15;

/** How many reports may have been added since a search: each item is compared with all of them. */
const MOST_MISSED = 500;

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
 * reaches `SAME_EVENT` and is at most 14 days away; else it starts a new story. Stories that it shows
 * to be one are merged, and the older id survives.
 *
 * Workers decide one after the other, so that two with two reports on one event make one story, but they
 * search before it is their turn. That loses nothing: the index grows only in somebody's turn, so what a
 * search has missed has a higher number than all that it saw, and is compared when the turn comes.
 */
export class RulesAssigner implements StoryAssigner {
  readonly #search: StorySearch;

  constructor(search: StorySearch) {
    this.#search = search;
  }

  async assign(tx: Transaction<NewsTables>, items: readonly AssignableItem[], now: Date): Promise<void> {
    if (items.length === 0) return;
    let search = await this.#search.findLately(tx, items);
    await lockUntilCommit(tx, 'assign stories');
    // Asked first, because mostly nothing was added, and planning to read that takes longer than asking.
    const last = await lastNumber(tx);
    if (last - search.through > MOST_MISSED) search = await this.#search.find(tx, items);
    const missed = last > search.through ? await reportsAfter(tx, search.through) : [];
    const found = search.found.map((one) => withOthers(one, missed));
    const known = found.flatMap(({ candidates }) => candidates);
    const joinable = new Set(known.filter(mayBeJoined).map(({ itemId }) => itemId));
    const board = await StoryBoard.open(tx, items, new Set(known.map(({ itemId }) => itemId)), joinable, now);
    const assigned: IndexedReport[] = [];
    const grown = new Set<string>();
    const neighbors: { story: string; neighbors: Neighbor[] }[] = [];
    for (const [index, item] of items.entries()) {
      const one = found[index];
      if (one === undefined) continue;
      const candidates = currentCandidates(one, item, assigned, board);
      const { story, hasGrown } = await assignOne(tx, item, candidates, board);
      if (hasGrown) grown.add(story);
      neighbors.push({ story, neighbors: neighborsOf(story, candidates) });
      assigned.push({ itemId: item.id, story, source: item.sourceName, report: one.report });
    }
    await board.write();
    await putIntoIndex(tx, assigned, now);
    await writeReferences(tx, neighbors, (story) => board.survivorOf(story));
    await writeDigests(
      tx,
      [...new Set([...grown].map((story) => board.survivorOf(story)))],
      this.#search.lexicon,
      now,
    );
  }

  async renew(tx: Transaction<NewsTables>, reports: readonly ChangedReport[], now: Date): Promise<void> {
    if (reports.length === 0) return;
    await lockUntilCommit(tx, 'assign stories');
    const { lexicon } = this.#search;
    const { reports: weighed } = await weighTexts(tx, reports, lexicon);
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
      { lexicon, now },
    );
  }
}

/** The candidates of an item with their stories as they are now, those of the same batch included. */
function currentCandidates(
  found: Found,
  item: AssignableItem,
  assigned: readonly IndexedReport[],
  board: StoryBoard,
): Candidate[] {
  return withOthers(found, assigned).candidates.flatMap((candidate) => {
    const story = board.storyOf(candidate.itemId);
    return story === undefined || candidate.itemId === item.id ? [] : [{ ...candidate, story }];
  });
}

/** Puts an item into its story, and returns that and whether it has other reports. */
async function assignOne(
  tx: Transaction<NewsTables>,
  item: AssignableItem,
  candidates: readonly Candidate[],
  board: StoryBoard,
): Promise<{ story: string; hasGrown: boolean }> {
  const [best, ...rest] = groupsOf(candidates);
  if (best === undefined) {
    const started = await board.start(item);
    board.put([item.id], started);
    return { story: started, hasGrown: false };
  }
  const story = best.story ?? (await board.start(item));
  board.put([item.id, ...(best.story === null ? best.reports.map(({ itemId }) => itemId) : [])], story);
  const alike = rest.flatMap((group) => (areAlike(best, group, item.sourceName) ? (group.story ?? []) : []));
  if (alike.length === 0) return { story, hasGrown: true };
  // Split stories are looked up in the database.
  await board.write();
  const merged = await withoutSplit(tx, [...new Set([story, ...alike])]);
  const [survivor = story, ...others] = board.byAge(merged);
  if (others.length > 0) await board.merge(others, survivor);
  return { story: survivor, hasGrown: true };
}

/** Whether an item may join the story of this candidate, as far as the two tell. */
function mayBeJoined({ evidence, score }: Candidate): boolean {
  return evidence.days <= WINDOW_DAYS && score >= SAME_EVENT;
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

/**
 * Whether two stories are one that a report of `source` fits. The report alone does not say so, nor do others
 * of its source, or one source could merge any two stories by a text that names both events: reports of other
 * sources have to be alike, too.
 */
function areAlike(a: Group, b: Group, source: string): boolean {
  const pairs = a.reports.flatMap((mine) =>
    b.reports.map((theirs) => ({
      evidence: evidenceOf(mine.report, theirs.report),
      isOthers: mine.source !== source && theirs.source !== source,
    })),
  );
  if (pairs.some(({ evidence }) => evidence.conflict)) return false;
  return pairs.some(({ evidence, isOthers }) => isOthers && likenessOf(evidence) >= PLAUSIBLE);
}
