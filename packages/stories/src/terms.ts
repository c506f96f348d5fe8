import { stemmer as arabicStem } from '@orama/stemmers/arabic';
import { stemmer as englishStem } from '@orama/stemmers/english';
import { stemmer as greekStem } from '@orama/stemmers/greek';
import { stemmer as russianStem } from '@orama/stemmers/russian';
import { streamSafe } from '@pressroom/common/fields/fields';
import { readPacks } from './packs.ts';

/** The values of magnitudes, in English and Chinese. */
const MAGNITUDES: Record<string, number> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  mn: 1e6,
  million: 1e6,
  bn: 1e9,
  b: 1e9,
  billion: 1e9,
  trillion: 1e12,
  千: 1e3,
  万: 1e4,
  百万: 1e6,
  千万: 1e7,
  亿: 1e8,
  万亿: 1e12,
};

/** The part of a pattern that matches a magnitude behind a number. */
export const MAGNITUDE_PATTERN =
  '(?:\\s?(?:thousand|million|billion|trillion|mn|bn)\\b|[kmb]\\b|\\s?(?:万亿|千万|百万|亿|万|千))';

/** English number words that news writes out. */
const ENGLISH_WORDS = new Map(
  'two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'
    .split(' ')
    .map((word, index) => [word, index + 2]),
);

const CHINESE_DIGITS = new Map([...'零一二三四五六七八九'].map((digit, value) => [digit, value]));
const CHINESE_UNITS = new Map([
  ['十', 10],
  ['百', 100],
  ['千', 1000],
]);
const CHINESE_MYRIADS = new Map([
  ['万', 1e4],
  ['亿', 1e8],
]);

/** The value of digits with an optional magnitude: `4.2` and `亿` are 420,000,000. */
export function numberOf(digits: string, magnitude = ''): number {
  const value = Number(digits.replaceAll(',', ''));
  const scaled = value * (MAGNITUDES[magnitude.trim().toLowerCase()] ?? 1);
  // 4.2 × 10⁸ has to be the number that 420 × 10⁶ is.
  return Number(scaled.toPrecision(12));
}

/** The value of an English number word from two to twenty, else undefined. */
export function englishNumber(word: string): number | undefined {
  return ENGLISH_WORDS.get(word);
}

/** The value of a number written in Chinese characters, such as 二十一 or 三千万; undefined if it is not one. */
export function chineseNumber(text: string): number | undefined {
  let total = 0;
  let section = 0;
  let digit: number | undefined;
  for (const character of text.replaceAll('两', '二')) {
    const unit = CHINESE_UNITS.get(character);
    const myriad = CHINESE_MYRIADS.get(character);
    if (unit !== undefined) {
      section += (digit ?? 1) * unit;
      digit = undefined;
    } else if (myriad !== undefined) {
      total += (section + (digit ?? 0) || 1) * myriad;
      section = 0;
      digit = undefined;
    } else {
      digit = CHINESE_DIGITS.get(character);
      if (digit === undefined) return undefined;
    }
  }
  return total + section + (digit ?? 0);
}

/** The text of a report that is compared. */
export interface ReportText {
  title: string;
  /** The title in the source's language, if `title` is a translation. */
  originalTitle: string | null;
  summary: string | null;
}

/** Kinds of terms; names and numbers tell most about the event that a report is on. */
type TermKind = 'name' | 'place' | 'number' | 'concept' | 'word' | 'characters';

export interface Term {
  kind: TermKind;
  /** Weight within its text before its rarity is known, from 0 to 1. */
  weight: number;
}

/** A report in the form in which it is compared. */
export interface ReportTerms {
  terms: Map<string, Term>;
  isChinese: boolean;
  /** Details that tell it from similar events. */
  marks: Marks;
  /** True if the report tells several stories or belongs to a column: no other report joins its story. */
  isAlone: boolean;
}

/** Weight of a term by its kind: two characters are half a Chinese word. */
const KIND_WEIGHTS: Record<TermKind, number> = {
  name: 1,
  place: 0.8,
  number: 0.8,
  concept: 0.7,
  word: 0.7,
  characters: 0.5,
};

