import type { SelectRule } from '../editorial/editor.ts';

/** What a select rule looks like, for messages. */
export const SELECT_RULES = 'auto, all, none, or a least score such as score>=70';

/** Reads a select rule as `newsroom sources` and the database write it; undefined for anything else. */
export function parseSelectRule(text: string): SelectRule | undefined {
  if (text === 'auto' || text === 'all' || text === 'none') return text;
  const score = /^score>=(\d{1,3}(?:\.\d+)?)$/.exec(text)?.[1];
  if (score === undefined || Number(score) > 100) return undefined;
  return { minScore: Number(score) };
}
