import { type Pack, readPacks, type Terms, WEIGHT } from './packs.ts';
import { languageOfText, primaryLanguage, wordsIn } from './words.ts';

/**
 * When a source's items are selected: `all` and `none` whatever their score; `auto` by the judge's own
 * threshold; `minScore` by a threshold of the source's own, from 0 to 100.
 */
export type SelectRule = 'auto' | 'all' | 'none' | { minScore: number };

/** Settings that editors give a source (`newsroom sources`). */
export interface SubmissionSource {
  /** Identifies the source whose share of the day's quota and budget is used. */
  id: number;
  name: string;
  /** True if the source reports on its own work. */
  firstParty: boolean;
  /** Trust in the source: 1 is ordinary, 0 none, 10 the most. */
  weight: number;
  /** The category of its items, of `NEWS_CATEGORIES`; null if the judge decides. */
  category: string | null;
  /** The directions of its items, of `NEWS_DIRECTIONS`; empty if the judge decides. */
  directions: readonly string[];
  select: SelectRule;
  /** Points that the source's rules add to the score of this submission. */
  points?: number;
}

/**
 * An article as a source tells it: plain text, without HTML. It is untrusted: whoever writes the feed chooses
 * every character.
 */
export interface Submission {
  title: string;
  /** At most three sentences. */
  summary: string | null;
  /** The text of the article's page, where the worker reads pages; else null. */
  text: string | null;
  /** The language that it is in (BCP 47); null if nothing says it. */
  language: string | null;
  url: string;
  source: SubmissionSource;
  publishedAt: Date;
  discoveredAt: Date;
}

/** One addend of a score, by name, for `newsroom explain`. */
export interface ScoreTerm {
  name: string;
  /** Points added to the score; negative if they are taken away. */
  points: number;
  /** The basis of the points, for people to read. */
  note?: string;
  /** The number in it, for pages in any language. */
  value?: number;
}

export interface Judgement {
  /** A title in the site's language, if the judge translated it; the original is kept next to it. */
  title?: string;
  /** A summary in the site's language, of at most three sentences, likewise. */
  summary?: string;
  /** One of `NEWS_CATEGORIES`, or null. */
  category: string | null;
  /** Each from `NEWS_DIRECTIONS`. */
  directions: readonly string[];
  /** From 0 to 100; null if it is not scored. */
  score: number | null;
  terms: readonly ScoreTerm[];
  selected: boolean;
  /** The reason of its selection, for readers; null if it was not selected, or if there is nothing to say. */
  reason: string | null;
}

/** Judges articles. Any number of callers ask at once. */
export interface SubmissionJudge {
  /**
   * Judges a submission, outside any transaction, so it may take its time or ask a model. It is asked for new
   * articles, and again when a source has changed an article's title or summary. If it throws, the worker
   * tries again later with backoff, so a fault that lasts has to become a judgement.
   */
  judge(submission: Submission, signal: AbortSignal): Promise<Judgement>;
}

/** A category or a direction is meant from this sum on. */
const MEANT = 2;

const HOUR_MS = 60 * 60 * 1000;

interface RuleJudgeParts {
  /** The rules of now: other ones with every change of the vocabulary. */
  rules: () => Rules;
  /** The categories and directions that an item may have. */
  vocabulary: { categories: readonly string[]; directions: readonly string[] };
  /** Counts the other sources that report on the event of a submission. */
  coverageOf: (submission: Submission) => Promise<number>;
  /** Takes one of the day's `quota` places for a submission; false if none is left for its source. */
  takePlace: (submission: Submission, quota: number) => Promise<boolean>;
}

/**
 * Judges by rules: categories and directions by weighted terms, the score by {@link scoreOf}, the selection
 * by the source's rule, a threshold and a daily quota. It needs no network and gives the same answer each
 * time, as long as the coverage and the quota are the same.
 */
