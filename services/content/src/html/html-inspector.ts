import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '@pressroom/common/failures/failure';
import { Piscina } from 'piscina';
import type { Inspection, InspectionRules } from './inspection.ts';
import type { InspectionTask } from './inspection-worker.ts';
import { OwnerTurns } from './owner-turns.ts';

/** Limits on one inspection, and on how many there may be. */
export interface InspectionLimits {
  /** How long a worker may take to begin, in ms: a new one loads its programs first. */
  startMs: number;
  /** Computing time, in ms, which does not pass while the machine is busy with other things. */
  cpuMs: number;
  /** Time from when a worker begins, in ms. */
  timeMs: number;
  /** Heap of a worker, in MiB. */
  memoryMiB: number;
  /** Concurrent inspections: the threads of the pool. */
  workers: number;
  /**
   * Characters that may wait for a worker; beyond them, owners who already have some waiting are refused. A
   * short article counts as {@link LEAST}.
   */
  waiting: number;
}

/** The minimum cost of an inspection, in characters. */
const LEAST = 16_384;

/** One core is left for readers. */
const WORKERS = Math.max(1, Math.min(4, availableParallelism() - 1));

/** Far above what an article needs: 2 MB take half a second and 100 MiB, so nobody waits long. */
const LIMITS: InspectionLimits = {
  startMs: 30_000,
  cpuMs: 10_000,
  timeMs: 60_000,
  memoryMiB: 256,
  workers: WORKERS,
  waiting: 2 ** 24,
};

/** How long an idle worker is kept, in ms. It holds 40 MiB, and a new one takes part of a second. */
const IDLE_MS = 10_000;

/** How long to wait at least before looking again at how long a worker has computed, in ms. */
const MIN_LOOK_MS = 100;

/** An inspection did not finish within its limits. */
export interface Unfinished {
  unfinished: string;
}

/**
 * Inspects HTML in separate threads, so that no article, however long or malicious, delays other requests.
 * The limits bound how many inspections run at once, the time and memory of each, and how many wait.
 */
export class HtmlInspector {
  readonly #rules: InspectionRules;
  readonly #limits: InspectionLimits;
  readonly #pool: Piscina<InspectionTask, Inspection>;
  readonly #turns: OwnerTurns;
  /** By owner, in characters. */
  readonly #waiting = new Map<string, number>();

  constructor(rules: InspectionRules, limits: Partial<InspectionLimits> = {}) {
    this.#rules = rules;
    this.#limits = { ...LIMITS, ...limits };
    const { workers, memoryMiB } = this.#limits;
    this.#pool = new Piscina({
      filename: new URL('./inspection-worker.ts', import.meta.url).href,
      minThreads: 0,
      maxThreads: workers,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: memoryMiB },
      // A thread in `Atomics.wait` cannot receive anything else, and nothing here needs the microseconds it
      // saves.
      atomics: 'disabled',
    });
    // The caller of the inspection gets a thread's error; without a listener, it would also end the process.
    this.#pool.on('error', () => undefined);
    this.#turns = new OwnerTurns(workers);
  }

  /**
   * Inspects `html`; the result says so if the limits were exceeded. Owners take turns, and an owner with
   * nothing waiting is never refused: nobody loses an answer to what others send.
   *
   * @throws Failure `unavailable` if too many inspections are waiting, or the machine is too busy
   */
  async inspect(html: string, owner: string): Promise<Inspection | Unfinished> {
    const cost = Math.max(html.length, LEAST);
    const own = this.#waiting.get(owner) ?? 0;
    const all = this.#waiting.values().reduce((sum, characters) => sum + characters, 0);
    if (own > 0 && all + cost > this.#limits.waiting) {
      throw new Failure('unavailable', 'too many articles are being checked at the moment; try again later');
    }
    this.#waiting.set(owner, own + cost);
    return this.#turns.run(owner, () => {
      this.#began(owner, cost);
      return this.#run(html);
    });
  }

  /** Starts a worker, however long it takes, so that the next inspection finds one that can begin. */
  async warmUp(): Promise<void> {
    const begun = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    await this.#pool.run({ html: '', rules: this.#rules, begun });
  }

  #began(owner: string, cost: number): void {
    const left = (this.#waiting.get(owner) ?? 0) - cost;
    if (left > 0) this.#waiting.set(owner, left);
    else this.#waiting.delete(owner);
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #run(html: string): Promise<Inspection | Unfinished> {
    const { startMs, cpuMs, timeMs, memoryMiB } = this.#limits;
    const begun = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const ended = new AbortController();
    const late = new AbortController();
    const overspent = new AbortController();
    // The article is not to blame for the time that a worker takes to begin.
    let timer = setTimeout(() => late.abort(), startMs);
    void untilBegun(begun, startMs).then((worker) => {
      if (worker === undefined || ended.signal.aborted) return;
      clearTimeout(timer);
      timer = setTimeout(() => late.abort(), timeMs);
      return this.#spends(worker, cpuMs, ended.signal).then((spent) => spent && overspent.abort());
    });
    try {
      const signal = AbortSignal.any([late.signal, overspent.signal]);
      return await this.#pool.run({ html, rules: this.#rules, begun }, { signal });
    } catch (error) {
      if (overspent.signal.aborted) return { unfinished: `within ${cpuMs / 1000} s` };
      if (late.signal.aborted) {
        throw new Failure('unavailable', 'the article could not be checked in time; try again');
      }
      if (isOutOfMemory(error)) return { unfinished: `with ${memoryMiB} MiB of memory` };
      throw error;
    } finally {
      ended.abort();
      clearTimeout(timer);
    }
  }

  /** Waits until a worker has computed for `cpuMs`; false if it ends before. */
  async #spends(threadId: number, cpuMs: number, ended: AbortSignal): Promise<boolean> {
    const worker = this.#pool.threads.find((thread) => thread.threadId === threadId);
    if (worker === undefined) return false;
    try {
      const before = await worker.cpuUsage();
      for (let left = cpuMs; left > 0; ) {
        // A thread cannot compute for longer than time passes.
        await delay(Math.max(left, MIN_LOOK_MS), undefined, { signal: ended });
        const { user, system } = await worker.cpuUsage(before);
        left = cpuMs - (user + system) / 1000;
      }
      return true;
    } catch {
      return false;
    }
  }
}

/** Waits for the worker's word, and resolves to the id of its thread; undefined if it did not come. */
async function untilBegun(begun: Int32Array<SharedArrayBuffer>, ms: number): Promise<number | undefined> {
  await Atomics.waitAsync(begun, 0, 0, ms).value;
  return Atomics.load(begun, 0) || undefined;
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
