import { availableParallelism } from 'node:os';
import { Failure } from '@pressroom/common/failures/failure';
import { type ThreadLimits, ThreadPool, UnfinishedTask } from '@pressroom/common/threads/thread-pool';
import type { Readers, ReadingOutcome, ReadingTask } from './reading-thread.ts';

/** A feed of 10 MB takes 4 s and 256 MiB. With two threads at least, one owner never has all. */
const LIMITS: ThreadLimits = {
  startMs: 60_000,
  cpuMs: 10_000,
  timeMs: 600_000,
  memoryMiB: 512,
  threads: Math.max(2, Math.min(4, availableParallelism())),
};

/** Reads publishers' texts in threads: nothing in them delays anything else. */
export class Reader {
  readonly #threads: ThreadPool<ReadingTask, ReadingOutcome>;

  constructor(limits: Partial<ThreadLimits> = {}) {
    const module = new URL('./reading-thread.ts', import.meta.url);
    this.#threads = new ThreadPool(module, { ...LIMITS, ...limits });
  }

  /**
   * Reads a text of a kind when it is the turn of `owner`, the source that has led to it.
   *
   * @throws Failure `invalid` that says why it cannot be read; `unavailable` if the reader is closed, or the
   * machine too busy to tell
   */
  async read<Kind extends keyof Readers>(
    owner: string,
    kind: Kind,
    input: Parameters<Readers[Kind]>[0],
  ): Promise<ReturnType<Readers[Kind]>> {
    const outcome = await this.#threads
      .run(owner, () => ({ kind, input }) as ReadingTask)
      .catch((error: unknown): ReadingOutcome => {
        if (!(error instanceof UnfinishedTask)) throw error;
        const code = kind === 'rule' ? ('rule_too_slow' as const) : undefined;
        return { fault: `it cannot be read ${error.message}`, code };
      });
    if ('fault' in outcome) throw new Failure('invalid', outcome.fault, { code: outcome.code });
    return outcome.value as ReturnType<Readers[Kind]>;
  }

  /** Kills the threads; reads in progress fail. */
  close(): Promise<void> {
    return this.#threads.close();
  }
}

/** True if an answer was not read because the worker stops, or because its machine is too busy. */
export function isUnread(error: unknown): boolean {
  return error instanceof Failure && error.kind === 'unavailable';
}
