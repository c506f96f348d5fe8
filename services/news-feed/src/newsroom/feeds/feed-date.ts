/** A time of day with its zone, as both forms write it; a name, an offset, or both. */
const TIME = String.raw`(?<hour>[01]?\d|2[0-4]):(?<minute>[0-5]\d)(?::(?<second>[0-5]\d|60)(?:[.,](?<fraction>\d+))?)?\s*(?<name>[a-z]*)(?<offset>[+-]\d\d?(?::?\d\d)?)?`;

/** ISO 8601 and RFC 3339, also with a space; RFC 822 and 2822, also with any language's name of the day. */
const FORMS = [
  new RegExp(String.raw`^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:(?:T|\s+)${TIME})?$`, 'i'),
  new RegExp(
    String.raw`^(?:\p{L}+\.?(?:,\s*|\s+))?(?<day>\d\d?)\s+(?<month>[a-z]{3})[a-z]*\.?\s+(?<year>\d{4}|\d\d)(?:\s+${TIME})?$`,
    'iu',
  ),
];

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The zones of RFC 822 in hours from UTC; a date without one is read as UTC. */
const ZONES = new Map([
  ...['', 'z', 'ut', 'utc', 'gmt'].map((name): [string, number] => [name, 0]),
  ['edt', -4],
  ['est', -5],
  ['cdt', -5],
  ['cst', -6],
  ['mdt', -6],
  ['mst', -7],
  ['pdt', -7],
  ['pst', -8],
]);

/** A longer text is not a date. */
const MAX_CHARACTERS = 100;

/** A comment at the end, as RFC 2822 allows. */
const COMMENT = /\s*\([^()]*\)$/;

const HOUR_MS = 3_600_000;

/**
 * A date with its year as feeds write it; undefined for anything else, and for dates before 1990. The
 * platform would guess a year for what has none, and read what has no zone in that of the process.
 */
export function feedDate(text: string): Date | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const plain = text.trim().replace(COMMENT, '');
  const parts = FORMS.map((form) => form.exec(plain)).find((match) => match !== null)?.groups;
  if (parts === undefined) return undefined;
  const { hour = '0', minute = '0', second = '0', fraction = '0', name = '', offset } = parts;
  const day = Number(parts.day);
  const month = monthOf(parts.month ?? '');
  const midnight = new Date(Date.UTC(yearOf(parts.year ?? ''), month, day));
  const hours = offset === undefined ? ZONES.get(name.toLowerCase()) : hoursOf(offset);
  const isOnCalendar = midnight.getUTCMonth() === month && midnight.getUTCDate() === day;
  if (!isOnCalendar || hours === undefined) return undefined;
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const date = new Date(midnight.getTime() + seconds * 1000 + ms - hours * HOUR_MS);
  return date.getTime() >= Date.UTC(1990) ? date : undefined;
}

/** From 0 to 11; -1 for none. */
function monthOf(text: string): number {
  return /^\d/.test(text) ? Number(text) - 1 : MONTHS.indexOf(text.toLowerCase());
}

/** Two digits are a year from 1950 to 2049 (RFC 2822, section 4.3). */
function yearOf(digits: string): number {
  const year = Number(digits);
  if (digits.length > 2) return year;
  return year < 50 ? 2000 + year : 1900 + year;
}

/** An offset like `+0530`, `+05:30` or `+5`, in hours. */
function hoursOf(offset: string): number {
  const digits = offset.slice(1).replace(':', '');
  const [hours, minutes] = digits.length > 2 ? [digits.slice(0, -2), digits.slice(-2)] : [digits, '0'];
  return (offset.startsWith('-') ? -1 : 1) * (Number(hours) + Number(minutes) / 60);
}
