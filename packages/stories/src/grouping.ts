import {
  CORE,
  type Evidence,
  evidenceOf,
  likenessOf,
  RELATED,
  SAME_EVENT,
  storyLikeness,
  type WeighedReport,
} from './likeness.ts';

/** A stored item, as it is compared with a new one. */
export interface IndexedReport {
  itemId: string;
  story: string | null;
  source: string;
  title: string;
  report: WeighedReport;
}

/** A stored item that may be on the same event. */
export interface Candidate extends IndexedReport {
  evidence: Evidence;
  /** `likenessOf` the evidence. */
  score: number;
}

/** Matches of a text among the stored items. */
export interface Found {
  report: WeighedReport;
  /** The terms by which other items are its candidates, the weightiest, with their weights in thousandths. */
  proposing: ReadonlyMap<string, number>;
  /** Proposing terms that a candidate shares at least: most items that share one share no other. */
  least: number;
  /** Likeliest first. */
  candidates: readonly Candidate[];
}

/** Only the weightiest terms, which are the rarest, propose candidates. */
const PROPOSING_TERMS = 16;

/** A candidate shares at least this many of the proposing terms, if there are so many. */
const LEAST_SHARED = 2;

/** The search for other reports on the event of `report`; no candidates yet. */
export function searchFor(report: WeighedReport): Found {
  const weightiest = [...report.terms]
    .filter(([, { weight }]) => weight > 0)
    .sort(([a, { weight: mine }], [b, { weight: theirs }]) => theirs - mine || (a < b ? -1 : 1))
    .slice(0, PROPOSING_TERMS);
  const proposing = new Map(weightiest.map(([term, { weight }]) => [term, Math.round(weight * 1000)]));
  return { report, proposing, least: Math.min(LEAST_SHARED, proposing.size), candidates: [] };
}

/** Adds items to a text's candidates. */
export function withCandidates(found: Found, others: readonly IndexedReport[]): Found {
  if (others.length === 0) return found;
  const added = others.map((other): Candidate => {
    const evidence = evidenceOf(found.report, other.report);
    return { ...other, evidence, score: likenessOf(evidence) };
  });
  return { ...found, candidates: [...found.candidates, ...added].sort(byScore) };
}

function byScore(a: Candidate, b: Candidate): number {
  return b.score - a.score || (a.itemId < b.itemId ? -1 : 1);
}

/** Adds those of `others` that share a text's rarest terms to its candidates, as a search for them would. */
export function withOthers(found: Found, others: readonly IndexedReport[]): Found {
  const known = new Set(found.candidates.map(({ itemId }) => itemId));
  // Made once: each text of a batch is compared with hundreds of others.
  const proposed = [...found.proposing.keys()];
  const added = others.filter(
    ({ itemId, report: { terms } }) =>
      !known.has(itemId) && proposed.filter((term) => terms.has(term)).length >= found.least,
  );
  return withCandidates(found, added);
}

/** Days after its nearest report in which an item may still join a story. */
const WINDOW_DAYS = 14;

/** A report that resembles this many unlike stories sums up the news. */
const SUMMED_UP = 3;

/** A shorter text, in terms, sums up nothing. */
const SUMMARY_TERMS = 24;

/** After how many days a source that uses a title again has a column of that title. */
const COLUMN_DAYS = 0.5;

/** Days within which other sources count as coverage. */
const COVERAGE_DAYS = 14;

/** The number of other sources among the candidates that report on the event of a report by `source`. */
export function coverageAmong(candidates: readonly Candidate[], source: string | undefined): number {
  const others = candidates.filter(
    (one) => one.score >= SAME_EVENT && one.evidence.days <= COVERAGE_DAYS && one.source !== source,
  );
  return new Set(others.map((one) => one.source)).size;
}

/** True if the score and the time of this candidate may let the item join its story. */
export function mayBeOfOneStory(candidate: Candidate): boolean {
  return mayBeJoined(candidate) && candidate.score >= SAME_EVENT;
}

/** Where a report belongs. */
interface Place {
  /** True if it tells several stories or belongs to a column: no other report joins its story. */
  isAlone: boolean;
  /** The story that it joins, or with null these items that have none yet. Undefined: it starts a story. */
  joined: { story: string | null; itemIds: readonly string[] } | undefined;
  /** Stories that are the one that it joins. */
  alike: readonly string[];
}

/**
 * Says where a report belongs: in the story whose core it is most like, if that reaches {@link SAME_EVENT}.
 * `sizeOf` says how many reports a story has. A pure function.
 */
export function placeOf(
  { report, title, source }: { report: WeighedReport; title: string; source: string },
  candidates: readonly Candidate[],
  sizeOf: (story: string) => number,
): Place {
  const groups = groupsOf(candidates, sizeOf);
  const isAlone = report.isAlone || isColumn(title, source, candidates) || isSummary(report, groups);
  const [best, ...rest] = isAlone ? [] : groups.filter(({ score }) => score >= SAME_EVENT);
  if (best === undefined) return { isAlone, joined: undefined, alike: [] };
  return {
    isAlone,
    joined: { story: best.story, itemIds: best.reports.map(({ itemId }) => itemId) },
    alike: rest.flatMap((group) => (areAlike(best, group, source) ? (group.story ?? []) : [])),
  };
}

