import { marksConflict, type ReportTerms, rarityOf, type Term } from './terms.ts';
import { meaningOf, type StoredTitle, storedTitle, type TitleVector, titleVector } from './title-vectors.ts';

/** A term with its rarity counted in. */
export interface WeighedTerm extends Term {
  /** `Term.weight` times the term's rarity. */
  weight: number;
}

/** A report as the score reads it. */
export interface WeighedReport extends Omit<ReportTerms, 'terms'> {
  terms: ReadonlyMap<string, WeighedTerm>;
  publishedAt: Date;
  /** Its title as a model embeds it, where there is one. */
  title?: TitleVector;
}

/**
 * The reports with their terms weighed by how rare they are among `stored` items and the reports before each;
 * `items` says how many of the stored ones have a term.
 */
export function weighed(
  reports: readonly (ReportTerms & { publishedAt: Date; title: TitleVector | undefined })[],
  items: ReadonlyMap<string, number>,
  stored: number,
): WeighedReport[] {
  const counts = new Map(items);
  return reports.map(({ terms, title, ...rest }, index): WeighedReport => {
    const weighed = [...terms].map(([term, known]): [string, WeighedTerm] => {
      const count = counts.get(term) ?? 0;
      counts.set(term, count + 1);
      return [term, { ...known, weight: known.weight * rarityOf(count, stored + index) }];
    });
    return { ...rest, terms: new Map(weighed), ...(title && { title }) };
  });
}

/** The terms by which an item is compared, in short form, as there is one for each item. */
export interface StoredReport {
  /** The place of its kind in {@link KINDS}, and its weight, by term. */
  terms: Record<string, [kind: number, weight: number]>;
  marks: Record<string, string[]>;
  chinese: boolean;
  /** True if no other report joins its story. */
  alone?: boolean;
  /** Its title as a model embeds it. */
  title?: StoredTitle;
}

/** The kinds, by the place under which they are stored. */
const KINDS = ['name', 'place', 'number', 'concept', 'word', 'characters'] as const;

export function storedReport({
  terms,
  marks,
  isChinese,
  isAlone,
  title,
}: Omit<WeighedReport, 'publishedAt'>): StoredReport {
  const short = [...terms].map(([term, { kind, weight }]): [string, [number, number]] => [
    term,
    [KINDS.indexOf(kind), Number(weight.toFixed(3))],
  ]);
  return {
    terms: Object.fromEntries(short),
    marks,
    chinese: isChinese,
    ...(isAlone && { alone: true }),
    ...(title && { title: storedTitle(title) }),
  };
}

/** A stored report as it is compared. */
export function weighedReport(
  { terms, marks, chinese, alone = false, title }: StoredReport,
  publishedAt: Date,
): WeighedReport {
  const long = Object.entries(terms).map(([term, [place, weight]]): [string, WeighedTerm] => [
    term,
    { kind: KINDS[place] ?? 'word', weight },
  ]);
  return {
    ...{ terms: new Map(long), marks, isChinese: chinese, isAlone: alone, publishedAt },
    ...(title && { title: titleVector(title) }),
  };
}

