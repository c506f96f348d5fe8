import { availableParallelism } from 'node:os';
import { Failure } from '@pressroom/common/failures/failure';
import { Piscina } from 'piscina';
import type { Inspection, InspectionRules } from './inspection.ts';
import type { InspectionTask } from './inspection-worker.ts';
import { OwnerTurns } from './owner-turns.ts';

/** Limits on one inspection, and on how many there may be. */
export interface InspectionLimits {
  /** How long a worker may take to begin, in ms: a new one loads its programs first. */
  startMs: number;
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
  startMs: 9000,
  timeMs: 10_000,
  memoryMiB: 256,
  workers: WORKERS,
  waiting: 2 ** 24,
};

/** How long an idle worker is kept, in ms. */
const IDLE_MS = 60_000;

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
   * @throws Failure `unavailable` if too many inspections are waiting, or no worker begins in time
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
    const { startMs, timeMs, memoryMiB } = this.#limits;
    const begun = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const limit = new AbortController();
    // The article is not to blame for the time that a worker takes to begin.
    let timer = setTimeout(() => limit.abort(), startMs);
    let ended = false;
    void untilBegun(begun, startMs).then((isBegun) => {
      if (!isBegun || ended) return;
      clearTimeout(timer);
      timer = setTimeout(() => limit.abort(), timeMs);
    });
    try {
      return await this.#pool.run({ html, rules: this.#rules, begun }, { signal: limit.signal });
    } catch (error) {
      if (limit.signal.aborted && Atomics.load(begun, 0) === 0) {
        throw new Failure('unavailable', 'the article could not be checked in time; try again');
      }
      if (limit.signal.aborted) return { unfinished: `within ${timeMs / 1000} s` };
      if (isOutOfMemory(error)) return { unfinished: `with ${memoryMiB} MiB of memory` };
      throw error;
    } finally {
      ended = true;
      clearTimeout(timer);
    }
  }
}

/** Waits for the worker's word, and resolves to whether it came. */
async function untilBegun(begun: Int32Array<SharedArrayBuffer>, ms: number): Promise<boolean> {
  await Atomics.waitAsync(begun, 0, 0, ms).value;
  return Atomics.load(begun, 0) === 1;
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
