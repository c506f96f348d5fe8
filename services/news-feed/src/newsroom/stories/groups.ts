import {
  CORE,
  evidenceOf,
  likenessOf,
  RELATED,
  SAME_EVENT,
  storyLikeness,
  type WeighedReport,
} from './likeness.ts';
import type { Candidate } from './story-index.ts';

/** How many days after its nearest report an item may still join a story. */
const WINDOW_DAYS = 14;

/** How many unlike stories a report resembles that sums up the news. */
const SUMMED_UP = 3;

/** How many terms a text has at least that sums up anything. */
const SUMMARY_TERMS = 24;

/** After how many days a source that uses a title again has a column of that title. */
const COLUMN_DAYS = 0.5;

/** A story, or an item without one, that a new item may join. */
export interface Group {
  /** Null: an item that has no story yet. */
  story: string | null;
  /** Its reports among the candidates, likeliest first. */
  reports: Candidate[];
  /** `storyLikeness` of the item and the story. */
  score: number;
}

/** Whether an item may join the story of this candidate, as far as the two tell. */
export function mayBeJoined({ evidence, report }: Candidate): boolean {
  return evidence.days <= WINDOW_DAYS && !report.isAlone;
}

/** The stories that an item resembles, likeliest first. `sizeOf` says how many reports a story has. */
export function groupsOf(candidates: readonly Candidate[], sizeOf: (story: string) => number): Group[] {
  const groups = Map.groupBy(candidates.filter(mayBeJoined), ({ story, itemId }) =>
    story === null ? `item ${itemId}` : `story ${story}`,
  );
  return [...groups.values()]
    .map((reports): Group => {
      const story = reports[0]?.story ?? null;
      const size = story === null ? 1 : sizeOf(story);
      return {
        story,
        reports,
        score: storyLikeness(
          reports.map(({ score }) => score),
          size,
        ),
      };
    })
    .filter(({ score }) => score >= RELATED)
    .sort((a, b) => b.score - a.score);
}

/**
 * Whether two stories are one that a report of `source` fits. The report alone does not say so, nor do others
 * of its source, or one source could merge any two stories by a text that names both events: their cores have
 * to be alike, by reports of other sources.
 */
export function areAlike(a: Group, b: Group, source: string): boolean {
  const evidence = a.reports
    .slice(0, CORE)
    .flatMap((mine) => b.reports.slice(0, CORE).map((theirs) => ({ mine, theirs })))
    .map((pair) => ({ ...pair, evidence: evidenceOf(pair.mine.report, pair.theirs.report) }));
  if (evidence.some((pair) => pair.evidence.conflict)) return false;
  const others = evidence.filter(({ mine, theirs }) => mine.source !== source && theirs.source !== source);
  const sum = others.reduce((total, pair) => total + likenessOf(pair.evidence), 0);
  return others.length > 0 && sum / others.length >= SAME_EVENT;
}

/** Whether a report sums up the news: it resembles three stories, of which no two resemble each other. */
export function isSummary({ terms }: WeighedReport, groups: readonly Group[]): boolean {
  if (terms.size < SUMMARY_TERMS) return false;
  const apart: Group[] = [];
  for (const group of groups) {
    const isApart = apart.every((other) => resemblance(group, other) < RELATED);
    if (isApart && apart.push(group) === SUMMED_UP) return true;
  }
  return false;
}

function resemblance(a: Group, b: Group): number {
  const likenesses = a.reports.flatMap((mine) =>
    b.reports.map((theirs) => likenessOf({ ...evidenceOf(mine.report, theirs.report), days: 0 })),
  );
  return Math.max(0, ...likenesses);
}

/** Whether a title is that of a column: its source had it twice before, each time half a day apart. */
export function isColumn(title: string, source: string, candidates: readonly Candidate[]): boolean {
  const words = wordsOf(title);
  const before = candidates
    .filter((one) => one.source === source && one.evidence.isLater && wordsOf(one.title) === words)
    .map(({ evidence }) => evidence.days)
    .sort((a, b) => a - b);
  const apart = before.filter((days, index) => days - (before[index - 1] ?? 0) >= COLUMN_DAYS);
  return apart.length > 1;
}

/** A title without its numbers, such as a date. */
function wordsOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}]+/gu, ' ')
    .trim();
}
