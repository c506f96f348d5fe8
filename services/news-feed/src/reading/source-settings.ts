import { Failure } from '@pressroom/common/failures/failure';
import { codePoints } from '@pressroom/common/fields/fields';
import type { SelectRule } from '@pressroom/stories';
import { RE2JS } from 're2js';
import { MAX_SOURCE_URL_BYTES } from '../fields.ts';
import type { Vocabulary } from '../words.ts';
import { checkTextSelector, listSelectors } from './list-selectors.ts';

/** The member that tells the entries of a source apart; `auto`: the rules that hold for all sources. */
export const IDENTITIES = ['auto', 'guid', 'link', 'both', 'content'] as const;

/** An editor's settings of a source; an absent member keeps its value. */
export interface SourceSettings {
  /** Empty: the feed's own title. */
  name?: string;
  /** Empty: the editor decides on each item. */
  category?: string;
  directions?: readonly string[];
  firstParty?: boolean;
  weight?: number;
  /** See `parseSelectRule`. */
  select?: string;
  readPages?: boolean;
  /** CSS of an article's text on its page; empty: it is found without. */
  textSelector?: string;
  /** The member that tells its entries apart, see `identifiedEntries`. */
  identity?: (typeof IDENTITIES)[number];
  /** False to leave out the pictures of its entries. */
  images?: boolean;
  /** See `rulingOf`; they replace those that it has. */
  rules?: readonly string[];
  /** Selectors of a page that lists articles, see `listSelectors`; false: it is a feed or a sitemap. */
  page?: string | false;
}

/** The most characters of a source's name, as of an item's `source.name`. */
const MAX_NAME = 200;

/**
 * Throws a {@link Failure} that says what to change, if something is wrong with `settings`. The patterns of
 * its rules are checked where they are read, see `faultsOfPatterns`.
 */
export function checkSettings(
  settings: SourceSettings,
  { categories, offered, directions }: Vocabulary,
): void {
  const { name, category, weight, select, rules = [] } = settings;
  if (name !== undefined && name.length > MAX_NAME) {
    throw new Failure('invalid', `the name must be at most ${MAX_NAME} characters long`);
  }
  checkRules(rules);
  if (settings.page) listSelectors(settings.page);
  if (settings.textSelector) checkTextSelector(settings.textSelector);
  if ([category, ...categoriesOf(rules)].some((given) => given && !categories.includes(given))) {
    throw new Failure('invalid', `the category must be one of ${offered.join(', ')}`);
  }
  if (settings.directions?.some((direction) => !directions.includes(direction))) {
    throw new Failure('invalid', `a direction must be one of ${directions.join(', ')}`);
  }
  if (weight !== undefined && !(weight >= 0 && weight <= 10)) {
    throw new Failure('invalid', 'the weight must be a number from 0 to 10');
  }
  if (select !== undefined && parseSelectRule(select) === undefined) {
    throw new Failure('invalid', `the select rule must be ${SELECT_RULES}`);
  }
}

export interface RuleSubject {
  title: string;
  summary: string | null;
  url: string;
}

/** Outcome of a source's rules for an entry. */
export interface Ruling {
  /** The rule that drops it; undefined if none does. */
  droppedBy: string | undefined;
  category: string | undefined;
  points: number;
}

/** Begins the reason of an entry that a rule has dropped. */
export const DROPPED_BY = 'dropped by: ';

/** Reason to drop an entry that no rule keeps. */
const NOT_KEPT = 'no rule keeps it';

/** The form of a rule, for messages. */
const FORM =
  'such as: drop if title ~ /sponsored/i; keep if, set category NAME if, score +10 if; summary, url, any; !~';

const RULE =
  /^(?:(?<verdict>drop|keep)|set category (?<category>\S+)|score (?<points>[+-]\d{1,2})) if (?<field>title|summary|url|any) (?<operator>!?~) \/(?<pattern>.+)\/(?<flag>i?)$/u;

/** The most characters of a pattern. */
const MOST_OF_PATTERN = 500;

/** The most characters of a text that a message repeats. */
const MOST_QUOTED = 100;

const MOST_RULES = 50;

/** The most steps of a pattern's program, which multiply the time for a text. */
const MOST_STEPS = 1000;

interface Rule {
  verdict: string | undefined;
  category: string | undefined;
  points: number;
  field: string;
  operator: string;
  pattern: string;
  flag: string;
}

/** A rule and entries to apply it to. */
interface RuleTask {
  rule: string;
  subjects: readonly RuleSubject[];
}

/** A rule, and which entries it matches; undefined: it is switched off. */
export interface AppliedRule {
  rule: string;
  matches: readonly boolean[] | undefined;
}

/**
 * Combines the rules that were applied to an entry. The first `drop` or `keep` that matches decides; where
 * there is a `keep`, what matches neither is dropped, unless one is switched off, which might have kept it.
 * The first category counts, and points add up.
 */
