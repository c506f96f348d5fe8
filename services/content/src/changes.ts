import { isDeepStrictEqual } from 'node:util';

/** Times that change with every write, or never, and so tell the sender of a change nothing. */
const UNREPORTED = new Set(['created_at', 'updated_at']);

/** The value of a column in a row. */
type Value = string | number | boolean | Date | string[] | number[] | object | null;

/** `id` and the columns whose values differ between two states of a row, times as ISO 8601. */
export function changesBetween<Row extends { id: number }>(before: Row, after: Row): { id: number } {
  const values = Object.entries(after) as [keyof Row & string, Value][];
  const changed = values.filter(([name, value]) => {
    if (UNREPORTED.has(name)) return false;
    return !isDeepStrictEqual(value, before[name]);
  });
  const shown = changed.map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]);
  return { ...Object.fromEntries(shown), id: after.id };
}
