const DAYS = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });

/** A time as readers see it: the day. */
export function day(time: string | null): string {
  return time === null ? 'Draft' : DAYS.format(new Date(time));
}
