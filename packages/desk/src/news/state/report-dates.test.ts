import { expect, test } from 'vitest';
import { reportAfter, reportWith } from './report-dates.ts';

test('a report is found by any day of its time, and so is the one before it', () => {
  expect(reportWith('daily', '2026-11-25')).toBe('2026-11-25');
  expect(reportWith('weekly', '2026-11-23')).toBe('2026-11-23');
  expect(reportWith('weekly', '2026-11-24')).toBe('2026-11-30');
  expect(reportWith('weekly', '2026-11-29')).toBe('2026-11-30');
  expect(reportWith('monthly', '2026-12-01')).toBe('2026-12-01');
  expect(reportWith('monthly', '2026-12-31')).toBe('2027-01-01');
  expect(reportAfter('daily', '2026-03-01', -1)).toBe('2026-02-28');
  expect(reportAfter('weekly', '2026-11-23', 1)).toBe('2026-11-30');
  expect(reportAfter('monthly', '2027-01-01', -1)).toBe('2026-12-01');
});