export class RuleJudge implements SubmissionJudge {
  readonly #parts: RuleJudgeParts;
  readonly #finders = new WeakMap<RuleWords, Finders>();

  constructor(parts: RuleJudgeParts) {
    this.#parts = parts;
  }

  async judge(submission: Submission): Promise<Judgement> {
    const { coverage, ...draft } = await this.draft(submission);
    return { ...draft, ...(await this.select(submission, { ...draft, coverage })) };
  }

  /** Everything but the selection, which may take a place in the quota. */
  async draft(submission: Submission): Promise<Judgement & { coverage: number }> {
    const { title, source, publishedAt, discoveredAt } = submission;
    const summary = submission.summary ?? '';
    const { categories, directions, signals } = this.#findersFor(submission.language);
    const coverage = await this.#parts.coverageOf(submission);
    const { score, terms } = scoreOf({
      weight: source.weight,
      firstParty: source.firstParty,
      coverage,
      ageHours: Math.max(0, discoveredAt.getTime() - publishedAt.getTime()) / HOUR_MS,
      characters: [...title, ...summary].length,
      signals: signals.filter(({ has }) => has(`${title}\n${summary}`)),
      rules: source.points ?? 0,
    });
    return {
      category: source.category ?? best(categories, title, summary) ?? null,
      directions:
        source.directions.length > 0
          ? source.directions
          : directions.filter(({ weigh }) => weigh(title, summary).sum >= MEANT).map(({ name }) => name),
      score,
      terms,
      selected: false,
      reason: null,
      coverage,
    };
  }

  /** Decides if the submission is selected with this score, and says why. */
  async select(
    submission: Submission,
    { score, coverage }: { score: number | null; coverage: number },
  ): Promise<Pick<Judgement, 'selected' | 'reason'>> {
    const { takePlace } = this.#parts;
    const rules = this.#parts.rules();
    const { title, language, source } = submission;
    const { select } = source;
    if (select === 'none') return { selected: false, reason: null };
    const threshold = typeof select === 'object' ? select.minScore : rules.threshold;
    const selected =
      select === 'all' || ((score ?? 0) >= threshold && (await takePlace(submission, rules.quota)));
    return { selected, reason: selected ? reasonOf(coverage, languageOfText(title, language)) : null };
  }

  #findersFor(language: string | null): Finders {
    const { rules, vocabulary } = this.#parts;
    const words = rules().wordsFor(language);
    const known = this.#finders.get(words);
    if (known !== undefined) return known;
    const weighed = (names: readonly string[], terms: RuleWords['categories']) =>
      names.map((name) => ({ name, weigh: weigher(terms[name] ?? {}) }));
    const finders = {
      categories: weighed(vocabulary.categories, words.categories),
      directions: weighed(vocabulary.directions, words.directions),
      signals: words.signals.map(({ name, points, terms }) => {
        const found = terms.map(termFinder);
        return { name, points, has: (text: string) => found.some((find) => find(text)) };
      }),
    };
    this.#finders.set(words, finders);
    return finders;
  }
}

/** The words of a rule, ready to be looked for. */
interface Finders {
  categories: readonly Weighed[];
  directions: readonly Weighed[];
  signals: readonly { name: string; points: number; has: (text: string) => boolean }[];
}

interface Weighed {
  name: string;
  weigh: ReturnType<typeof weigher>;
}

/** The name with the highest sum, the first of equals; undefined if no sum says enough. */
function best(groups: readonly Weighed[], title: string, summary: string): string | undefined {
  const sums = groups.map(({ name, weigh }) => ({ name, sum: weigh(title, summary).sum }));
  const highest = Math.max(MEANT, ...sums.map(({ sum }) => sum));
  return sums.find(({ sum }) => sum === highest)?.name;
}

function reasonOf(coverage: number, language: string | null): string | null {
  return coverage === 0 ? null : wordsIn(language).sources(coverage + 1);
}

