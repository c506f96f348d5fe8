import { marksConflict } from './marks.ts';
import { informationOf } from './rarity.ts';
import { surpriseOf } from './surprise.ts';
import type { ReportTerms, Term } from './terms.ts';

/** A term with its rarity counted in. */
export interface WeighedTerm extends Term {
  /**
   * `Term.weight` times the term's rarity: about 1 for a name found nowhere else, near 0 for a common
   * word.
   */
  weight: number;
  /** From 0, every item has it, to 1, no other has. */
  rarity: number;
}

/** A report as the score reads it. */
export interface WeighedReport extends Omit<ReportTerms, 'terms'> {
  terms: ReadonlyMap<string, WeighedTerm>;
  publishedAt: Date;
  /** How many items the rarity of its terms was counted among. */
  stored: number;
}

/** What the score of two reports is computed from. */
export interface Evidence {
  /** The cosine of all terms. */
  cosine: number;
  /** The cosine of what survives translation: names, numbers, and concepts of the lexicon. */
  portable: number;
  /** The weights of the names that both have, added up. */
  names: number;
  /** Likewise of the numbers. */
  numbers: number;
  /** Likewise of everything else. */
  others: number;
  /** How many terms both have, generic words left out. */
  terms: number;
  /** `surpriseOf` what they share: below a few nats, some stored report shares as much by chance. */
  surprise: number;
  /** Whether both name names or places, and none is the same. */
  rivals: boolean;
  /** Whether one report is Chinese and the other is not. */
  crossesLanguages: boolean;
  /** Whether a version, magnitude, quarter, round or year tells the two apart. */
  conflict: boolean;
  /** Days between the publications. */
  days: number;
  /** Whether the first report was published after the second. */
  isLater: boolean;
}

/** The weight from which a shared term is not a generic word. */
const TELLING = 0.2;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Collects the evidence that two reports are on one event. A pure function. */
export function evidenceOf(a: WeighedReport, b: WeighedReport): Evidence {
  const [mySize, theirSize] = [sizeOf(a), sizeOf(b)];
  const shared: Record<'name' | 'number' | 'other', number> = { name: 0, number: 0, other: 0 };
  let product = 0;
  let portableProduct = 0;
  let terms = 0;
  let named = 0;
  const information: number[] = [];
  for (const [term, mine] of a.terms) {
    const theirs = b.terms.get(term);
    if (theirs === undefined) continue;
    product += mine.weight * theirs.weight;
    if (isPortable(mine) || isPortable(theirs)) portableProduct += mine.weight * theirs.weight;
    const weight = Math.sqrt(mine.weight * theirs.weight);
    shared[sumOf(mine, theirs)] += weight;
    if (weight > TELLING) terms += 1;
    if (isNamed(mine) || isNamed(theirs)) named += 1;
    information.push(informationOf(mine.rarity, a.stored) * partOf(mine));
  }
  return {
    cosine: cosine(product, mySize.norm, theirSize.norm),
    portable: cosine(portableProduct, mySize.portableNorm, theirSize.portableNorm),
    names: shared.name,
    numbers: shared.number,
    others: shared.other,
    terms,
    surprise: surpriseOf(information, mySize.parts, a.stored),
    rivals: named === 0 && mySize.hasNames && theirSize.hasNames,
    crossesLanguages: a.isChinese !== b.isChinese,
    conflict: marksConflict(a.marks, b.marks),
    days: Math.abs(a.publishedAt.getTime() - b.publishedAt.getTime()) / DAY_MS,
    isLater: a.publishedAt > b.publishedAt,
  };
}

function sumOf(a: Term, b: Term): 'name' | 'number' | 'other' {
  if (a.kind === 'name' || b.kind === 'name') return 'name';
  return a.kind === 'number' ? 'number' : 'other';
}

function isNamed({ kind }: Term): boolean {
  return kind === 'name' || kind === 'place';
}

