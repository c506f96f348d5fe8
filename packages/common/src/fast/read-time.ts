import pg from 'pg';

/** `pg`'s own parser of a `timestamptz`, for any zone and year. */
const readAnyTime: (text: string) => unknown = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);

/** The offsets of the parts of `2026-11-21 08:00:00.123+00`. */
const [MONTH, DAY, HOUR, MINUTE, SECOND, FRACTION] = [5, 8, 11, 14, 17, 20] as const;

/**
 * Reads a `timestamptz` as PostgreSQL writes it: `2026-11-21 08:00:00.123+00`. UTC times are read digit by
 * digit, because a page of the feed has a hundred of them, and rewriting each for `Date` took longer than the
 * rest of its row. Digits beyond ms are dropped.
 */
export function readTime(text: string): unknown {
  // Years before 1000 and after 9999 are left to pg: `Date.UTC` reads 0 to 99 as 1900 to 1999.
  if (text[10] !== ' ' || text[0] === '0' || !text.endsWith('+00')) return readAnyTime(text);
  const year = 100 * twoDigits(text, 0) + twoDigits(text, 2);
  const [month, day] = [twoDigits(text, MONTH) - 1, twoDigits(text, DAY)];
  const [hour, minute, second] = [twoDigits(text, HOUR), twoDigits(text, MINUTE), twoDigits(text, SECOND)];
  return new Date(Date.UTC(year, month, day, hour, minute, second, milliseconds(text)));
}

function twoDigits(text: string, at: number): number {
  return 10 * digit(text, at) + digit(text, at + 1);
}

/** PostgreSQL writes zero to six significant digits of the fraction. */
function milliseconds(text: string): number {
  const digits = text.length - FRACTION - '+00'.length;
  if (digits < 1) return 0;
  const tenths = 100 * digit(text, FRACTION);
  const hundredths = digits > 1 ? 10 * digit(text, FRACTION + 1) : 0;
  return tenths + hundredths + (digits > 2 ? digit(text, FRACTION + 2) : 0);
}

function digit(text: string, at: number): number {
  return text.charCodeAt(at) - 48;
}
