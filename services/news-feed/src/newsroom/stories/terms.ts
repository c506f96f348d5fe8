import { stemmer as arabicStem } from '@orama/stemmers/arabic';
import { stemmer as englishStem } from '@orama/stemmers/english';
import { stemmer as greekStem } from '@orama/stemmers/greek';
import { stemmer as russianStem } from '@orama/stemmers/russian';
import type { Lexicon, Meaning } from './lexicon.ts';
import { type Marks, marksOf } from './marks.ts';
import { chineseNumber, englishNumber, MAGNITUDE_PATTERN, numberOf } from './numbers.ts';
import { isRoundUp } from './round-ups.ts';

/** The text of a report that is compared. */
export interface ReportText {
  title: string;
  /** The title in the source's language, if `title` is a translation. */
  originalTitle: string | null;
  summary: string | null;
}

/** What kind of thing a term is; names and numbers say most about which event a report is on. */
type TermKind = 'name' | 'place' | 'number' | 'concept' | 'word' | 'characters';

/** A term of a report. */
export interface Term {
  kind: TermKind;
  /** How much it counts in its text before its rarity is known, from 0 to 1. */
  weight: number;
}

/** What the comparison reads of a report. */
export interface ReportTerms {
  terms: Map<string, Term>;
  /** Whether the text is mostly Chinese. */
  isChinese: boolean;
  /** What says which of several similar events it is. */
  marks: Marks;
  /** Whether it tells several stories, or is one of a column: it belongs to none but its own. */
  isAlone: boolean;
}

/** How much a term counts by its kind: two characters are half a Chinese word. */
const KIND_WEIGHTS: Record<TermKind, number> = {
  name: 1,
  place: 0.8,
  number: 0.8,
  concept: 0.7,
  word: 0.7,
  characters: 0.5,
};

/** How much terms that stand only in the summary count. */
const SUMMARY = 0.4;

/** How many terms of a report are compared, most weighty first. */
const MOST_TERMS = 48;

/** How much of a summary is read, in characters. */
const MOST_TEXT = 600;

/** Words that say nothing about what a text is on. */
export const STOP_WORDS = new Set(
  `a an the and or but if of in on at by for from to into onto over under with without as is are was were be
  been being has have had do does did not no it its it's he she they them their his her this that these those
  there than then so such can could will would may might must should after before between during while when
  where what which who whom whose why how all any both each more most other some only own same too very just
  about against again also up down out off now because through per via one his we our you your i me my`.split(
    /\s+/u,
  ),
);

