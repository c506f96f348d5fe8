import { expect, test } from 'vitest';
import { daysOf, laterDay, laterSpan } from './calendar-days.ts';

test.each([
  ['2026-11-18', 1, '2026-10-26', '2026-12-06', 42],
  ['2026-11-18', 0, '2026-11-01', '2026-12-05', 35],
  ['2021-02-01', 1, '2021-02-01', '2021-02-28', 28],
])(
  'a month is shown in whole weeks: that of %s, whose weeks begin with %i',
  (day, first, from, to, count) => {
    const days = daysOf('month', day, first);
    expect([days[0], days.at(-1), days.length]).toEqual([from, to, count]);
  },
);

test('a week is shown from its first day', () => {
  expect(daysOf('week', '2027-01-01', 1)).toEqual([
    ...['2026-12-28', '2026-12-29', '2026-12-30', '2026-12-31'],
    ...['2027-01-01', '2027-01-02', '2027-01-03'],
  ]);
  expect(daysOf('week', '2027-01-03', 0)[0]).toBe('2027-01-03');
});

test('the spans before and after', () => {
  expect(laterSpan('month', '2026-01-31', 1)).toBe('2026-02-01');
  expect(laterSpan('month', '2026-01-31', -1)).toBe('2025-12-01');
  expect(laterSpan('week', '2026-12-28', 1)).toBe('2027-01-04');
  expect(laterDay('2028-03-01', -1)).toBe('2028-02-29');
});