function isPortable({ kind }: Term): boolean {
  return kind !== 'word' && kind !== 'characters';
}

/** The part of a word that a term is: two characters overlap with the two before and behind them. */
function partOf({ kind }: Term): number {
  return kind === 'characters' ? 0.5 : 1;
}

/** What a report brings to every comparison. */
interface Size {
  /** How many words it has. */
  parts: number;
  norm: number;
  portableNorm: number;
  hasNames: boolean;
}

/** A report is compared with many. */
const SIZES = new WeakMap<WeighedReport, Size>();

function sizeOf(report: WeighedReport): Size {
  const known = SIZES.get(report);
  if (known !== undefined) return known;
  let [sum, portableSum, parts, hasNames] = [0, 0, 0, false];
  for (const term of report.terms.values()) {
    sum += term.weight ** 2;
    parts += partOf(term);
    if (isPortable(term)) portableSum += term.weight ** 2;
    if (isNamed(term) && term.weight > TELLING) hasNames = true;
  }
  const size = { norm: Math.sqrt(sum), portableNorm: Math.sqrt(portableSum), parts, hasNames };
  SIZES.set(report, size);
  return size;
}

function cosine(product: number, a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : Math.min(1, product / (a * b));
}

/**
 * What each piece of evidence adds, fitted by logistic regression to `bench/stories/tuning.txt` and rounded;
 * the fit sees events of one or two days only, so `days` and `conflict` are set by hand.
 */
const WEIGHTS = {
  none: -5.9,
  cosine: 0.6,
  portable: 1.6,
  names: 0.7,
  numbers: 1.2,
  others: 0.35,
  terms: 1.45,
  rivals: -3.5,
  conflict: -4,
  /** Reports in two languages share less, and what they share says more. */
  crossing: 0.5,
  crossingPortable: 1.3,
  day: -0.25,
};

/**
 * The surprise, in nats, below which two reports may share by chance what they share. It was set by hand: of
 * 300 made-up reports among 100,000, 115 joined another without it, and none does with it.
 */
const CHANCE = 2;

/** The score from which two reports are on one event. */
export const SAME_EVENT = 0.5;

/** The score from which two stories are related. */
export const RELATED = 0.15;

/**
 * The score of two reports, from 0 to 1, read as the probability that they are on one event:
 *
 *     score = 1 / (1 + e^−z)
 *     z = −5.9 + 0.6 · cosine + 1.6 · portable
 *         + 0.7 · names (3 at most) + 1.2 · numbers (2 at most) + 0.35 · others (4 at most)
 *         + 1.45 · shared terms (5 at most) − 0.25 · days (14 at most)
 *         − 3.5 if they name different names only − 4 if a version, magnitude, quarter, round or year differs
 *         − (2 − surprise) if what they share is less surprising than that among all that is stored
 *         + 0.5 + 1.3 · portable if one is Chinese and the other is not
 *
 * A pure function.
 */
export function likenessOf(evidence: Evidence): number {
  const { cosine, portable, names, numbers, others, terms, rivals, conflict, crossesLanguages } = evidence;
  const { days, surprise } = evidence;
  const z =
    WEIGHTS.none +
    WEIGHTS.cosine * cosine +
    WEIGHTS.portable * portable +
    WEIGHTS.names * Math.min(names, 3) +
    WEIGHTS.numbers * Math.min(numbers, 2) +
    WEIGHTS.others * Math.min(others, 4) +
    WEIGHTS.terms * Math.min(terms, 5) +
    WEIGHTS.day * Math.min(days, 14) -
    Math.max(0, CHANCE - surprise) +
    (rivals ? WEIGHTS.rivals : 0) +
    (conflict ? WEIGHTS.conflict : 0) +
    (crossesLanguages ? WEIGHTS.crossing + WEIGHTS.crossingPortable * portable : 0);
  return 1 / (1 + Math.exp(-z));
}
