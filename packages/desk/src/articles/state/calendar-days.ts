/** The spans that a calendar shows. */
export const SPANS = ['month', 'week'] as const;

export type Span = (typeof SPANS)[number];

const DAY_MS = 86_400_000;

/** A day such as `2026-11-30`, some days later. */
export function laterDay(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The days of the span with a day, in whole weeks that begin with `first`, 0 for Sunday. */
export function daysOf(span: Span, day: string, first: number): string[] {
  const begin = span === 'month' ? `${day.slice(0, 7)}-01` : day;
  const start = laterDay(begin, -((weekdayOf(begin) - first + 7) % 7));
  const next = span === 'month' ? laterSpan('month', day, 1) : laterDay(start, 7);
  const days: string[] = [];
  for (let one = start; one < next || days.length % 7 !== 0; one = laterDay(one, 1)) days.push(one);
  return days;
}

/** A day of the span after, or before, that of a day: the first of the month, or the same day of the week. */
export function laterSpan(span: Span, day: string, by: number): string {
  if (span === 'week') return laterDay(day, 7 * by);
  const [year = 0, month = 0] = day.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + by, 1)).toISOString().slice(0, 10);
}

function weekdayOf(day: string): number {
  return new Date(`${day}T00:00Z`).getUTCDay();
}
