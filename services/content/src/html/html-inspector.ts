import { availableParallelism } from 'node:os';
import { Failure, type FieldFault } from '@pressroom/common/failures/failure';
import { type ThreadLimits, ThreadPool, UnfinishedTask } from '@pressroom/common/threads/thread-pool';
import type { CleanedHtml, Inspection, InspectionRules } from './inspection.ts';
import type { InspectionTask } from './inspection-thread.ts';

/** Limits on one inspection, and on how many there may be. */
export interface InspectionLimits extends ThreadLimits {
  /**
   * Characters that may wait for a thread; beyond them, owners who already have some waiting are refused. A
   * short article counts as {@link LEAST}.
   */
  waiting: number;
}

/** The minimum cost of an inspection, in characters. */
const LEAST = 16_384;

/** Far above what an article needs: 2 MB take half a second and 100 MiB, so no author waits long. */
const LIMITS: InspectionLimits = {
  startMs: 30_000,
  cpuMs: 10_000,
  timeMs: 60_000,
  memoryMiB: 512,
  // One core is left for readers.
  threads: Math.max(1, Math.min(4, availableParallelism() - 1)),
  waiting: 2 ** 24,
};

/** An inspection did not finish within its limits. */
interface Unfinished {
  unfinished: string;
}

type Result = Inspection | CleanedHtml;

/** Inspects HTML in separate threads: no article, however long or malicious, delays other requests. */
export class HtmlInspector {
  readonly #rules: InspectionRules;
  readonly #most: number;
  readonly #threads: ThreadPool<InspectionTask, Result>;
  /** Characters that wait, by owner. */
  readonly #waiting = new Map<string, number>();

  constructor(rules: InspectionRules, limits: Partial<InspectionLimits> = {}) {
    const { waiting, ...threadLimits } = { ...LIMITS, ...limits };
    this.#rules = rules;
    this.#most = waiting;
    this.#threads = new ThreadPool(new URL('./inspection-thread.ts', import.meta.url), threadLimits);
  }

  /**
   * Inspects `html`; the result says so if the limits were exceeded. Owners take turns, and an owner with
   * nothing waiting is never refused, whatever others send.
   *
   * @throws Failure `unavailable` if too many inspections are waiting, or the machine is too busy
   */
  inspect(html: string, owner: string): Promise<Inspection | Unfinished> {
    return this.#run('inspect', html, owner) as Promise<Inspection | Unfinished>;
  }

  /** Removes what is not allowed, under the same limits; what is left is to be inspected again. */
  clean(html: string, owner: string): Promise<CleanedHtml | Unfinished> {
    return this.#run('clean', html, owner) as Promise<CleanedHtml | Unfinished>;
  }

  async #run(work: InspectionTask['work'], html: string, owner: string): Promise<Result | Unfinished> {
    const cost = Math.max(html.length, LEAST);
    const own = this.#waiting.get(owner) ?? 0;
    const all = this.#waiting.values().reduce((sum, characters) => sum + characters, 0);
    if (own > 0 && all + cost > this.#most) {
      const detail = 'too many articles are being checked at the moment; try again later';
      throw new Failure('unavailable', detail, { reason: 'busy' });
    }
    this.#waiting.set(owner, own + cost);
    try {
      return await this.#threads.run(owner, () => {
        this.#began(owner, cost);
        return { work, html, rules: this.#rules };
      });
    } catch (error) {
      if (error instanceof UnfinishedTask) return { unfinished: error.message };
      throw error;
    }
  }

  /** Starts a thread, however long it takes, so that the next inspection finds one that can begin. */
  warmUp(): Promise<void> {
    return this.#threads.warmUp({ work: 'inspect', html: '', rules: this.#rules });
  }

  #began(owner: string, cost: number): void {
    const left = (this.#waiting.get(owner) ?? 0) - cost;
    if (left > 0) this.#waiting.set(owner, left);
    else this.#waiting.delete(owner);
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}

/** The minimum number of characters of text in an article, not counting tags. */
export const MIN_CONTENT = 50;

/** The fault of a shorter text. */
export const TOO_SHORT: FieldFault = {
  field: 'content',
  code: 'too_short',
  message: `must have at least ${MIN_CONTENT} characters of text, not counting tags, and not only white space`,
  limit: MIN_CONTENT,
};

/**
 * Every error in an article's `content`: that it is too short, and everything in it that is not allowed, with
 * its position.
 *
 * @param owner the owner of the key that sent it: owners take turns
 * @throws Failure `unavailable` if too many articles are being inspected
 */
export async function contentFaults(
  inspector: HtmlInspector,
  content: string,
  owner: string,
): Promise<FieldFault[]> {
  return faultsOf(await inspector.inspect(content, owner));
}

/** The errors that an inspection found. */
export function faultsOf(inspection: Inspection | Unfinished): FieldFault[] {
  if ('unfinished' in inspection) {
    const message = `cannot be checked ${inspection.unfinished}; simplify it or split it`;
    return [{ field: 'content', code: 'unsafe_html', message }];
  }
  const faults = inspection.faults.map(({ what, line, column }): FieldFault => {
    const message = `${what} is not allowed (line ${line}, column ${column})`;
    return { field: 'content', code: 'unsafe_html', message };
  });
  if (inspection.characters === undefined || inspection.characters >= MIN_CONTENT) return faults;
  return [TOO_SHORT, ...faults];
}