/** A story, or an item without one, that a new item may join. */
interface Group {
  /** Null: an item that has no story yet. */
  story: string | null;
  /** Its reports among the candidates, likeliest first. */
  reports: Candidate[];
  /** `storyLikeness` of the item and the story. */
  score: number;
}

/** True if this candidate's evidence lets the item join its story. */
function mayBeJoined({ evidence, report }: Candidate): boolean {
  return evidence.days <= WINDOW_DAYS && !report.isAlone;
}

/** The stories that an item resembles, likeliest first. `sizeOf` says how many reports a story has. */
function groupsOf(candidates: readonly Candidate[], sizeOf: (story: string) => number): Group[] {
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
 * True if two stories are one that a report of `source` fits. Neither the report nor others of its source
 * decide this, or one source could merge any two stories by a text that names both events: their cores have
 * to be alike, by reports of other sources.
 */
function areAlike(a: Group, b: Group, source: string): boolean {
  const evidence = a.reports
    .slice(0, CORE)
    .flatMap((mine) => b.reports.slice(0, CORE).map((theirs) => ({ mine, theirs })))
    .map((pair) => ({ ...pair, evidence: evidenceOf(pair.mine.report, pair.theirs.report) }));
  if (evidence.some((pair) => pair.evidence.conflict)) return false;
  const others = evidence.filter(({ mine, theirs }) => mine.source !== source && theirs.source !== source);
  const sum = others.reduce((total, pair) => total + likenessOf(pair.evidence), 0);
  return others.length > 0 && sum / others.length >= SAME_EVENT;
}

/** True if a report resembles three stories, of which no two resemble each other. */
function isSummary({ terms }: WeighedReport, groups: readonly Group[]): boolean {
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

/** True if a title is that of a column: its source used it twice before, each time half a day apart. */
function isColumn(title: string, source: string, candidates: readonly Candidate[]): boolean {
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

/** A story refers by rule to at most this many stories of each kind. */
export const MOST_REFERENCES = 8;

/** Another story that a story points to. */
export interface Neighbor {
  story: string;
  kind: 'storyline' | 'related';
  score: number;
  /** True if that report is older than the one that it was compared with. */
  isEarlier: boolean;
}

/**
 * The stories of the candidates that a story and they are to point to: one is on the same storyline if the
 * score reaches `SAME_EVENT` once the time between them, and what tells the two events apart (a version, a
 * quarter), are left out; it is related if the score as it is reaches `RELATED`.
 */
export function neighborsOf(story: string, candidates: readonly Candidate[]): Neighbor[] {
  const neighbors = new Map<string, Neighbor>();
  for (const candidate of candidates) {
    if (candidate.story === null || candidate.story === story) continue;
    const timeless = likenessOf({ ...candidate.evidence, conflict: false, days: 0 });
    const isStoryline = timeless >= SAME_EVENT;
    if (!isStoryline && candidate.score < RELATED) continue;
    const kind = isStoryline ? 'storyline' : 'related';
    const score = isStoryline ? timeless : candidate.score;
    const known = neighbors.get(candidate.story);
    if (known === undefined || known.score < score) {
      const isEarlier = candidate.evidence.isLater;
      neighbors.set(candidate.story, { story: candidate.story, kind, score, isEarlier });
    }
  }
  return [...neighbors.values()].sort((a, b) => b.score - a.score).slice(0, MOST_REFERENCES);
}

/** A story is split only by events with at least this many reports. */
const LEAST_PART = 3;

interface Member {
  itemId: string;
  report: WeighedReport;
}

/**
 * The reports that leave a story: those of one event, if there are two that have next to nothing in common.
 * The first two are those that are least alike; each other report goes with what it is more like, and the
 * larger part stays. A pure function.
 */
export function reportsOfAnotherEvent(members: readonly Member[]): string[] {
  const likenesses = members.map(({ report: one }) =>
    members.map(({ report: other }) => likenessOf({ ...evidenceOf(one, other), days: 0 })),
  );
  const all = members.map((_, index) => index);
  const mean = (some: readonly number[], others: readonly number[]) => {
    const pairs = some.flatMap((a) => others.filter((b) => a !== b).map((b) => likenesses[a]?.[b] ?? 0));
    return pairs.reduce((sum, one) => sum + one, 0) / Math.max(1, pairs.length);
  };
  const [least] = all
    .flatMap((a) => all.slice(a + 1).map((b): [number, number] => [a, b]))
    .sort((one, other) => mean([one[0]], [one[1]]) - mean([other[0]], [other[1]]));
  if (least === undefined) return [];
  const [stay, leave] = [[least[0]], [least[1]]];
  for (const one of all.filter((index) => !least.includes(index))) {
    (mean([one], stay) >= mean([one], leave) ? stay : leave).push(one);
  }
  const isOne = [stay, leave].some((part) => part.length < LEAST_PART || mean(part, part) < SAME_EVENT);
  if (isOne || mean(stay, leave) >= RELATED) return [];
  return (stay.length >= leave.length ? leave : stay).flatMap((index) => members[index]?.itemId ?? []);
}
