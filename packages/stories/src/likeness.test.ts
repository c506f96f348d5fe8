import { expect, test } from 'vitest';
import { CORE, SAME_EVENT, storyLikeness } from './likeness.ts';

test('one report, however like, brings no other into a story of three', () => {
  expect(storyLikeness([1, 0, 0], 3)).toBeLessThan(SAME_EVENT);
  expect(storyLikeness([1], CORE)).toBeLessThan(SAME_EVENT);
});

test('a story that has grown is joined by those of its reports that are like', () => {
  expect(storyLikeness([0.3, 0.3, 0.3, 0.3, 0, 0, 0], 7)).toBeGreaterThanOrEqual(SAME_EVENT);
});

test('a single report is joined by one that is like it', () => {
  expect(storyLikeness([SAME_EVENT], 1)).toBe(SAME_EVENT);
});
