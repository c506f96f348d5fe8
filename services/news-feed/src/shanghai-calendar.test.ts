import { expect, test } from 'vitest';
import {
  addDays,
  dateOfReportOn,
  isCalendarDate,
  latestReportDate,
  reportDays,
  reportWindow,
  shanghaiDate,
  shanghaiTimestamp,
  startOfDay,
} from './shanghai-calendar.ts';

test('a day begins at midnight in Shanghai, which is the afternoon before in UTC', () => {
  expect(shanghaiDate(new Date('2026-11-20T15:59:59.999Z'))).toBe('2026-11-20');
  expect(shanghaiDate(new Date('2026-11-20T16:00:00.000Z'))).toBe('2026-11-21');
  expect(startOfDay('2026-11-21')).toEqual(new Date('2026-11-20T16:00:00.000Z'));
});

test('the offset is the zone’s: nine hours in the summer of 1988', () => {
  expect(startOfDay('1988-07-01')).toEqual(new Date('1988-06-30T15:00:00.000Z'));
  expect(shanghaiTimestamp(new Date('1988-07-01T00:00:00Z'))).toBe('1988-07-01T09:00:00.000+09:00');
});

test('timestamps carry the offset and milliseconds', () => {
  expect(shanghaiTimestamp(new Date('2026-11-20T23:59:59.007Z'))).toBe('2026-11-21T07:59:59.007+08:00');
});

test('a report covers the 24 hours to 08:00', () => {
  expect(reportWindow('daily', '2026-11-21')).toEqual({
    from: new Date('2026-11-20T00:00:00Z'),
    through: new Date('2026-11-21T00:00:00Z'),
  });
});

test('until 08:00, the newest report is yesterday’s', () => {
  expect(latestReportDate('daily', new Date('2026-11-20T23:59:59.999Z'))).toBe('2026-11-20');
  expect(latestReportDate('daily', new Date('2026-11-21T00:00:00.000Z'))).toBe('2026-11-21');
});

test('a weekly report covers the seven days to 08:00 on a Monday, a monthly one the month to 08:00 on the first', () => {
  expect(reportWindow('weekly', '2026-11-23')).toEqual({
    from: new Date('2026-11-16T00:00:00Z'),
    through: new Date('2026-11-23T00:00:00Z'),
  });
  expect(reportWindow('monthly', '2028-03-01')).toEqual({
    from: new Date('2028-02-01T00:00:00Z'),
    through: new Date('2028-03-01T00:00:00Z'),
  });
});

test.each([
  ['weekly', '2026-11-22T23:59:59.999Z', '2026-11-16'],
  ['weekly', '2026-11-23T00:00:00.000Z', '2026-11-23'],
  ['weekly', '2026-11-29T12:00:00.000Z', '2026-11-23'],
  ['monthly', '2028-02-29T23:59:59.999Z', '2028-02-01'],
  ['monthly', '2028-03-01T00:00:00.000Z', '2028-03-01'],
  ['monthly', '2026-12-31T23:59:59.999Z', '2026-12-01'],
  ['monthly', '2027-01-01T00:00:00.000Z', '2027-01-01'],
] as const)('the newest %s report at %s is that of %s', (period, time, date) => {
  expect(latestReportDate(period, new Date(time))).toBe(date);
});

test('days are added across the ends of months and years', () => {
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
  expect(addDays('2028-03-01', -1)).toBe('2028-02-29');
});

test.each([
  '2026-02-29',
  '2026-13-01',
  '2026-1-1',
  '20261101',
  '2026-11-31',
  '',
  '2026-11-01T00:00:00Z',
  '+002026-01-01',
])('%s is not a calendar date', (date) => expect(isCalendarDate(date)).toBe(false));

test.each(['2028-02-29', '2026-11-30', '0001-01-01', '9999-12-31'])('%s is a calendar date', (date) =>
  expect(isCalendarDate(date)).toBe(true),
);

test.each([
  ['weekly', '2026-W47', '2026-11-23'],
  ['weekly', '2026-W53', '2027-01-04'],
  ['weekly', '2027-W01', '2027-01-11'],
  ['weekly', '2027-W53', undefined],
  ['weekly', '2026-W00', undefined],
  ['weekly', '2026-11', undefined],
  ['monthly', '2026-11', '2026-12-01'],
  ['monthly', '2026-12', '2027-01-01'],
  ['monthly', '2026-13', undefined],
  ['monthly', '2026-W47', undefined],
  ['daily', '2026-11', undefined],
] as const)('the %s report on %s is that of %s', (period, name, date) => {
  expect(dateOfReportOn(period, name)).toBe(date);
});

test('a report is about the days before its own', () => {
  expect(reportDays('weekly', '2026-11-23')).toEqual({ first: '2026-11-16', last: '2026-11-22' });
  expect(reportDays('monthly', '2028-03-01')).toEqual({ first: '2028-02-01', last: '2028-02-29' });
});
