import type { Logger } from '../log/logging.ts';
import { BackgroundLoop } from './background-loop.ts';

/** The time between two runs, in ms. */
const PERIOD_MS = 3_600_000;

/** Removes expired rows, and returns how many, by kind. */
type Prune = (signal: AbortSignal) => Promise<Record<string, number>>;

/**
 * Removes expired rows periodically, while the service runs.
 *
 * @param prunes by the name that the log has for them
 */
export function openPruning(
  prunes: Readonly<Record<string, Prune>>,
  log: Pick<Logger, 'info' | 'warn'>,
  periodMs = PERIOD_MS,
): BackgroundLoop {
  const pruneAll = async (signal: AbortSignal) => {
    for (const [name, prune] of Object.entries(prunes)) {
      try {
        const pruned = await prune(signal);
        if (Object.values(pruned).some((count) => count > 0)) log.info(pruned, `${name}_pruned`);
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, `${name}_not_pruned`);
      }
    }
    return periodMs;
  };
  // The first run is one period after the start, so that a process that keeps restarting does not prune.
  return new BackgroundLoop(pruneAll, periodMs);
}
