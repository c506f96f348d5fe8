import { type ReadonlySignal, signal } from '@preact/signals';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import type { Page } from '../api/types.ts';

export type PagesState = 'loading' | 'more' | 'complete' | 'failed';

type Ask<Entry> = (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Entry>>;

/** A list that is loaded page by page. */
export class Pages<Entry> {
  readonly #entries = signal<readonly Entry[]>([]);
  readonly #state = signal<PagesState>('loading');
  readonly #problem = signal<ApiProblem | undefined>(undefined);
  #ask: Ask<Entry> | undefined;
  #cursor: string | undefined;
  #running: AbortController | undefined;

  get entries(): ReadonlySignal<readonly Entry[]> {
    return this.#entries;
  }

  get state(): ReadonlySignal<PagesState> {
    return this.#state;
  }

  /** Why the last page did not come. */
  get problem(): ReadonlySignal<ApiProblem | undefined> {
    return this.#problem;
  }

  /** Begins another list; what was loaded is gone at once. */
  async begin(ask: Ask<Entry>): Promise<void> {
    this.#ask = ask;
    this.#entries.value = [];
    await this.refresh();
  }

  /** Loads the first page again; what is there stays until it has come. */
  async refresh(): Promise<void> {
    this.#running?.abort();
    this.#running = undefined;
    this.#cursor = undefined;
    await this.#load([]);
  }

  async more(): Promise<void> {
    if (this.#running === undefined && this.#state.peek() === 'more') await this.#load(this.#entries.peek());
  }

  /** Loads the page that has failed again. */
  async retry(): Promise<void> {
    await (this.#cursor === undefined ? this.refresh() : this.#load(this.#entries.peek()));
  }

  /** Puts something else in the place of an entry, or nothing if `changed` says undefined. */
  change(isIt: (entry: Entry) => boolean, changed: (entry: Entry) => Entry | undefined): void {
    this.#entries.value = this.#entries
      .peek()
      .flatMap((entry) => (isIt(entry) ? (changed(entry) ?? []) : entry));
  }

  async #load(before: readonly Entry[]): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    this.#state.value = 'loading';
    this.#problem.value = undefined;
    try {
      const page = await this.#ask?.(this.#cursor, running.signal);
      if (running.signal.aborted || page === undefined) return;
      this.#entries.value = [...before, ...page.entries];
      this.#cursor = page.nextCursor ?? undefined;
      this.#state.value = page.nextCursor === null ? 'complete' : 'more';
    } catch (error) {
      if (running.signal.aborted) return;
      this.#problem.value = asProblem(error);
      this.#state.value = 'failed';
    } finally {
      if (this.#running === running) this.#running = undefined;
    }
  }
}
