/** Calendar months in UTC that follow each other. */
export interface Months {
  /** Each as `YYYYMM`. */
  names: string[];
  /** Their first moment. */
  from: Date;
  /** Their last one, in whole ms. */
  through: Date;
}

/**
 * The months from that of `latest` back to that of `earliest`, each time twice as many as before: what is
 * found soon is found in one of them, and what is rare in a few more steps than there are years.
 */
export function* monthsBack(earliest: Date, latest: Date): Generator<Months> {
  const first = monthOf(earliest);
  let end = monthOf(latest) + 1;
  for (let count = 1; end > first; count *= 2) {
    const start = Math.max(first, end - count);
    const names = Array.from({ length: end - start }, (_, index) => nameOf(start + index));
    yield { names, from: new Date(startOf(start)), through: new Date(startOf(end) - 1) };
    end = start;
  }
}

/** The number of months since the year 0. */
function monthOf(time: Date): number {
  return time.getUTCFullYear() * 12 + time.getUTCMonth();
}

function startOf(month: number): number {
  return new Date(0).setUTCFullYear(Math.floor(month / 12), month % 12, 1);
}

function nameOf(month: number): string {
  return `${String(Math.floor(month / 12)).padStart(4, '0')}${String((month % 12) + 1).padStart(2, '0')}`;
}
