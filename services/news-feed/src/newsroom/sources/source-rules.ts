import { Failure } from '@pressroom/common/failures/failure';
import { RE2JS } from 're2js';

/** What a rule looks at. */
export interface RuleSubject {
  title: string;
  summary: string | null;
  url: string;
}

/** What the rules of a source say of an entry. */
export interface Ruling {
  /** The rule that drops it; undefined if none does. */
  droppedBy: string | undefined;
  category: string | undefined;
  /** Added to its score. */
  points: number;
}

/** What the reason of an entry begins with that a rule has dropped. */
export const DROPPED_BY = 'dropped by: ';

/** What an entry is dropped by that no rule keeps. */
const NOT_KEPT = 'no rule keeps it';

/** What a rule looks like, for messages. */
const FORM =
  'such as: drop if title ~ /sponsored/i; keep if, set category NAME if, score +10 if; summary, url, any; !~';

const RULE =
  /^(?:(?<verdict>drop|keep)|set category (?<category>\S+)|score (?<points>[+-]\d{1,2})) if (?<field>title|summary|url|any) (?<operator>!?~) \/(?<pattern>.{1,500})\/(?<flag>i?)$/u;

const MOST_RULES = 50;

/** The most steps of a pattern's program, by which the time for a text is multiplied. */
const MOST_STEPS = 1000;

/** A rule as it is written. */
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
export interface RuleTask {
  rule: string;
  subjects: readonly RuleSubject[];
}

/** A rule, and which entries it matches; undefined: it is switched off. */
export interface AppliedRule {
  rule: string;
  matches: readonly boolean[] | undefined;
}

/**
 * What rules say of one of the entries that they were applied to. The first `drop` or `keep` that matches
 * decides; where there is a `keep`, what matches neither is dropped, unless one is switched off, which might
 * have kept it. The first category counts, and points add up.
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
 * Which entries a rule matches. Only for threads that can be killed: RE2 takes as long as the text times the
 * program. Throws a {@link Failure} that says what is wrong with the rule.
 */
export function applyRule({ rule, subjects }: RuleTask): boolean[] {
  const { field, operator, pattern, flag } = readRule(rule);
  const finder = compiled(rule, pattern, flag === 'i');
  return subjects.map((subject) => finder.matcher(fieldOf(subject, field)).find() === (operator === '~'));
}

/** What is wrong with the pattern of each rule, or null. Only for threads: compiling takes long, too. */
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

/** The categories that rules set. */
export function categoriesOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => readRule(text).category ?? []);
}

function readRule(text: string): Rule {
  const parts = RULE.exec(text)?.groups;
  if (parts === undefined) throw new Failure('invalid', `${JSON.stringify(text)} is not a rule, ${FORM}`);
  const { verdict, category, points = '0', field = 'any', operator = '~', pattern = '', flag = '' } = parts;
  return { verdict, category, points: Number(points), field, operator, pattern, flag };
}

function compiled(text: string, pattern: string, ignoresCase: boolean): RE2JS {
  const named = `the pattern of ${JSON.stringify(text)}`;
  let finder: RE2JS;
  try {
    finder = RE2JS.compile(pattern, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    throw new Failure('invalid', `${named} is not one of RE2`, { cause: error });
  }
  if (finder.programSize() <= MOST_STEPS) return finder;
  throw new Failure('invalid', `${named} takes too long: repeat less often, such as {0,9} for {0,99}`);
}

function fieldOf({ title, summary, url }: RuleSubject, field: string): string {
  if (field === 'title') return title;
  if (field === 'summary') return summary ?? '';
  return field === 'url' ? url : `${title}\n${summary ?? ''}\n${url}`;
}
