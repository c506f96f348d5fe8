import type { Period } from '../api/types.ts';

const DAY_MS = 24 * 3_600_000;

/** The date of the report `by` reports after the one of a date. A pure function. */
export function reportAfter(period: Period, date: string, by: number): string {
  const day = new Date(`${date}T00:00:00Z`);
  if (period === 'monthly') day.setUTCMonth(day.getUTCMonth() + by);
  else day.setUTCDate(day.getUTCDate() + by * (period === 'daily' ? 1 : 7));
  return dateOf(day);
}

/** The date of the report that has the day before a date in it: for a date that has one, its own. */
export function reportWith(period: Period, date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  if (period === 'weekly') day.setTime(day.getTime() + ((8 - day.getUTCDay()) % 7) * DAY_MS);
  if (period === 'monthly' && day.getUTCDate() > 1) day.setUTCMonth(day.getUTCMonth() + 1, 1);
  return dateOf(day);
}

function dateOf(day: Date): string {
  return day.toISOString().slice(0, 10);
}
