/** A rule of a source, in the parts that people choose. */
export interface RuleParts {
  /** Such as `drop`, `set category product` and `score +10`. */
  readonly effect: string;
  /** The member that is searched: `title`, `summary`, `url` or `any`. */
  readonly field: string;
  readonly how: 'has' | 'hasNot' | 'matches' | 'matchesNot';
  /** Words with commas between them, or a pattern. */
  readonly text: string;
  /** `i` if upper and lower case are the same, as with words. */
  readonly flag: string;
}

export const NEW_RULE: RuleParts = { effect: 'drop', field: 'title', how: 'has', text: '', flag: 'i' };

/** As the newsroom reads them. */
const RULE =
  /^(?<effect>drop|keep|set category \S+|score [+-]\d{1,2}) if (?<field>title|summary|url|any) (?<not>!?)~ \/(?<pattern>.+)\/(?<flag>i?)$/u;

/** A pattern that stands for one of some words. */
const WORDS = /^(?:[^\\^$.*+?()[\]{},，、]|\\[^\w\s,，、])+$/u;

/** The parts of a rule; undefined if it is none. A pure function. */
export function partsOf(line: string): RuleParts | undefined {
  const { effect, field, not, pattern, flag } = RULE.exec(line)?.groups ?? {};
  if (effect === undefined || field === undefined || pattern === undefined) return undefined;
  const words = pattern.match(/(?:\\.|[^|\\])+/gu) ?? [];
  const isPlain =
    flag === 'i' &&
    words.join('|') === pattern &&
    words.every((word) => WORDS.test(word) && word === word.trim());
  const text = isPlain ? words.map((word) => word.replace(/\\(.)/gu, '$1')).join(', ') : pattern;
  const how = isPlain ? (not ? 'hasNot' : 'has') : not ? 'matchesNot' : 'matches';
  return { effect, field, how, text, flag: flag ?? '' };
}

/** The rule as the newsroom reads it; undefined as long as it says nothing to look for. A pure function. */
export function lineOf({ effect, field, how, text, flag }: RuleParts): string | undefined {
  const isPlain = how === 'has' || how === 'hasNot';
  const words = text.split(/[,，、]/).flatMap((word) => word.trim() || []);
  const pattern = isPlain
    ? words.map((word) => word.replace(/[\\^$.|*+?()[\]{}]/g, '\\$&')).join('|')
    : text.trim();
  if (pattern === '') return undefined;
  const operator = how === 'has' || how === 'matches' ? '~' : '!~';
  return `${effect} if ${field} ${operator} /${pattern}/${isPlain ? 'i' : flag}`;
}