/** The facts from which two reports are scored. */
export interface Evidence {
  /** The cosine of their terms; of two languages, of what survives translation if that says more. */
  cosine: number;
  /** True if one of them has hardly more words than a headline. */
  isShort: boolean;
  /** Likeness of two headlines in meaning, if a model gives it (`meaningOf`). */
  meaning: number | null;
  /** True if a version, magnitude, quarter, round or year tells the two apart. */
  conflict: boolean;
  /** Days between the publications. */
  days: number;
  /** True if the first report was published after the second. */
  isLater: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Words of the longest headline. */
const HEADLINE = 14;

/**
 * Weight of the cosine between two languages, where only names, numbers and concepts of the lexicon compare.
 */
const CROSSING = 0.4;

/** Collects the evidence that two reports are on one event. A pure function. */
export function evidenceOf(a: WeighedReport, b: WeighedReport): Evidence {
  const [mine, theirs] = [sizeOf(a), sizeOf(b)];
  let [product, portable] = [0, 0];
  for (const [name, term] of a.terms) {
    const other = b.terms.get(name);
    if (other === undefined) continue;
    product += term.weight * other.weight;
    if (isPortable(term) || isPortable(other)) portable += term.weight * other.weight;
  }
  const cosine = ratio(product, mine.norm * theirs.norm);
  const crossing = CROSSING * ratio(portable, mine.portableNorm * theirs.portableNorm);
  const isShort = Math.min(mine.parts, theirs.parts) <= HEADLINE;
  return {
    cosine: a.isChinese === b.isChinese ? cosine : Math.max(cosine, crossing),
    isShort,
    meaning: isShort ? meaningOf(a.title, b.title) : null,
    conflict: marksConflict(a.marks, b.marks),
    days: Math.abs(a.publishedAt.getTime() - b.publishedAt.getTime()) / DAY_MS,
    isLater: a.publishedAt > b.publishedAt,
  };
}

function isPortable({ kind }: Term): boolean {
  return kind !== 'word' && kind !== 'characters';
}

/** The part of a word that a term is: two characters overlap with the two before and behind them. */
function partOf({ kind }: Term): number {
  return kind === 'characters' ? 0.5 : 1;
}

/** Figures of a report that every comparison needs. */
interface Size {
  parts: number;
  norm: number;
  portableNorm: number;
}

const SIZES = new WeakMap<WeighedReport, Size>();

function sizeOf(report: WeighedReport): Size {
  const known = SIZES.get(report);
  if (known !== undefined) return known;
  let [sum, portableSum, parts] = [0, 0, 0];
  for (const term of report.terms.values()) {
    sum += term.weight ** 2;
    parts += partOf(term);
    if (isPortable(term)) portableSum += term.weight ** 2;
  }
  const size = { parts, norm: Math.sqrt(sum), portableNorm: Math.sqrt(portableSum) };
  SIZES.set(report, size);
  return size;
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(1, part / whole);
}

/** The likeness of a report and a story from which it belongs there. */
export const SAME_EVENT = 0.22;

/** The likeness from which two stories are related. */
export const RELATED = 0.12;

/** Corrects for headlines: having few words, they share more of them than texts that are as alike. */
const SHORTNESS = 0.87;

/** Weight of two headlines meaning the same where they share few words… */
const MEANING = 0.3;

/** … and from where on it counts for them. */
const SAME_MEANING = 0.35;

/** Each day between two reports lowers their likeness by this much. */
const DAY = 0.04;

/**
 * The likeness of two reports, from 0 to 1:
 *
 *     cosine  (/ 0.87 if one is hardly longer than a headline)  − 0.04 · days  (+ 0.3 · (meaning − 0.35))
 *
 * and 0 if a version, magnitude, quarter, round or year tells them apart. A pure function.
 */
export function likenessOf({ cosine, isShort, meaning, conflict, days }: Evidence): number {
  if (conflict) return 0;
  const meant = meaning === null ? 0 : MEANING * (meaning - SAME_MEANING);
  return Math.max(0, cosine / (isShort ? SHORTNESS : 1) - DAY * days + meant);
}

/** A story is compared by this many of its reports: those most like the new one. */
export const CORE = 4;

/** Greatest share of a single report among several: a copy of one does not show what the others tell. */
const MOST = 0.6;

/**
 * The likeness of a report and a story of `size` reports: the mean over its core, so that no single report
 * brings another into a story. `likenesses` has those of the reports that were compared; others share next to
 * nothing. A pure function.
 */
export function storyLikeness(likenesses: readonly number[], size: number): number {
  const core = Math.max(1, Math.min(CORE, Math.max(size, likenesses.length)));
  const best = likenesses.toSorted((a, b) => b - a).slice(0, core);
  if (core === 1) return best[0] ?? 0;
  return best.reduce((sum, one) => sum + Math.min(one, MOST), 0) / core;
}
