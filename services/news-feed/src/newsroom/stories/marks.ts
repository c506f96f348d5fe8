import type { Lexicon } from './lexicon.ts';
import { MAGNITUDE_PATTERN } from './numbers.ts';

/**
 * What tells similar events apart: `version lantern` is 3.1 in one report and 3.2 in another; `quake`,
 * `quarter`, `round` and `year` likewise. Each mark has the values that the report gives.
 */
export type Marks = Record<string, string[]>;

/** By how much two magnitudes of one earthquake may differ: agencies correct the first one. */
const MAGNITUDE_TOLERANCE = 0.35;

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);

const QUARTERS: readonly (readonly [RegExp, string])[] = [
  [/\bfirst[ -]quarter|\bq1\b|一季[度报]/iu, '1'],
  [/\bsecond[ -]quarter|\bq2\b|二季[度报]/iu, '2'],
  [/\bthird[ -]quarter|\bq3\b|三季[度报]/iu, '3'],
  [/\bfourth[ -]quarter|\bq4\b|四季[度报]/iu, '4'],
];

const VERSION = new RegExp(
  String.raw`(?<name>[\p{Script=Latin}][\p{Script=Latin}\d]*)[ -]?(?<![\d.])(?<version>\d+(?:\.\d+)*)(?!\d|%|,\d|\.\d|-| ?percent|${MAGNITUDE_PATTERN})`,
  'giu',
);

const QUAKE = /地震|earthquake|quake|tremor|seism/iu;
const MAGNITUDE =
  /(?<![\d.])(?<value>[3-9]\.\d)(?!\d|\.\d| ?(?:%|万|亿|(?:m|b|k|percent|million|billion)\b))/iu;
const ROUND = /\bseries ([a-h])\b|(?<![a-z])([a-h]) ?轮/iu;
const YEAR = /(?<!\d)(20[1-4]\d)(?!\d)/gu;

/** Reads the marks of a report: those of the title, and of the summary where the title does not have them. */
export function marksOf(title: string, summary: string, lexicon: Lexicon): Marks {
  return { ...readMarks(summary, lexicon, false), ...readMarks(title, lexicon, true) };
}

/** Whether one of the marks that two reports share says that they are on two events. */
export function marksConflict(a: Marks, b: Marks): boolean {
  return Object.entries(a).some(([mark, values]) => {
    const others = b[mark];
    return (
      others !== undefined && !values.some((value) => others.some((other) => agrees(mark, value, other)))
    );
  });
}

function agrees(mark: string, value: string, other: string): boolean {
  if (mark === 'quake') return Math.abs(Number(value) - Number(other)) <= MAGNITUDE_TOLERANCE;
  return value === other;
}

function readMarks(text: string, lexicon: Lexicon, isTitle: boolean): Marks {
  const marks: Marks = {};
  const add = (mark: string, value: string) => {
    marks[mark] = [...new Set([...(marks[mark] ?? []), value])];
  };
  const magnitude = QUAKE.test(text) ? MAGNITUDE.exec(text)?.groups?.value : undefined;
  if (magnitude !== undefined) add('quake', magnitude);
  for (const [pattern, value] of QUARTERS) if (pattern.test(text)) add('quarter', value);
  const round = ROUND.exec(text);
  if (round !== null) add('round', (round[1] ?? round[2] ?? '').toLowerCase());
  if (isTitle) for (const [, year] of text.matchAll(YEAR)) if (year !== undefined) add('year', year);
  for (const match of text.matchAll(VERSION)) {
    const { name = '', version = '' } = match.groups ?? {};
    if (isProductName(name, lexicon) && !/^20[1-4]\d$/u.test(version)) {
      add(`version ${name.toLowerCase()}`, version);
    }
  }
  return marks;
}

/** Whether a number behind this word is the version of what the word names. */
function isProductName(name: string, lexicon: Lexicon): boolean {
  const lower = name.toLowerCase();
  if (!/^\p{Lu}/u.test(name) || MONTHS.includes(lower) || MONTHS.some((month) => month.slice(0, 3) === lower))
    return false;
  return !lexicon.latin.has(lower);
}
