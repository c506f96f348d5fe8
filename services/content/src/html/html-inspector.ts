import { availableParallelism } from 'node:os';
import { Failure } from '@pressroom/common/failures/failure';
import { Piscina } from 'piscina';
import type { Inspection, InspectionRules } from './inspection.ts';
import type { InspectionTask } from './inspection-worker.ts';
import { OwnerTurns } from './owner-turns.ts';

/** What one inspection may take, and how many there may be. */
export interface InspectionLimits {
  /** From the moment that a worker is free, in ms. */
  timeMs: number;
  /** The heap of a worker, in MiB. */
  memoryMiB: number;
  /** Inspections at once: the threads of the pool. */
  workers: number;
  /**
   * Characters that wait for a worker; whoever waits already is turned away beyond them. A short article counts as
   * {@link LEAST}.
   */
  waiting: number;
}

/** What an inspection costs at least, in characters. */
const LEAST = 16_384;

/** A core is left for those who read. */
const WORKERS = Math.max(1, Math.min(4, availableParallelism() - 1));

/** Far above what an article takes: 2 MB are inspected in half a second and 100 MiB, so nobody waits for long. */
const LIMITS: InspectionLimits = { timeMs: 10_000, memoryMiB: 256, workers: WORKERS, waiting: 2 ** 24 };

/** How long a worker without work is kept, in ms. */
const IDLE_MS = 60_000;

/** An inspection came to no end within its limits. */
export interface Unfinished {
  unfinished: string;
}

/**
 * Inspects HTML in threads of its own, so that no article, however long or malicious, holds up the reads of others: at
 * most so many at once, each within limits of time and memory, and so many waiting.
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
      // A thread that waits in `Atomics.wait` hears nothing else, and nothing here needs its microseconds.
      atomics: 'disabled',
    });
    // The fault of a thread is told to whose inspection it was; without a listener it would end the process.
    this.#pool.on('error', () => undefined);
    this.#turns = new OwnerTurns(workers);
  }

  /**
   * Inspects `html`; what cannot be inspected within the limits says so. Owners take turns, and one of whom nothing waits
   * is never turned away: what others bring costs nobody an answer.
   *
   * @throws Failure `unavailable` when too many inspections wait
   */
  async inspect(html: string, owner: string): Promise<Inspection | Unfinished> {
    const cost = Math.max(html.length, LEAST);
    const own = this.#waiting.get(owner) ?? 0;
    const all = this.#waiting.values().reduce((sum, characters) => sum + characters, 0);
    if (own > 0 && all + cost > this.#limits.waiting) {
      throw new Failure('unavailable', 'too many articles are being checked at the moment; try again');
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
    const { timeMs, memoryMiB } = this.#limits;
    const signal = AbortSignal.timeout(timeMs);
    try {
      return await this.#pool.run({ html, rules: this.#rules }, { signal });
    } catch (error) {
      if (signal.aborted) return { unfinished: `within ${timeMs / 1000} s` };
      if (isOutOfMemory(error)) return { unfinished: `with ${memoryMiB} MiB of memory` };
      throw error;
    }
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
