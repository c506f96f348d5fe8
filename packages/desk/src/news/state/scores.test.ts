import { expect, test } from 'vitest';
import { type Scored, scoresFor } from './scores.ts';

/** The order of names by the scores that result. */
function ordered(names: string, scores: readonly number[], at: number): [string, number] {
  const order = [...names].map((id, index) => ({ id, score: scores[index] ?? 0 }));
  const changed = new Map(scoresFor(order, at).map(({ id, score }) => [id, score]));
  const after: Scored[] = order.map(({ id, score }) => ({ id, score: changed.get(id) ?? score }));
  expect(after.every(({ score }) => score >= 0 && score <= 100)).toBe(true);
  for (const [index, { score }] of after.entries()) {
    if (index > 0) expect(after[index - 1]?.score).toBeGreaterThan(score);
  }
  return [after.map(({ id }) => id).join(''), changed.size];
}

test.each<[what: string, names: string, scores: number[], at: number, changes: number]>([
  ['between two', 'acb', [90, 70, 80], 1, 1],
  ['to the top', 'cab', [70, 90, 80], 0, 1],
  ['to the end', 'bca', [80, 70, 90], 2, 1],
  ['above the highest score', 'cab', [70, 100, 80], 0, 2],
  ['between equals', 'acb', [80, 70, 80], 1, 2],
  ['above equals that are the highest', 'cabd', [60, 100, 100, 50], 0, 3],
  ['where there is hardly any room', 'acb', [80.001, 70, 80], 1, 2],
  ['the only two', 'ba', [10, 20], 0, 1],
])('%s', (_what, names, scores, at, changes) => {
  expect(ordered(names, scores, at)).toEqual([names, changes]);
});
