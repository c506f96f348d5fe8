import { expect, test } from 'vitest';
import { lineOf, NEW_RULE, partsOf } from './rules.ts';

test.each([
  ['drop if title ~ /sponsored/i', 'has', 'sponsored'],
  ['keep if any !~ /a car|广告|c\\+\\+/i', 'hasNot', 'a car, 广告, c++'],
  ['set category product if url ~ /\\/sport\\//', 'matches', '\\/sport\\/'],
  ['score -4 if summary !~ /^(a+)+$|Final/i', 'matchesNot', '^(a+)+$|Final'],
  ['drop if title ~ /Sponsored/', 'matches', 'Sponsored'],
  ['drop if title ~ /a||b/i', 'matches', 'a||b'],
  ['drop if title ~ /a, b/i', 'matches', 'a, b'],
  ['drop if title ~ /\\d/i', 'matches', '\\d'],
])('%s is said in parts, and comes back as it was', (line, how, text) => {
  const parts = partsOf(line);
  expect(parts).toMatchObject({ how, text });
  expect(parts && lineOf(parts)).toBe(line);
});

test('what is no rule has no parts, and one without words is none yet', () => {
  expect(['drop title ~ /x/', 'score 10 if title ~ /x/', ''].map(partsOf)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(lineOf(NEW_RULE)).toBeUndefined();
  expect(lineOf({ ...NEW_RULE, text: ' , a.b,，广告、' })).toBe('drop if title ~ /a\\.b|广告/i');
});
