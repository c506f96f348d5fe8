/**
 * A time of an export as ISO 8601: in milliseconds, as RSS has it, or bare, which is UTC; undefined for what
 * never was.
 */
export function timeOf(value: unknown): string | undefined {
  if (typeof value === 'number') return iso(new Date(value));
  if (typeof value !== 'string' || /^(?:0000|-|$)/.test(value)) return undefined;
  const isBare = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value);
  return iso(new Date(isBare ? `${value.replace(' ', 'T')}Z` : value));
}

/** WordPress writes a date before the year 1 for what was never published. */
function iso(time: Date): string | undefined {
  return time.getUTCFullYear() >= 1 ? time.toISOString() : undefined;
}

/** A time in the future; null for any other. */
export function ahead(time: string | undefined): string | null {
  return time !== undefined && new Date(time) > new Date() ? time : null;
}
