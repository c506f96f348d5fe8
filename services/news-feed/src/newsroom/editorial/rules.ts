import { readPacks, type Terms } from '../../packs/packs.ts';
import { primaryLanguage } from '../../words.ts';

/** The words that texts of some languages are judged by; `common.yaml` explains the members. */
export interface RuleWords {
  categories: Readonly<Record<string, Terms>>;
  directions: Readonly<Record<string, Terms>>;
  signals: readonly { name: string; points: number; terms: readonly string[] }[];
}

/** What the rules editor judges by. */
export interface Rules {
  /** The score from which an item is selected. */
  threshold: number;
  /** How many items are selected on a day. */
  quota: number;
  /** The words for a text in a language (BCP 47); the same object for all languages that share them. */
  wordsFor: (language: string | null) => RuleWords;
}

/** Where the rules come from: the settings of these names. */
export interface RulesSettings {
  NEWS_PACKS: readonly string[];
  SITE_LANGUAGE?: string | undefined;
}

/** English and Chinese are mixed often enough; Japanese has English names and terms. */
const READ_WITH: Readonly<Record<string, readonly string[]>> = { en: ['en', 'zh'], ja: ['ja', 'en'] };

/** Reads the rules of a site: those of its packs. Throws a `Failure`. */
export function readRules({ NEWS_PACKS, SITE_LANGUAGE }: RulesSettings): Rules {
  const { threshold = 0, quota = 0, categories, directions, signals } = readPacks(NEWS_PACKS);
  const all = [...Object.values(categories), ...Object.values(directions)];
  const known = new Set(all.flatMap(({ terms }) => Object.keys(terms)));
  const read = new Map<string, RuleWords>();
  return {
    threshold,
    quota,
    wordsFor: (language) => {
      const primary = primaryLanguage(language ?? SITE_LANGUAGE);
      const key = known.has(primary) && primary !== 'zh' ? primary : 'en';
      const languages = ['any', ...(READ_WITH[key] ?? [key])];
      const words = read.get(key) ?? {
        categories: eachIn(categories, languages),
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