/** Weight of terms that stand only in the summary. */
const SUMMARY = 0.4;

/** Terms compared of a report, weightiest first. */
const MOST_TERMS = 48;

/** Characters read of a summary. */
const MOST_TEXT = 600;

/** Words that say nothing about the subject of a text. */
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

/** Extracts the terms of a report in English, Chinese or both, for comparison with another's. */
export function termsOf(text: ReportText, lexicon: Lexicon): ReportTerms {
  const title = streamSafe([text.title, text.originalTitle ?? ''].join(' \n ')).normalize('NFKC');
  const summary = streamSafe((text.summary ?? '').slice(0, MOST_TEXT)).normalize('NFKC');
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
  scan(text, isChinese, lexicon, (term, kind, _spelling, factor = 1) => {
    const weight = KIND_WEIGHTS[kind] * factor;
    if ((terms.get(term)?.weight ?? 0) < weight) terms.set(term, { kind, weight });
  });
  return terms;
}

/** The terms of a text as it spells them first. */
export function spellingsOf(text: string, lexicon: Lexicon): Map<string, string> {
  const spellings = new Map<string, string>();
  scan(streamSafe(text).normalize('NFKC'), false, lexicon, (term, _kind, spelling) => {
    if (!spellings.has(term)) spellings.set(term, spelling);
  });
  return spellings;
}

/** Finds the terms of a text, and how it spells them. */
type Add = (term: string, kind: TermKind, spelling: string, factor?: number) => void;

