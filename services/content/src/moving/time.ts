/** A day in ISO 8601, or as RSS has it. */
const DAY = /^(\d{4})-(\d\d)-(\d\d)|\b(\d{1,2}) ([A-Z][a-z]{2})[a-z]* (\d{4})/;

/**
 * A time of an export as ISO 8601: in milliseconds, as RSS has it, or bare, which is UTC; undefined for what
 * never was.
 */
export function timeOf(value: unknown): string | undefined {
  if (typeof value === 'number') return iso(new Date(value));
  if (typeof value !== 'string' || isNever(value)) return undefined;
  if (/^\d{11,14}$/.test(value)) return iso(new Date(Number(value)));
  if (!isDay(value)) return undefined;
  const isBare = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value);
  return iso(new Date(isBare ? `${value.replace(' ', 'T')}Z` : value));
}

/** What is to be told of times that are none, though something is written there. */
export function impossible(times: readonly unknown[]): string[] {
  const texts = times.filter((time) => typeof time === 'string').filter((time) => !isNever(time));
  return [...new Set(texts)]
    .filter((time) => timeOf(time) === undefined)
    .map((time) => `the date ${time} does not exist: left out`);
}

/** Of articles that never were published, WordPress writes year 0, or one before the first. */
function isNever(value: string): boolean {
  return /^\s*$|^(?:0000|-)|\s-\d{4}\s/.test(value);
}

/** JavaScript takes 30 February for 1 March. */
function isDay(value: string): boolean {
  const [, year, month, day, dayOfRss, monthOfRss, yearOfRss] = DAY.exec(value) ?? [];
  if (day !== undefined)
    return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  if (dayOfRss === undefined) return true;
  return new Date(`${dayOfRss} ${monthOfRss} ${yearOfRss} UTC`).getUTCDate() === Number(dayOfRss);
}

/** WordPress writes a date before the year 1 for what was never published. */
function iso(time: Date): string | undefined {
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999 ? time.toISOString() : undefined;
}

/** A time in the future; null for any other. */
export function ahead(time: string | undefined): string | null {
  return time !== undefined && new Date(time) > new Date() ? time : null;
}
