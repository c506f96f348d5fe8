import { lockUntilCommit } from '@pressroom/common/database/database';
import { sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { writeDigests } from './digest-writer.ts';
import { areAlike, groupsOf, isColumn, isSummary, mayBeJoined } from './groups.ts';
import { splitGrownApart } from './grown-apart.ts';
import { SAME_EVENT } from './likeness.ts';
import { type Neighbor, neighborsOf, writeReferences } from './references.ts';
import { renewStories } from './renew-stories.ts';
import type { AssignableItem, ChangedReport, InsertItems, StoryAssigner } from './story-assigner.ts';
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

/** How many reports may have been added since a search: each item is compared with all of them. */
const MOST_MISSED = 500;

/**
 * Assigns items to stories by `storyLikeness`: an item joins the story whose core it is most like, if that
 * reaches `SAME_EVENT`; else it starts a new story. Stories that it shows to be one are merged, and the older
 * id survives. A report that tells several stories, or is one of a column, is a story of its own.
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
    const joinable = new Set(
      known.filter((one) => mayBeJoined(one) && one.score >= SAME_EVENT).map(({ itemId }) => itemId),
    );
    const board = await StoryBoard.open(tx, items, new Set(known.map(({ itemId }) => itemId)), joinable, now);
    const assigned: IndexedReport[] = [];
    const grown = new Set<string>();
    const neighbors: { story: string; neighbors: Neighbor[] }[] = [];
    for (const [index, item] of items.entries()) {
      const one = found[index];
      if (one === undefined) continue;
      const candidates = currentCandidates(one, item, assigned, board);
      const { story, hasGrown, isAlone } = await assignOne(tx, item, one, candidates, board);
      if (hasGrown) grown.add(story);
      neighbors.push({ story, neighbors: neighborsOf(story, candidates) });
      const { id: itemId, sourceName: source, title } = item;
      assigned.push({ itemId, story, source, title, report: { ...one.report, isAlone } });
    }
    await board.write();
    await insert((itemId) => board.storyOf(itemId) ?? null);
    await putIntoIndex(tx, assigned, now);
    await writeReferences(tx, neighbors, (story) => board.survivorOf(story));
    const { lexicon } = this.#search.reading;
    const told = [...new Set([...grown].map((story) => board.survivorOf(story)))];
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
  { report }: Found,
  candidates: readonly Candidate[],
  board: StoryBoard,
): Promise<{ story: string; hasGrown: boolean; isAlone: boolean }> {
  const groups = groupsOf(candidates, (story) => board.sizeOf(story));
  const isAlone =
    report.isAlone || isColumn(item.title, item.sourceName, candidates) || isSummary(report, groups);
  const [best, ...rest] = isAlone ? [] : groups.filter(({ score }) => score >= SAME_EVENT);
  if (best === undefined) {
    const started = await board.start(item);
    board.put([item.id], started);
    return { story: started, hasGrown: false, isAlone };
  }
  const story = best.story ?? (await board.start(item));
  board.put([item.id, ...(best.story === null ? best.reports.map(({ itemId }) => itemId) : [])], story);
  const alike = rest.flatMap((group) => (areAlike(best, group, item.sourceName) ? (group.story ?? []) : []));
  if (alike.length === 0) return { story, hasGrown: true, isAlone };
  // Split stories are looked up in the database.
  await board.write();
  const merged = await withoutSplit(tx, [...new Set([story, ...alike])]);
  const [survivor = story, ...others] = board.byAge(merged);
  if (others.length > 0) await board.merge(others, survivor);
  return { story: survivor, hasGrown: true, isAlone };
}
