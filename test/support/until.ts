import { setTimeout as delay } from 'node:timers/promises';

/** Time for a condition to come true on a machine with fifteen times the work it can do, in ms. */
const PATIENCE_MS = 120_000;

/** Waits until `probe` returns something other than undefined, null or false, and returns that. */
export async function until<T>(what: string, probe: () => T | Promise<T>): Promise<NonNullable<T>> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== null && value !== false) return value;
    if (performance.now() > end) throw new Error(`still not so after ${PATIENCE_MS} ms: ${what}`);
    await delay(10);
  }
}
