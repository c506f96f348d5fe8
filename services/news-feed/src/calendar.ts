import { Temporal } from 'temporal-polyfill';
import { z } from 'zod';
import type { NewsTables } from './tables.ts';

const LENGTH: Record<Period, Temporal.DurationLike> = {
  daily: { days: 1 },
  weekly: { weeks: 1 },
  monthly: { months: 1 },
};

/** The latest date, at or before a day, with a report of the period. */
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

/** The date `days` after `date`, both `YYYY-MM-DD`; before it if `days` is negative. */
export function addDays(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** True if `date` is a calendar date written as `YYYY-MM-DD`. PostgreSQL has no year 0. */
export function isCalendarDate(date: string): boolean {
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(date)) return false;
  const [year, month, day] = date.split('-').map(Number);
  try {
    Temporal.PlainDate.from({ year: year ?? 0, month: month ?? 0, day: day ?? 0 }, { overflow: 'reject' });
    return true;
  } catch {
    return false;
  }
}

/** True if a period has a report for `date`: every day, every Monday, or the first of every month. */
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

/**
 * Names days, and says when reports are due, in one time zone; its offset follows the IANA rules
 * (`docs/spec/news-feed.md`, "Daily report").
 */
export class Calendar {
  #zone: string;
  #reportTime: Temporal.PlainTime;

  /** @param reportHour the hour of the day at which a report's window ends */
  constructor(zone: string, reportHour: number) {
    this.#zone = zone;
    this.#reportTime = Temporal.PlainTime.from({ hour: reportHour });
  }

  /** The name of the zone in the IANA database. */
  get zone(): string {
    return this.#zone;
  }

  /** Takes another zone and hour: whoever has the calendar goes by them from then on. */
  follow(zone: string, reportHour: number): void {
    this.#zone = zone;
    this.#reportTime = Temporal.PlainTime.from({ hour: reportHour });
  }

  /** The calendar date at `time`, as `YYYY-MM-DD`. */
  date(time: Date): string {
    return this.#zoned(time).toPlainDate().toString();
  }

  /** The moment at which `date` (`YYYY-MM-DD`) begins. */
  startOfDay(date: string): Date {
    return instantOf(Temporal.PlainDate.from(date).toZonedDateTime(this.zone));
  }

  /** The time that a report for `date` covers: the day, week or month up to the report's hour on that day. */
  reportWindow(period: Period, date: string): TimeWindow {
    const end = Temporal.PlainDate.from(date);
    return { from: this.#reportEnd(end.subtract(LENGTH[period])), through: this.#reportEnd(end) };
  }

  /** The date of a period's newest report whose window has ended at `time`. */
  latestReportDate(period: Period, time: Date): string {
    const today = this.#zoned(time).toPlainDate();
    const date = this.#reportEnd(today) <= time ? today : today.subtract({ days: 1 });
    return REPORT_DATE[period](date).toString();
  }

  /** The date of a period's first report whose window has not ended at `time`. */
  nextReportDate(period: Period, time: Date): string {
    return Temporal.PlainDate.from(this.latestReportDate(period, time)).add(LENGTH[period]).toString();
  }

  /** `time` as RFC 3339 with milliseconds and the zone's offset. */
  timestamp(time: Date): string {
    return this.#zoned(time).toString({ timeZoneName: 'never', smallestUnit: 'millisecond' });
  }

  /** An hour that a change of the clocks leaves out begins as late as it leaves out. */
  #reportEnd(date: Temporal.PlainDate): Date {
    return instantOf(date.toZonedDateTime({ timeZone: this.zone, plainTime: this.#reportTime }));
  }

  #zoned(time: Date): Temporal.ZonedDateTime {
    return Temporal.Instant.fromEpochMilliseconds(time.getTime()).toZonedDateTimeISO(this.zone);
  }
}

/** The calendar of the resets of usage limits, and of a site that names no other. */
export const SHANGHAI = new Calendar('Asia/Shanghai', 8);

function instantOf(time: Temporal.ZonedDateTime): Date {
  return new Date(time.epochMilliseconds);
}

/** A calendar date, `YYYY-MM-DD`. */
export const calendarDate = z.iso.date();

/** Publication interval of a kind of report. */
export type Period = 'daily' | 'weekly' | 'monthly';

/** All periods, the shortest first. */
export const PERIODS = ['daily', 'weekly', 'monthly'] as const satisfies Period[];

/** Everything that differs between the reports of different periods. */
export interface PeriodRules {
  /** The last segment of the path of its index. */
  collection: 'dailies' | 'weeklies' | 'monthlies';
  table: keyof NewsTables & `news.${Period}`;
}

export const PERIOD_RULES: Readonly<Record<Period, PeriodRules>> = {
  daily: { collection: 'dailies', table: 'news.daily' },
  weekly: { collection: 'weeklies', table: 'news.weekly' },
  monthly: { collection: 'monthlies', table: 'news.monthly' },
};

/** Tells the time: the system's clock, or a test's. */
export type Clock = () => Date;

/** The system's clock. */
export const systemClock: Clock = () => new Date();
