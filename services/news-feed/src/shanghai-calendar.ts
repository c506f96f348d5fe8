import { Temporal } from 'temporal-polyfill';

/**
 * The zone of every calendar date of the news feed (`docs/spec/news-feed.md`, "Daily report"); its offset
 * follows the IANA rules.
 */
export const SHANGHAI = 'Asia/Shanghai';

/** The hour of the day, in Shanghai, at which a daily report's window ends. */
const REPORT_HOUR = 8;

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

/** The 24 hours that the report for `date` covers: up to 08:00 on that day in Shanghai. */
export function reportWindow(date: string): TimeWindow {
  return { from: reportTime(addDays(date, -1)), through: reportTime(date) };
}

/** The date of the newest report whose window has ended at `time`. */
export function latestReportDate(time: Date): string {
  const today = shanghaiDate(time);
  return reportTime(today) <= time ? today : addDays(today, -1);
}

/** `time` as RFC 3339 with milliseconds and Shanghai's offset. */
export function shanghaiTimestamp(time: Date): string {
  return zoned(time).toString({ timeZoneName: 'never', smallestUnit: 'millisecond' });
}

function reportTime(date: string): Date {
  const plainTime = Temporal.PlainTime.from({ hour: REPORT_HOUR });
  return instantOf(Temporal.PlainDate.from(date).toZonedDateTime({ timeZone: SHANGHAI, plainTime }));
}

function zoned(time: Date): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(time.getTime()).toZonedDateTimeISO(SHANGHAI);
}

function instantOf(time: Temporal.ZonedDateTime): Date {
  return new Date(time.epochMilliseconds);
}
