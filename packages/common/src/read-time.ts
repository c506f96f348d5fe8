import pg from 'pg';

/** `pg`'s own reading of a `timestamptz`, of any zone and year. */
const readAnyTime: (text: string) => unknown = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);

/**
 * Reads a `timestamptz` as PostgreSQL writes it: `2026-11-21 08:00:00.123+00`. What is in UTC is read as the ISO 8601
 * that it almost is, because that is faster and a page of the feed has a hundred of them.
 */
export function readTime(text: string): unknown {
  if (text[10] !== ' ' || !text.endsWith('+00')) return readAnyTime(text);
  return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
}
