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

/** A rule as it is applied. */
interface Rule {
  text: string;
  verdict: string | undefined;
  category: string | undefined;
  points: number;
  matches: (subject: RuleSubject) => boolean;
}

/**
 * The rules of a source as one function. The first `drop` or `keep` that matches decides; where there is a
 * `keep`, what matches neither is dropped. The first category counts, and points add up. Patterns are RE2's,
 * whose time is linear. Throws a {@link Failure} that says which rule is wrong.
 */
export function readRules(texts: readonly string[]): (subject: RuleSubject) => Ruling {
  if (texts.length > MOST_RULES) throw new Failure('invalid', `a source has at most ${MOST_RULES} rules`);
  const rules = texts.map(readRule);
  const verdicts = rules.filter(({ verdict }) => verdict !== undefined);
  const isKeeping = verdicts.some(({ verdict }) => verdict === 'keep');
  return (subject) => {
    const decisive = verdicts.find(({ matches }) => matches(subject));
    const others = rules.filter(({ verdict, matches }) => verdict === undefined && matches(subject));
    const missed = decisive === undefined && isKeeping ? NOT_KEPT : undefined;
    return {
      droppedBy: decisive?.verdict === 'drop' ? decisive.text : missed,
      category: others.find(({ category }) => category !== undefined)?.category,
      points: others.reduce((sum, { points }) => sum + points, 0),
    };
  };
}

/** The categories that rules set. */
export function categoriesOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => readRule(text).category ?? []);
}

function readRule(text: string): Rule {
  const parts = RULE.exec(text)?.groups;
  if (parts === undefined) throw new Failure('invalid', `${JSON.stringify(text)} is not a rule, ${FORM}`);
  const { verdict, category, points = '0', field = 'any', operator, pattern = '', flag } = parts;
  const finder = compiled(text, pattern, flag === 'i');
  const matches = (subject: RuleSubject) =>
    finder.matcher(fieldOf(subject, field)).find() === (operator === '~');
  return { text, verdict, category, points: Number(points), matches };
}

function compiled(text: string, pattern: string, ignoresCase: boolean): RE2JS {
  try {
    return RE2JS.compile(pattern, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    throw new Failure('invalid', `the pattern of ${JSON.stringify(text)} is not one of RE2`, {
      cause: error,
    });
  }
}

function fieldOf({ title, summary, url }: RuleSubject, field: string): string {
  if (field === 'title') return title;
  if (field === 'summary') return summary ?? '';
  return field === 'url' ? url : `${title}\n${summary ?? ''}\n${url}`;
}
