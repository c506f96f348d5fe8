import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addDays,
  Calendar,
  dateOfReportOn,
  isCalendarDate,
  isReportDate,
  PERIODS,
  reportDays,
  SHANGHAI,
} from './calendar.ts';

test('a day begins at midnight in Shanghai, which is the afternoon before in UTC', () => {
  expect(SHANGHAI.date(new Date('2026-11-20T15:59:59.999Z'))).toBe('2026-11-20');
  expect(SHANGHAI.date(new Date('2026-11-20T16:00:00.000Z'))).toBe('2026-11-21');
  expect(SHANGHAI.startOfDay('2026-11-21')).toEqual(new Date('2026-11-20T16:00:00.000Z'));
});

test('the offset is the zone’s: nine hours in the summer of 1988', () => {
  expect(SHANGHAI.startOfDay('1988-07-01')).toEqual(new Date('1988-06-30T15:00:00.000Z'));
  expect(SHANGHAI.timestamp(new Date('1988-07-01T00:00:00Z'))).toBe('1988-07-01T09:00:00.000+09:00');
});

test('timestamps carry the offset and milliseconds', () => {
  expect(SHANGHAI.timestamp(new Date('2026-11-20T23:59:59.007Z'))).toBe('2026-11-21T07:59:59.007+08:00');
});

test('a report covers the 24 hours to 08:00', () => {
  expect(SHANGHAI.reportWindow('daily', '2026-11-21')).toEqual({
    from: new Date('2026-11-20T00:00:00Z'),
    through: new Date('2026-11-21T00:00:00Z'),
  });
});

test('until 08:00, the newest report is yesterday’s', () => {
  expect(SHANGHAI.latestReportDate('daily', new Date('2026-11-20T23:59:59.999Z'))).toBe('2026-11-20');
  expect(SHANGHAI.latestReportDate('daily', new Date('2026-11-21T00:00:00.000Z'))).toBe('2026-11-21');
});

test('a weekly report covers the seven days to 08:00 on a Monday, a monthly one the month to 08:00 on the first', () => {
  expect(SHANGHAI.reportWindow('weekly', '2026-11-23')).toEqual({
    from: new Date('2026-11-16T00:00:00Z'),
    through: new Date('2026-11-23T00:00:00Z'),
  });
  expect(SHANGHAI.reportWindow('monthly', '2028-03-01')).toEqual({
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
  expect(SHANGHAI.latestReportDate(period, new Date(time))).toBe(date);
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
  '0000-01-01',
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

const ZONES = Intl.supportedValuesOf('timeZone');

test('reports of every zone follow each other without a gap or an overlap, whatever its clocks do', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.integer({ min: 0, max: 23 }),
      fc.constantFrom(...PERIODS),
      fc.date({ min: new Date('1970-02-01'), max: new Date('2037-12-01'), noInvalidDate: true }),
      (zone, hour, period, time) => {
        const calendar = new Calendar(zone, hour);
        const date = calendar.latestReportDate(period, time);
        expect(isReportDate(period, date)).toBe(true);
        const window = calendar.reportWindow(period, date);
        expect(window.through <= time).toBe(true);
        expect(window.from <= window.through).toBe(true);
        const before = reportDays(period, date).first;
        expect(calendar.reportWindow(period, before).through).toEqual(window.from);
        const due = calendar.date(window.through);
        // A day that a zone has left out is over when the next one begins.
        expect([date, addDays(date, 1)]).toContain(due);
      },
    ),
    { numRuns: 2000 },
  );
});

test('a report at an hour that the clocks leave out comes when they have gone on', () => {
  const lisbon = new Calendar('Europe/Lisbon', 1);
  expect(lisbon.reportWindow('daily', '2026-03-29')).toEqual({
    from: new Date('2026-03-28T01:00:00Z'),
    through: new Date('2026-03-29T01:00:00Z'),
  });
  expect(lisbon.reportWindow('daily', '2026-10-25').through).toEqual(new Date('2026-10-25T00:00:00Z'));
  expect(lisbon.timestamp(new Date('2026-07-01T00:00:00Z'))).toBe('2026-07-01T01:00:00.000+01:00');
});