/** Scripts without spaces between words, or, as Korean, before endings: two characters are a term. */
const PAIRED = ['Han', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script=${script}}`)
  .join('');

const TOKEN = new RegExp(
  [
    `(?<number>\\d+(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?)(?<magnitude>${MAGNITUDE_PATTERN})?(?![A-Za-z])`,
    `(?<paired>[${PAIRED}]+)`,
    `(?<word>[[\\p{L}\\p{M}\\d]--[${PAIRED}]]+(?:[.'’&+\\-][[\\p{L}\\p{M}\\d]--[${PAIRED}]]+)*)`,
  ].join('|'),
  'giv',
);

/** What a report says, in terms that can be compared with another's, in English, Chinese or both. */
export function termsOf(text: ReportText, lexicon: Lexicon): ReportTerms {
  const title = [text.title, text.originalTitle ?? ''].join(' \n ').normalize('NFKC');
  const summary = (text.summary ?? '').slice(0, MOST_TEXT).normalize('NFKC');
  const isChinese = hanShare(`${title} ${summary}`) > 0.3;
  const terms = new Map<string, Term>();
  for (const [part, factor] of [
    [title, 1],
    [summary, SUMMARY],
  ] as const) {
    for (const [term, { kind, weight }] of readTerms(part, isChinese, lexicon)) {
      const known = terms.get(term);
      // A summary knows names by their capitals better than a title does.
      const better = known?.kind === 'word' && kind === 'name' ? 'name' : (known?.kind ?? kind);
      terms.set(term, { kind: better, weight: Math.max(known?.weight ?? 0, weight * factor) });
    }
  }
  const weightiest = [...terms].sort((a, b) => b[1].weight - a[1].weight).slice(0, MOST_TERMS);
  return {
    terms: new Map(weightiest),
    isChinese,
    marks: marksOf(title, summary, lexicon),
    isAlone: isRoundUp(text.title),
  };
}

function readTerms(text: string, isChinese: boolean, lexicon: Lexicon): Map<string, Term> {
  const terms = new Map<string, Term>();
  const add = (term: string, kind: TermKind, factor = 1) => {
    const weight = KIND_WEIGHTS[kind] * factor;
    if ((terms.get(term)?.weight ?? 0) < weight) terms.set(term, { kind, weight });
  };
  const words: { word: string; isName: boolean }[] = [];
  const isTitleCase = capitalShare(text) > 0.7;
  for (const match of text.matchAll(TOKEN)) {
    const { number, magnitude, word, paired } = match.groups ?? {};
    if (number !== undefined) {
      addWords(words.splice(0), lexicon, add);
      addNumber(numberOf(number, magnitude), add);
    } else if (word !== undefined) {
      const startsSentence = /(?:^|[.!?:\n“"]\s*)$/u.test(
        text.slice(Math.max(0, match.index - 9), match.index),
      );
      const isName =
        isChinese ||
        /\d|\p{Lu}.*\p{Lu}/u.test(word) ||
        (!startsSentence && !isTitleCase && /^\p{Lu}/u.test(word));
      words.push({ word: word.replace(/['’]s$/iu, ''), isName });
    } else if (paired !== undefined) {
      addWords(words.splice(0), lexicon, add);
      addPaired(paired, lexicon, add);
    }
  }
  addWords(words, lexicon, add);
  return terms;
}

type Add = (term: string, kind: TermKind, factor?: number) => void;

function addNumber(value: number, add: Add): void {
  // A small number or a year is in every second report.
  const isPlain = Number.isInteger(value) && (value < 11 || (value > 1990 && value < 2040));
  add(`#${value}`, 'number', isPlain ? 0.35 : 1);
}

function addWords(words: readonly { word: string; isName: boolean }[], lexicon: Lexicon, add: Add): void {
  for (let at = 0; at < words.length; ) {
    const found = englishMeaning(words, at, lexicon);
    if (found !== undefined) {
      addMeaning(found.meaning, add);
      at += found.length;
      continue;
    }
    const { word, isName } = words[at] ?? { word: '', isName: false };
    at += 1;
    const lower = word.toLowerCase();
    const value = englishNumber(lower);
    if (value !== undefined) addNumber(value, add);
    if (value !== undefined || lower.length < 2 || STOP_WORDS.has(lower)) continue;
    add(stemOf(lower), isName ? 'name' : 'word');
    for (const part of lower.split('-').filter((part) => part.length > 2 && part !== lower)) {
      if (!STOP_WORDS.has(part)) add(stemOf(part), isName ? 'name' : 'word', 0.5);
    }
  }
}

function addMeaning({ term, kind }: Meaning, add: Add): void {
  add(term, kind);
}

/** The longest spelling of the lexicon that begins at `at`; a plural counts as its singular. */
function englishMeaning(words: readonly { word: string }[], at: number, lexicon: Lexicon) {
  for (let length = Math.min(4, words.length - at); length > 0; length -= 1) {
    const spelling = words
      .slice(at, at + length)
      .map(({ word }) => word.toLowerCase())
      .join(' ');
    const meaning =
      lexicon.latin.get(spelling) ??
      lexicon.latin.get(spelling.replace(/(?<=[a-z]{3})s$/u, '')) ??
      lexicon.latin.get(spelling.replace(/(?<=[a-z]{3})(?:ed|d|es)$/u, ''));
    if (meaning !== undefined) return { meaning, length };
  }
  return undefined;
}

/** Splits a run of characters into spellings of the lexicon, numbers, and pairs of the rest. */
function addPaired(run: string, lexicon: Lexicon, add: Add): void {
  let rest = '';
  for (let at = 0; at < run.length; ) {
    const found = chineseMeaning(run, at, lexicon);
    if (found === undefined) {
      rest += run.charAt(at);
      at += 1;
      continue;
    }
    addPairs(rest, add);
    rest = '';
    addMeaning(found.meaning, add);
    at += found.length;
  }
  addPairs(rest, add);
}

function chineseMeaning(run: string, at: number, lexicon: Lexicon) {
  for (let length = Math.min(lexicon.longestChinese, run.length - at); length > 1; length -= 1) {
    const meaning = lexicon.chinese.get(run.slice(at, at + length));
    if (meaning !== undefined) return { meaning, length };
  }
  return undefined;
}

function addPairs(rest: string, add: Add): void {
  for (const [digits] of rest.matchAll(/[零一二两三四五六七八九十百千万亿]{2,}/gu)) {
    const value = chineseNumber(digits);
    if (value !== undefined) addNumber(value, add);
  }
  for (let at = 0; at + 2 <= rest.length; at += 1) {
    add(rest.slice(at, at + 2), 'characters');
  }
}

/** What takes the ending of a word off, by its script. */
const STEMMERS: readonly (readonly [RegExp, (word: string) => string])[] = [
  [/^\p{Script=Latin}/u, englishStem],
  [/^\p{Script=Cyrillic}/u, russianStem],
  [/^\p{Script=Greek}/u, greekStem],
  [/^\p{Script=Arabic}/u, arabicStem],
];

/** A word without its ending; of a script that is not known here, as it is. */
function stemOf(word: string): string {
  return STEMMERS.find(([script]) => script.test(word))?.[1](word) ?? word;
}

/** The share of the words that begin with a capital. */
function capitalShare(text: string): number {
  const words = text.match(/(?<!\p{L})\p{L}{4,}/gu) ?? [];
  return words.filter((word) => /^\p{Lu}/u.test(word)).length / Math.max(1, words.length);
}

function hanShare(text: string): number {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return letters === 0 ? 0 : (text.match(/\p{Script=Han}/gu)?.length ?? 0) / letters;
}