function scan(text: string, isChinese: boolean, lexicon: Lexicon, add: Add): void {
  const words: { word: string; isName: boolean }[] = [];
  const isTitleCase = capitalShare(text) > 0.7;
  for (const match of text.matchAll(TOKEN)) {
    const { number, magnitude, word, paired } = match.groups ?? {};
    if (number !== undefined) {
      addWords(words.splice(0), lexicon, add);
      addNumber(numberOf(number, magnitude), match[0], add);
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
}

function addNumber(value: number, spelling: string, add: Add): void {
  // A small number or a year is in every second report.
  const isPlain = Number.isInteger(value) && (value < 11 || (value > 1990 && value < 2040));
  add(`#${value}`, 'number', spelling, isPlain ? 0.35 : 1);
}

function addWords(words: readonly { word: string; isName: boolean }[], lexicon: Lexicon, add: Add): void {
  for (let at = 0; at < words.length; ) {
    const found = englishMeaning(words, at, lexicon);
    if (found !== undefined) {
      const spelled = words.slice(at, at + found.length).map(({ word }) => word);
      add(found.meaning.term, found.meaning.kind, spelled.join(' '));
      at += found.length;
      continue;
    }
    const { word, isName } = words[at] ?? { word: '', isName: false };
    at += 1;
    const lower = word.toLowerCase();
    const value = englishNumber(lower);
    if (value !== undefined) addNumber(value, word, add);
    if (value !== undefined || lower.length < 2 || STOP_WORDS.has(lower)) continue;
    add(stemOf(lower), isName ? 'name' : 'word', word);
    for (const part of word.split('-')) {
      const small = part.toLowerCase();
      if (small.length < 3 || small === lower || STOP_WORDS.has(small)) continue;
      add(stemOf(small), isName ? 'name' : 'word', part, 0.5);
    }
  }
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
    add(found.meaning.term, found.meaning.kind, run.slice(at, at + found.length));
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
    if (value !== undefined) addNumber(value, digits, add);
  }
  for (let at = 0; at + 2 <= rest.length; at += 1) {
    const pair = rest.slice(at, at + 2);
    add(pair, 'characters', pair);
  }
}

/** Stemmers, by script. */
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

/**
 * Details that tell similar events apart: `version lantern` is 3.1 in one report and 3.2 in another; `quake`,
 * `quarter`, `round` and `year` likewise. Each mark has the values that the report gives.
 */
export type Marks = Record<string, string[]>;

/** Two magnitudes of one earthquake may differ by this much: agencies correct the first one. */
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

/** True if a mark that two reports share shows that they are on two events. */
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

/** True if a number behind this word is a version of the thing that the word names. */
function isProductName(name: string, lexicon: Lexicon): boolean {
  const lower = name.toLowerCase();
  if (!/^\p{Lu}/u.test(name) || MONTHS.includes(lower) || MONTHS.some((month) => month.slice(0, 3) === lower))
    return false;
  return !lexicon.latin.has(lower);
}

/** Titles by which news sites announce round-ups and live blogs. */
const ROUND_UP = new RegExp(
  [
    // English
    String.raw`\b(?:live[ -]?(?:blog|updates?)|(?:news|weekly|daily|morning|evening) (?:round-?up|brief(?:ing|s)?|digest|recap)|news in brief|in brief from|top (?:stories|headlines)|front pages|today in history|horoscopes?|week in review)\b`,
    // German, French, Spanish, Portuguese, Italian
    String.raw`\b(?:live-?ticker|newsblog|nachrichtenüberblick|presseschau|wochenrückblick|en direct|revue de presse|minuto a minuto|las noticias del día|ao vivo|manchetes d[eo]|as notícias do dia|rassegna stampa|in diretta)\b`,
    // Russian, Vietnamese
    'прогноз погоды|главное за (?:день|неделю)|дайджест|онлайн-трансляция|điểm tin|tin tức trong ngày',
    // Chinese, Japanese, Korean
    '^[^，。：:]{0,6}(?:早报|晚报|早知道)(?=[ |｜丨：:【]|$)|新闻联播|要闻(?:汇总|速览|回顾)|快讯汇总|一周回顾|每日(?:简报|要闻)|天气预报|文字直播',
    'まとめ$|ニュース一覧|今日のニュース|주요 ?뉴스|뉴스 ?브리핑',
  ].join('|'),
  'iu',
);

/** A title with this many parts lists subjects. */
const LISTED = 4;

/** True if a title announces a round-up or a live blog, which belongs to no story. */
export function isRoundUp(title: string): boolean {
  return (
    ROUND_UP.test(title) || title.split(/\s*[;；|丨]\s*/u).filter((part) => part.length > 3).length >= LISTED
  );
}

/** Meaning of a spelling in the lexicon. */
interface Meaning {
  /** The term that all its spellings share. */
  term: string;
  kind: 'place' | 'name' | 'concept';
}

/** The linguistic knowledge used to compare reports; `common.yaml` explains it. */
export interface Lexicon {
  /** Lower-case spellings of one to four words. */
  latin: ReadonlyMap<string, Meaning>;
  chinese: ReadonlyMap<string, Meaning>;
  /** The longest Chinese spelling, in characters. */
  longestChinese: number;
}

/** The lexicon of packs; without any, what holds whatever the field. Throws a `Failure`. */
export function readLexicon(packs: readonly string[] = []): Lexicon {
  const { places, bodies, concepts } = readPacks(packs).lexicon;
  const latin = new Map<string, Meaning>();
  const chinese = new Map<string, Meaning>();
  for (const [entries, kind] of [
    [places, 'place'],
    [bodies, 'name'],
    [concepts, 'concept'],
  ] as const) {
    for (const spellings of entries) {
      // A line with a spelling that is known adds its others to that thing.
      const known =
        spellings.latin.map((spelling) => latin.get(spelling)).find((meaning) => meaning !== undefined) ??
        spellings.chinese.map((spelling) => chinese.get(spelling)).find((meaning) => meaning !== undefined);
      const meaning = known ?? { term: `=${spellings.latin[0]}`, kind };
      for (const spelling of spellings.latin) latin.set(spelling, meaning);
      for (const spelling of spellings.chinese) chinese.set(spelling, meaning);
    }
  }
  return {
    latin,
    chinese,
    longestChinese: Math.max(1, ...[...chinese.keys()].map(({ length }) => length)),
  };
}

/** A young index knows little about rarity; it counts as if so many other items were in it… */
const PRIOR_ITEMS = 100;

/** … of which so many have any term. */
const PRIOR_USES = 2;

/** Returns the rarity of a term that `items` of `stored` items have, in nats: 0 if all have it. */
export function rarityOf(items: number, stored: number): number {
  return Math.max(0, Math.log((stored + PRIOR_ITEMS) / (items + PRIOR_USES)));
}

/** A text with the name of its source. */
export interface SourceText extends ReportText {
  sourceName: string;
}

/** Two titles that may be on one event share at least this much, as a fraction of the shorter one. */
const ALIKE = 0.25;

/** Punctuation between or around a title and the name of a site or section. */
const SEPARATOR =
  /\s*[|｜«»‹›▸►【】〔〕[\]]\s*|\s*[(（](?=[^()（）]+[)）]$)|[)）]$|\s+(?:[-–—~/·•@]|:{2,3})\s+|(?<=\p{Script=Han})[-–—_](?=\p{L})|(?<=\p{L})[-–—_](?=\p{Script=Han})/u;

