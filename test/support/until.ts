import { setTimeout as delay } from 'node:timers/promises';

/** How long a condition may take to come true, in ms: far longer than it ever should. */
const PATIENCE_MS = 30_000;

/** Waits until `probe` returns something other than undefined, null or false, and returns that. */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  patienceMs = PATIENCE_MS,
): Promise<NonNullable<T>> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== null && value !== false) return value;
    if (performance.now() > end) throw new Error(`still not so after ${patienceMs} ms: ${what}`);
    await delay(10);
  }
}
