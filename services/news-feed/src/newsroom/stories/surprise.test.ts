import { expect, test } from 'vitest';
import { surpriseOf } from './surprise.ts';

test('the same terms say less among more items', () => {
  const shared = [9, 9, 7];
  const [few, many] = [surpriseOf(shared, 30, 100), surpriseOf(shared, 30, 100_000)];
  expect(few - many).toBeCloseTo(Math.log(1000), 6);
});

test('a further common word takes nothing away', () => {
  expect(surpriseOf([9, 9, 0.1], 30, 1000)).toBe(surpriseOf([9, 9], 30, 1000));
});

test('what shares nothing is no surprise', () => {
  expect(surpriseOf([], 30, 1)).toBe(0);
});

test('five words that each hundredth item has are shared by chance among 100,000', () => {
  const word = Math.log(100);
  expect(
    surpriseOf(
      Array.from({ length: 5 }, () => word),
      30,
      100_000,
    ),
  ).toBeLessThan(0);
});
