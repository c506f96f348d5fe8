import { marksConflict, type ReportTerms, type Term } from './terms.ts';
import { meaningOf, type TitleVector } from './title-vectors.ts';

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