const SENTENCE_END = /(?<=[.!?…]["”’»]?)\s+|(?<=[。！？])|\n+/u;

/**
 * The texts without what the reports of their source share, whatever they are on: its name in titles, and
 * sentences that it puts into every summary. `lately` has other reports of the same sources.
 */
export function withoutSharedParts<Text extends SourceText>(
  texts: readonly Text[],
  lately: readonly SourceText[],
): Text[] {
  const known = Map.groupBy([...lately, ...texts], ({ sourceName }) => sourceName);
  const read = new Map([...known].map(([source, all]) => [source, all.map(partsOf)]));
  return texts.map((text) => ({ ...text, ...without(text, read.get(text.sourceName) ?? []) }));
}

/** A report in the parts that others of its source may share. */
interface Parts {
  title: string[];
  sentences: string[];
}

function partsOf({ title, originalTitle, summary }: ReportText): Parts {
  return { title: titleParts(originalTitle ?? title), sentences: sentencesOf(summary).map(withoutDigits) };
}

function sentencesOf(summary: string | null): string[] {
  return summary?.split(SENTENCE_END) ?? [];
}

/** A sentence that a source puts into every summary may have a counter in it. */
function withoutDigits(sentence: string): string {
  return sentence.replace(/\d+/gu, '0');
}

function titleParts(title: string): string[] {
  return title.split(SEPARATOR).filter((part) => part !== '');
}

/** A title without the name of its source at either end. */
function withoutName(title: string, source: string): string {
  return kept(title, titleParts(title), (part) => nameOf(part) === nameOf(source));
}

function nameOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\d]|\.[a-z]{2,4}$/gu, '');
}

function without(
  { title, originalTitle, summary, sourceName }: SourceText,
  all: readonly Parts[],
): ReportText {
  const own = partsOf({ title, originalTitle, summary });
  const isShared = (part: string, among: keyof Parts) =>
    all.some((other) => other[among].includes(part) && !areAlike(rest(own, part), rest(other, part)));
  const shorten = (whole: string) =>
    kept(whole, titleParts(whole), (part) => nameOf(part) === nameOf(sourceName) || isShared(part, 'title'));
  return {
    title: shorten(title),
    originalTitle: originalTitle && shorten(originalTitle),
    summary:
      summary &&
      sentencesOf(summary)
        .filter((sentence) => !isShared(withoutDigits(sentence), 'sentences'))
        .join(' '),
  };
}

/** A title without the parts that are not its own, unless none is. */
function kept(whole: string, parts: readonly string[], isForeign: (part: string) => boolean): string {
  const own = parts.filter((part) => !isForeign(part));
  return own.length === 0 || own.length === parts.length ? whole : own.join(' – ');
}

function rest({ title }: Parts, part: string): Set<string> {
  const words = title.filter((one) => one !== part).flatMap((one) => one.toLowerCase().match(WORD) ?? []);
  return new Set(words.filter((word) => !STOP_WORDS.has(word)));
}

/** A word, or two characters of a script without spaces. */
const WORD = /(?=(?<pair>\p{Script=Han}{2}))\p{Script=Han}|[[\p{L}\p{M}\d]--\p{Script=Han}]{2,}/gv;

function areAlike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const common = a.intersection(b).size;
  return common > 0 && common >= ALIKE * Math.min(a.size, b.size);
}

/** The title as its source has it: the same before and after a translation. */
export function originalTitle({ title, originalTitle, sourceName }: SourceText): string {
  return withoutName(originalTitle ?? title, sourceName);
}
