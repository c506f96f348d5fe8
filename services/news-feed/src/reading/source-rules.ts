import { Failure, type RuleCode } from '@pressroom/common/failures/failure';
import { codePoints } from '@pressroom/common/fields/fields';
import type { SelectRule } from '@pressroom/stories';
import type { Kysely } from 'kysely';
import { RE2JS } from 're2js';
import type { NewsTables } from '../tables.ts';
import type { Reader } from './reader.ts';
import type { Source } from './sources.ts';

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

export function categoriesOf(texts: readonly string[]): string[] {
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
export function quoted(text: string): string {
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

/** A rule that is not applied any more, and why. */
interface StoppedRule {
  rule: string;
  reason: string;
  /** The reason's sentence; absent where an earlier release has switched it off. */
  code?: RuleCode;
}

/**
 * Applies the rules of a source to entries, in threads. A rule that cannot be applied within their limits is
 * switched off, with its reason, until an editor saves the rules again.
 */
export async function applyRules(
  parts: { db: Kysely<NewsTables>; reader: Reader },
  source: Pick<Source, 'id' | 'given_url' | 'rules' | 'stopped_rules'>,
  subjects: readonly RuleSubject[],
): Promise<Ruling[]> {
  const { rules, stopped_rules: stopped } = source;
  const { applied, faults } = await applyInThreads(parts.reader, source.given_url, rules, subjects, stopped);
  if (faults.length > 0) await stopRules(parts.db, source, [...stopped, ...faults]);
  return subjects.map((_, entry) => rulingOf(applied, entry));
}

/** Applies rules, one after the other; those that cannot be are faults. Throws a `Failure` `unavailable`. */
export async function applyInThreads(
  reader: Reader,
  owner: string,
  rules: readonly string[],
  subjects: readonly RuleSubject[],
  stopped: readonly StoppedRule[] = [],
): Promise<{ applied: AppliedRule[]; faults: StoppedRule[] }> {
  const off = new Set(stopped.map(({ rule }) => rule));
  const applied: AppliedRule[] = [];
  const faults: StoppedRule[] = [];
  for (const rule of rules) {
    let matches: boolean[] | undefined;
    try {
      // The thread gets no more of an entry than a rule looks at.
      const seen = subjects.map(({ title, summary, url }) => ({ title, summary, url }));
      matches = off.has(rule) ? undefined : await reader.read(owner, 'rule', { rule, subjects: seen });
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'invalid') throw error;
      const code = error.code === 'rule_too_slow' ? error.code : 'rule_unusable';
      faults.push({ rule, reason: error.message, code });
    }
    applied.push({ rule, matches });
  }
  return { applied, faults };
}

/** Returns the faults in the patterns of an editor's rules, each with its place among them. */
export async function faultsOfPatterns(
  reader: Reader,
  rules: readonly string[] = [],
): Promise<{ index: number; message: string }[]> {
  if (rules.length === 0) return [];
  const faults = await reader.read('the rules of editors', 'patterns', rules);
  return faults.flatMap((message, index) => (message === null ? [] : [{ index, message }]));
}

/** Not if an editor has saved other rules meanwhile. */
async function stopRules(
  db: Kysely<NewsTables>,
  { id, rules }: Pick<Source, 'id' | 'rules'>,
  stopped: readonly StoppedRule[],
): Promise<void> {
  await db
    .updateTable('news.source')
    .set({ stopped_rules: JSON.stringify(stopped) })
    .where('id', '=', id)
    .where(({ eb, val }) => eb('rules', '=', val([...rules])))
    .execute();
}
