import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../log/logging.ts';

/** The longest rest, in ms: Node's timers take 24 days at most. */
const LONGEST_MS = 86_400_000;

/** Recurring work beside the requests, which rests until it is due or woken. */
export class BackgroundLoop {
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  /** Aborted by the first call that the work may not know of: there is no rest then. */
  #woken = new AbortController();
  #soon: NodeJS.Timeout | undefined;

  /**
   * @param work returns the ms until it is due again, `Infinity` for when it is woken; it handles its own
   * failures. Its signal is aborted when it is to stop.
   * @param firstInMs the ms until it is due first
   */
  constructor(work: (signal: AbortSignal) => Promise<number>, firstInMs = 0) {
    this.#done = this.#run(work, firstInMs);
  }

  /** Runs the work at once, or once more if it is running. */
  wake(): void {
    this.#woken.abort();
  }

  /** Like {@link wake} after so many ms, once for all calls until then. */
  wakeIn(ms: number): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.wake();
    }, ms);
  }

  /** Ends the rest, or the loop after the work in progress. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#soon);
    this.wake();
    await this.#done;
  }

  async #run(work: (signal: AbortSignal) => Promise<number>, firstInMs: number): Promise<void> {
    const { signal } = this.#stopping;
    await this.#rest(firstInMs);
    while (!signal.aborted) {
      this.#woken = new AbortController();
      await this.#rest(await work(signal));
    }
  }

  async #rest(ms: number): Promise<void> {
    const { signal } = this.#woken;
    await delay(Math.min(Math.max(ms, 0), LONGEST_MS), undefined, { signal }).catch(() => undefined);
  }
}

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

/**
 * Removes rows in small steps, so that nobody waits long for one, and returns how many there were.
 *
 * @param most how many rows a step removes at most: one that removes fewer is the last
 */
export async function pruneInSteps(
  most: number,
  step: () => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0;
  while (!signal?.aborted) {
    const count = await step();
    removed += count;
    if (count < most) break;
  }
  return removed;
}
