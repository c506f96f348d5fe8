import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { FairQueue } from '../concurrency/fair-queue.ts';
import { Failure } from '../failures/failure.ts';
import type { ThreadTask } from './thread-task.ts';

/** Limits on one task, and on how many run at once. */
export interface ThreadLimits {
  /** Time limit for a thread to begin, in ms: a new one loads its modules first. */
  startMs: number;
  /** Computing time, in ms, which does not pass while the machine is busy with other things. */
  cpuMs: number;
  /** Time from when a thread begins, in ms. */
  timeMs: number;
  /** Heap of a thread, in MiB, of which it may hold more for a moment. */
  memoryMiB: number;
  /** Tasks that run at once, each in a thread. */
  threads: number;
}

/**
 * Time that an idle thread is kept, in ms. It holds 40 MiB, and a new one takes part of a second, or seconds
 * on a busy machine: none may be missing after a failover of the database, when every writer comes at once.
 */
const IDLE_MS = 60_000;

/** Interval of the checks of a thread's use, in ms. */
const LOOK_MS = 50;

/**
 * The heap of a thread as a multiple of its limit. V8 ends the whole process when a large allocation exceeds
 * a heap, so what a task holds is checked, and its thread killed, long before that.
 */
const HEAP_RESERVE = 8;

/** A task did not end within its limits, and its thread was killed; the message says which limit. */
export class UnfinishedTask extends Error {
  constructor(limit: string) {
    super(limit);
    this.name = 'UnfinishedTask';
  }
}

/**
 * Runs tasks in their own threads, so that none of them, however long or malicious, delays anything else:
 * one that exceeds its limits is killed together with its thread.
 */
export class ThreadPool<Task, Result> {
  readonly #limits: ThreadLimits;
  readonly #pool: Piscina<ThreadTask<Task>, Result>;
  readonly #turns: FairQueue;
  #closed = false;

  /**
   * @param module what the threads load; its default export is a `threadTask`
   * @param data what `threadData` gives each thread
   */
  constructor(module: URL, limits: ThreadLimits, data?: unknown) {
    this.#limits = limits;
    this.#pool = new Piscina({
      filename: module.href,
      minThreads: 0,
      maxThreads: limits.threads,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMiB * HEAP_RESERVE },
      recordTiming: false,
      workerData: data,
      // A thread in `Atomics.wait` cannot receive anything else, and nothing here needs the microseconds it
      // saves.
      atomics: 'disabled',
    });
    // The caller of the task gets a thread's error; without a listener, it would also end the process.
    this.#pool.on('error', () => undefined);
    const { threads: places } = limits;
    this.#turns = new FairQueue({ places, placesOfOne: Math.max(1, places - 1) });
  }

  /**
   * Runs the task that `prepare` returns when it is the owner's turn: owners take turns, so that none waits
   * for all that another brings. Rejects with what the task throws.
   *
   * @throws UnfinishedTask if it needs more computing time or memory than the limits allow
   * @throws Failure `unavailable` if the machine is too busy to tell, or the pool is closed
   */
  run(owner: string, prepare: () => Task): Promise<Result> {
    return this.#turns.run(owner, () => this.#run(prepare()));
  }

  /** Runs a task without limits, so that the next one finds a thread that can begin. */
  async warmUp(task: Task): Promise<void> {
    await this.#pool.run({ task, begun: newWord() });
  }

  /** Kills the threads, and what runs in them. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.destroy();
  }

  async #run(task: Task): Promise<Result> {
    const begun = newWord();
    const watch = new TaskWatch(this.#limits, begun, () => this.#pool.threads);
    try {
      if (this.#closed) throw new Error('the pool is closed');
      return await this.#pool.run({ task, begun }, { signal: watch.signal });
    } catch (error) {
      if (watch.verdict !== undefined) throw watch.verdict;
      if (isOutOfMemory(error)) throw new UnfinishedTask(memoryLimit(this.#limits));
      if (this.#closed) throw unavailable('the program is stopping', { cause: error });
      throw error;
    } finally {
      watch.end();
    }
  }
}

/** Kills a task that exceeds its limits. Most tasks have ended before it looks for the first time. */
class TaskWatch {
  /** For Piscina. An `AbortController` would cost each task more than many tasks take. */
  readonly signal = new EventEmitter();
  verdict: Error | undefined;
  readonly #limits: ThreadLimits;
  readonly #begun: Int32Array<SharedArrayBuffer>;
  readonly #threads: () => readonly Worker[];
  readonly #since = performance.now();
  #timer: NodeJS.Timeout;
  #isOver = false;

  constructor(limits: ThreadLimits, begun: Int32Array<SharedArrayBuffer>, threads: () => readonly Worker[]) {
    this.#limits = limits;
    this.#begun = begun;
    this.#threads = threads;
    this.#timer = setTimeout(() => this.#look(), Math.min(limits.startMs, LOOK_MS));
  }

  /** To be called when the task has ended. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** Waits until a thread has begun: the task is not to blame for the time that this takes. */
  #look(): void {
    const { startMs, timeMs } = this.#limits;
    const id = Atomics.load(this.#begun, 0);
    const killLate = () =>
      this.#kill(unavailable('the machine is too busy at the moment', { reason: 'busy' }));
    if (id !== 0) {
      this.#timer = setTimeout(killLate, timeMs);
      void this.#overspent(id).then((limit) => limit && this.#kill(new UnfinishedTask(limit)));
    } else if (performance.now() - this.#since < startMs) {
      this.#timer = setTimeout(() => this.#look(), LOOK_MS);
    } else {
      killLate();
    }
  }

  /** Waits until a thread has used more than a limit, and says which; undefined if it ends before. */
  async #overspent(threadId: number): Promise<string | undefined> {
    const { cpuMs, memoryMiB } = this.#limits;
    const worker = this.#threads().find((thread) => thread.threadId === threadId);
    if (worker === undefined) return undefined;
    try {
      const before = await worker.cpuUsage();
      for (;;) {
        await delay(LOOK_MS, undefined, { ref: false });
        if (this.#isOver) return undefined;
        const { used_heap_size: bytes } = await worker.getHeapStatistics();
        if (bytes > memoryMiB * 2 ** 20) return memoryLimit(this.#limits);
        const { user, system } = await worker.cpuUsage(before);
        if ((user + system) / 1000 >= cpuMs) return `within ${cpuMs / 1000} s of computing`;
      }
    } catch {
      return undefined;
    }
  }

  #kill(verdict: Error): void {
    if (this.#isOver) return;
    this.verdict = verdict;
    this.signal.emit('abort');
  }
}

function newWord(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

function memoryLimit({ memoryMiB }: ThreadLimits): string {
  return `with ${memoryMiB} MiB of memory`;
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function unavailable(what: string, why: { reason: 'busy' } | { cause: unknown }): Failure {
  return new Failure('unavailable', `${what}; try again later`, why);
}