/** The words that texts of some languages are judged by; `common.yaml` explains the members. */
interface RuleWords {
  categories: Readonly<Record<string, Terms>>;
  directions: Readonly<Record<string, Terms>>;
  signals: readonly { name: string; points: number; terms: readonly string[] }[];
}

export interface Rules {
  /** The score from which an item is selected. */
  threshold: number;
  /** Items selected a day. */
  quota: number;
  /** The words for a text in a language (BCP 47); the same object for all languages that share them. */
  wordsFor: (language: string | null) => RuleWords;
}

/** Names of the settings that the rules come from. */
export interface RulesSettings {
  NEWS_PACKS: readonly string[];
  SITE_LANGUAGE?: string | undefined;
}

/** English and Chinese are mixed often enough; Japanese has English names and terms. */
const READ_WITH: Readonly<Record<string, readonly string[]>> = { en: ['en', 'zh'], ja: ['ja', 'en'] };

/** Reads the rules of a site: those of its packs. Throws a `Failure`. */
export function readRules({ NEWS_PACKS, SITE_LANGUAGE }: RulesSettings): Rules {
  return rulesOf(readPacks(NEWS_PACKS), SITE_LANGUAGE);
}

/**
 * The rules of packs.
 *
 * @param siteLanguage that of texts whose language nobody knows (BCP 47)
 * @param added plain words that mean a category in any language, besides those of the packs
 */
export function rulesOf(
  { threshold = 0, quota = 0, categories, directions, signals }: Pack,
  siteLanguage: string | undefined,
  added: Readonly<Record<string, readonly string[]>> = {},
): Rules {
  const own = Object.entries(added).map(([name, words]) => [name, weighing(words)] as const);
  const all = [...Object.values(categories), ...Object.values(directions)];
  const known = new Set(all.flatMap(({ terms }) => Object.keys(terms)));
  const read = new Map<string, RuleWords>();
  return {
    threshold,
    quota,
    wordsFor: (language) => {
      const primary = primaryLanguage(language ?? siteLanguage);
      const key = known.has(primary) && primary !== 'zh' ? primary : 'en';
      const languages = ['any', ...(READ_WITH[key] ?? [key])];
      const words = read.get(key) ?? {
        categories: withOwn(eachIn(categories, languages), own),
        directions: eachIn(directions, languages),
        signals: Object.entries(signals).map(([name, { points, terms }]) => {
          return { name, points, terms: Object.keys(termsIn(terms, languages)) };
        }),
      };
      read.set(key, words);
      return words;
    },
  };
}

function weighing(words: readonly string[]): Terms {
  return Object.fromEntries(words.map((word) => [word, WEIGHT]));
}

function withOwn(
  groups: Readonly<Record<string, Terms>>,
  own: readonly (readonly [name: string, terms: Terms])[],
): Record<string, Terms> {
  return {
    ...groups,
    ...Object.fromEntries(own.map(([name, terms]) => [name, { ...groups[name], ...terms }])),
  };
}

function eachIn(
  groups: Readonly<Record<string, { terms: Readonly<Record<string, Terms>> }>>,
  languages: readonly string[],
) {
  return Object.fromEntries(
    Object.entries(groups).map(([name, { terms }]) => [name, termsIn(terms, languages)]),
  );
}

function termsIn(terms: Readonly<Record<string, Terms>>, languages: readonly string[]): Terms {
  return Object.assign({}, ...languages.map((language) => terms[language]));
}

interface ScoreInputs {
  /** Trust in the source: 1 is ordinary. */
  weight: number;
  firstParty: boolean;
  /** Number of other sources that report on the same event. */
  coverage: number;
  /** Hours since the publication. */
  ageHours: number;
  /** Characters of title and summary. */
  characters: number;
  /** Signs of its worth in the text itself. */
  signals: readonly { name: string; points: number }[];
  /** Points that the rules of the source add. */
  rules: number;
}

/** A text of so many characters says what it has to say. */
const FULL_LENGTH = 200;

