import { Temporal } from 'temporal-polyfill';
import type { Period } from './period.ts';

/**
 * The zone of every calendar date of the news feed (`docs/spec/news-feed.md`, "Daily report"); its offset
 * follows the IANA rules.
 */
export const SHANGHAI = 'Asia/Shanghai' as const;

/** The time of the day, in Shanghai, at which a report's window ends. */
const REPORT_TIME = Temporal.PlainTime.from({ hour: 8 });

/** The lengths of the reports' windows. */
const LENGTH: Record<Period, Temporal.DurationLike> = {
  daily: { days: 1 },
  weekly: { weeks: 1 },
  monthly: { months: 1 },
};

/** The latest date, at or before a day, for which a period has a report. */
const REPORT_DATE: Record<Period, (day: Temporal.PlainDate) => Temporal.PlainDate> = {
  daily: (day) => day,
  weekly: (day) => day.subtract({ days: day.dayOfWeek - 1 }),
  monthly: (day) => day.with({ day: 1 }),
};

/** A time span that includes `from` and excludes `through`. */
export interface TimeWindow {
  from: Date;
  through: Date;
}

/** The calendar date in Shanghai at `time`, as `YYYY-MM-DD`. */
export function shanghaiDate(time: Date): string {
  return zoned(time).toPlainDate().toString();
}

/** The date `days` after `date`, both `YYYY-MM-DD`; before it if `days` is negative. */
export function addDays(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** Whether `date` is a calendar date written as `YYYY-MM-DD`. */
export function isCalendarDate(date: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return false;
  const [year, month, day] = date.split('-').map(Number);
  try {
    Temporal.PlainDate.from({ year: year ?? 0, month: month ?? 0, day: day ?? 0 }, { overflow: 'reject' });
    return true;
  } catch {
    return false;
  }
}

/** The moment at which `date` (`YYYY-MM-DD`) begins in Shanghai. */
export function startOfDay(date: string): Date {
  return instantOf(Temporal.PlainDate.from(date).toZonedDateTime(SHANGHAI));
}

/**
 * The time that a report for `date` covers: the day, week or month up to 08:00 on that day in Shanghai.
 */
export function reportWindow(period: Period, date: string): TimeWindow {
  const end = Temporal.PlainDate.from(date);
  return { from: reportTime(end.subtract(LENGTH[period])), through: reportTime(end) };
}

/** Whether a period has a report for `date`: every day, every Monday, or the first of every month. */
export function isReportDate(period: Period, date: string): boolean {
  const day = Temporal.PlainDate.from(date);
  return REPORT_DATE[period](day).equals(day);
}

/** The first and the last day that a report for `date` is about, both `YYYY-MM-DD`. */
export function reportDays(period: Period, date: string): { first: string; last: string } {
  const end = Temporal.PlainDate.from(date);
  return { first: end.subtract(LENGTH[period]).toString(), last: end.subtract({ days: 1 }).toString() };
}

/**
 * The date of the report on a week (`2026-W47`, ISO 8601) or a month (`2026-11`); undefined if `name` is no
 * such period.
 */
export function dateOfReportOn(period: Period, name: string): string | undefined {
  const [, year, week, month] = /^(\d{4})-(?:W(\d{2})|(\d{2}))$/.exec(name) ?? [];
  if (year === undefined) return undefined;
  if (period === 'weekly' && week !== undefined) return mondayAfter(Number(year), Number(week));
  if (period === 'monthly' && month !== undefined && isCalendarDate(`${name}-01`)) {
    return Temporal.PlainDate.from(`${name}-01`).add(LENGTH.monthly).toString();
  }
  return undefined;
}

/** Undefined if the year has no such week. */
function mondayAfter(year: number, week: number): string | undefined {
  // The fourth of January is always in week 1.
  const day = Temporal.PlainDate.from({ year, month: 1, day: 4 }).add({ weeks: week - 1 });
  if (day.yearOfWeek !== year || day.weekOfYear !== week) return undefined;
  return REPORT_DATE.weekly(day).add(LENGTH.weekly).toString();
}

/** The date of a period's newest report whose window has ended at `time`. */
export function latestReportDate(period: Period, time: Date): string {
  const today = zoned(time).toPlainDate();
  const date = reportTime(today) <= time ? today : today.subtract({ days: 1 });
  return REPORT_DATE[period](date).toString();
}

/** `time` as RFC 3339 with milliseconds and Shanghai's offset. */
export function shanghaiTimestamp(time: Date): string {
  return zoned(time).toString({ timeZoneName: 'never', smallestUnit: 'millisecond' });
}

function reportTime(date: Temporal.PlainDate): Date {
  return instantOf(date.toZonedDateTime({ timeZone: SHANGHAI, plainTime: REPORT_TIME }));
}

function zoned(time: Date): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(time.getTime()).toZonedDateTimeISO(SHANGHAI);
}

function instantOf(time: Temporal.ZonedDateTime): Date {
  return new Date(time.epochMilliseconds);
}
