/** A time as a field has it that knows no zones: `2026-11-25T18:00`, in `zone`; empty for none. */
export function localTime(time: string | null | undefined, zone: string | undefined): string {
  return time === null || time === undefined ? '' : clockOf(Date.parse(time), zone);
}

/** The same as the API takes it, with its offset; null for none. */
export function zonedTime(local: string, zone: string | undefined): string | null {
  if (local === '') return null;
  const clock = Date.parse(`${local}Z`);
  const offsetAt = (ms: number) => Date.parse(`${clockOf(ms, zone)}Z`) - Math.floor(ms / 60_000) * 60_000;
  // The offset may change between the first guess and the time itself.
  const guess = clock - offsetAt(clock);
  return new Date(clock - offsetAt(guess)).toISOString();
}

/** A clock's reading in the zone, or in the browser's zone if that is undefined. */
function clockOf(ms: number, zone: string | undefined): string {
  const format = new Intl.DateTimeFormat('en', {
    ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric' },
    ...{ month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
  });
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const { year = '', month, day, hour, minute } = parts;
  return `${year.padStart(4, '0')}-${month}-${day}T${hour}:${minute}`;
}
