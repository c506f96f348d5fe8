/** A time as a field of the browser's own zone has it: `2026-11-25T18:00`; empty for none. */
export function localTime(time: string | null | undefined): string {
  if (time === null || time === undefined) return '';
  const date = new Date(time);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The same as the API takes it, with its offset; null for none. */
export function zonedTime(local: string): string | null {
  return local === '' ? null : new Date(local).toISOString();
}