/** The digits to which points are rounded. */
const DIGITS = 1;

/**
 * The score of an item, from 0 to 100, as its addends:
 *
 *     source      30 · √weight, 60 at most
 *     firstParty  5 if the source reports on its own work
 *     coverage    12 · log2(1 + other sources), 36 at most
 *     freshness   15 · 2^(−age / 24 h)
 *     length      10 · characters / 200, 10 at most
 *     signals     the points of each signal, together −60 to 25
 *     rules       what the rules of the source add
 *     bounds      what brings the sum into 0 to 100
 *
 * The points of the terms add up to the score. A pure function.
 */
function scoreOf(inputs: ScoreInputs): { score: number; terms: ScoreTerm[] } {
  const { weight, firstParty, coverage, ageHours, characters, signals, rules } = inputs;
  const signalPoints = signals.reduce((total, { points }) => total + points, 0);
  const terms: ScoreTerm[] = [
    { name: 'source', points: Math.min(60, 30 * Math.sqrt(weight)), note: `weight ${weight}`, value: weight },
    { name: 'firstParty', points: firstParty ? 5 : 0 },
    {
      name: 'coverage',
      points: Math.min(36, 12 * Math.log2(1 + coverage)),
      note: `${coverage} other sources`,
      value: coverage,
    },
    {
      name: 'freshness',
      points: 15 * 2 ** (-Math.max(0, ageHours) / 24),
      note: `${ageHours.toFixed(1)} h old`,
      value: round(ageHours),
    },
    {
      name: 'length',
      points: Math.min(10, (10 * characters) / FULL_LENGTH),
      note: `${characters} characters`,
      value: characters,
    },
    {
      name: 'signals',
      points: Math.min(25, Math.max(-60, signalPoints)),
      note: signals.map(({ name, points }) => `${name} ${points}`).join(', '),
    },
    { name: 'rules', points: rules },
  ];
  return bounded(terms.filter(({ points }) => points !== 0));
}

/** The score that terms add up to, rounded, with an extra term if the sum leaves 0 to 100. */
export function bounded(terms: readonly ScoreTerm[]): { score: number; terms: ScoreTerm[] } {
  const rounded = terms.map((term) => ({ ...term, points: round(term.points) }));
  const sum = round(rounded.reduce((total, { points }) => total + points, 0));
  const score = Math.min(100, Math.max(0, sum));
  if (score !== sum) rounded.push({ name: 'bounds', points: round(score - sum) });
  return { score, terms: rounded };
}

function round(value: number): number {
  return Number(value.toFixed(DIGITS));
}

/** Scripts without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** A term counts this much in the title, and once in the summary. */
const TITLE = 2;

/**
 * A function that says whether a text has a term, in any case: Chinese and Japanese anywhere, others as whole
 * words with an optional `s`; a `*` stands for any letters.
 */
function termFinder(term: string): (text: string) => boolean {
  if (UNSPACED.test(term)) return (text) => text.includes(term);
  const escaped = term
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '\\p{L}*')
    .replace(/\s+/g, '\\s+');
  const pattern = new RegExp(`(?<![\\p{Script=Latin}\\d])${escaped}s?(?![\\p{Script=Latin}\\d])`, 'iu');
  return (text) => pattern.test(text);
}

/** A function that adds up the weights of the terms that a title and a summary have. */
function weigher(
  terms: Readonly<Record<string, number>>,
): (title: string, summary: string) => { sum: number; found: string[] } {
  const finders = Object.entries(terms).map(([term, weight]) => ({ term, weight, has: termFinder(term) }));
  return (title, summary) => {
    const hits = finders.flatMap(({ term, weight, has }) => {
      if (has(title)) return [{ term, points: weight * TITLE }];
      return has(summary) ? [{ term, points: weight }] : [];
    });
    return {
      sum: hits.reduce((total, { points }) => total + points, 0),
      found: hits.map(({ term }) => term),
    };
  };
}