export function rulingOf(applied: readonly AppliedRule[], entry: number): Ruling {
  const rules = applied.map(({ rule, matches }) => ({
    ...{ text: rule, ...readRule(rule), isOff: matches === undefined, isMatch: matches?.[entry] === true },
  }));
  const keeping = rules.filter(({ verdict }) => verdict === 'keep');
  const decisive = rules.find(({ verdict, isMatch }) => verdict !== undefined && isMatch);
  const others = rules.filter(({ verdict, isMatch }) => verdict === undefined && isMatch);
  const isMissed = decisive === undefined && keeping.length > 0 && !keeping.some(({ isOff }) => isOff);
  return {
    droppedBy: decisive?.verdict === 'drop' ? decisive.text : isMissed ? NOT_KEPT : undefined,
    category: others.find(({ category }) => category !== undefined)?.category,
    points: others.reduce((sum, { points }) => sum + points, 0),
  };
}

/**
 * Returns for each entry if a rule matches it. Only for threads that can be killed: RE2 takes as long as the
 * text times the program. Throws a {@link Failure} that says what is wrong with the rule.
 */
export function applyRule({ rule, subjects }: RuleTask): boolean[] {
  const { field, operator, pattern, flag } = readRule(rule);
  const finder = compiled(rule, pattern, flag === 'i');
  return subjects.map((subject) => finder.matcher(fieldOf(subject, field)).find() === (operator === '~'));
}

/** Returns the fault of each rule's pattern, or null. Only for threads: compiling takes long, too. */
export function patternFaults(rules: readonly string[]): (string | null)[] {
  return rules.map((rule) => {
    try {
      applyRule({ rule, subjects: [] });
      return null;
    } catch (error) {
      if (error instanceof Failure) return error.message;
      throw error;
    }
  });
}

/** Throws a {@link Failure} that says which rule is not one, whatever its pattern is. */
export function checkRules(rules: readonly string[]): void {
  if (rules.length > MOST_RULES) throw new Failure('invalid', `a source has at most ${MOST_RULES} rules`);
  for (const rule of rules) readRule(rule);
}

function categoriesOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => readRule(text).category ?? []);
}

function readRule(text: string): Rule {
  const parts = RULE.exec(text)?.groups;
  if (parts === undefined) throw new Failure('invalid', `${quoted(text)} is not a rule, ${FORM}`);
  if (codePoints(parts.pattern ?? '') > MOST_OF_PATTERN)
    throw new Failure(
      'invalid',
      `the pattern of ${quoted(text)} is too long: it has at most ${MOST_OF_PATTERN} characters`,
    );
  const { verdict, category, points = '0', field = 'any', operator = '~', pattern = '', flag = '' } = parts;
  return { verdict, category, points: Number(points), field, operator, pattern, flag };
}

/** A text as a message repeats it: the beginning of a long one. */
function quoted(text: string): string {
  const beginning = [...text.slice(0, 2 * MOST_QUOTED)].slice(0, MOST_QUOTED).join('');
  return JSON.stringify(beginning.length < text.length ? `${beginning}…` : text);
}

function compiled(text: string, pattern: string, ignoresCase: boolean): RE2JS {
  const named = `the pattern of ${quoted(text)}`;
  let finder: RE2JS;
  try {
    finder = RE2JS.compile(pattern, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    throw new Failure('invalid', `${named} is not a valid RE2 pattern`, { cause: error });
  }
  if (finder.programSize() <= MOST_STEPS) return finder;
  const message = `${named} takes too long: repeat less often, such as {0,9} for {0,99}`;
  throw new Failure('invalid', message, { code: 'rule_too_slow' });
}

function fieldOf({ title, summary, url }: RuleSubject, field: string): string {
  if (field === 'title') return title;
  if (field === 'summary') return summary ?? '';
  return field === 'url' ? url : `${title}\n${summary ?? ''}\n${url}`;
}

/** The form of a select rule, for messages. */
export const SELECT_RULES = 'auto, all, none, or a least score such as score>=70';

/** Reads a select rule as `newsroom sources` and the database write it; undefined for anything else. */
export function parseSelectRule(text: string): SelectRule | undefined {
  if (text === 'auto' || text === 'all' || text === 'none') return text;
  const score = /^score>=(\d{1,3}(?:\.\d+)?)$/.exec(text)?.[1];
  if (score === undefined || Number(score) > 100) return undefined;
  return { minScore: Number(score) };
}

/**
 * The address of a source as it is stored: http or https, without a fragment. Throws a {@link Failure} for
 * anything else.
 */
export function sourceUrl(text: string): string {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Failure('invalid', `${quoted(text)} is not an http or https URL`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Failure('invalid', 'the address of a source must not contain a user name or password');
  }
  url.hash = '';
  if (Buffer.byteLength(url.href) > MAX_SOURCE_URL_BYTES) {
    throw new Failure(
      'invalid',
      `the address of a source must be at most ${MAX_SOURCE_URL_BYTES} bytes long`,
    );
  }
  return url.href;
}
