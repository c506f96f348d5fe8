import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import type { ContentApi } from '../api/content.ts';
import type { ListedArticle, ListQuery } from '../api/types.ts';
import type { Place } from './place.ts';

/** How long the search waits for the next key, in ms. */
const TYPING_MS = 250;

/** How far a list has come. */
export type ListState = 'loading' | 'more' | 'complete' | 'failed';

/** The articles that the address asks for, page by page as they are scrolled to. */
export class ArticleList {
  readonly #api: ContentApi;
  readonly #query: ReadonlySignal<string>;
  readonly #articles = signal<readonly ListedArticle[]>([]);
  /** The ids of what is loaded: a page is added to 100,000 articles between two frames. */
  #known = new Set<number>();
  readonly #state = signal<ListState>('loading');
  readonly #problem = signal<ApiProblem | undefined>(undefined);
  readonly #total = signal<number | undefined>(undefined);
  #next: string | undefined;
  #work = new AbortController();
  #isReading = false;

  /** The articles whose boxes are ticked. */
  readonly chosen = signal<ReadonlySet<number>>(new Set());
  /** The article that the keyboard is on. */
  readonly active = signal<number | undefined>(undefined);

  constructor(api: ContentApi, place: Place) {
    this.#api = api;
    let last = '';
    this.#query = computed(() => {
      const { article, ...query } = place.value.value;
      if (article === undefined) last = JSON.stringify(query);
      return last;
    });
    let isFirst = true;
    effect(() => {
      if (this.#query.value === '') return;
      const timer = setTimeout(() => void this.refresh(), isFirst ? 0 : TYPING_MS);
      isFirst = false;
      return () => clearTimeout(timer);
    });
  }

  /** What is loaded, in order. */
  get articles(): ReadonlySignal<readonly ListedArticle[]> {
    return this.#articles;
  }

  /** Whether there is more. */
  get state(): ReadonlySignal<ListState> {
    return this.#state;
  }

  /** Why the list failed. */
  get problem(): ReadonlySignal<ApiProblem | undefined> {
    return this.#problem;
  }

  /** How many articles there are, loaded or not. */
  get total(): ReadonlySignal<number | undefined> {
    return this.#total;
  }

  /** Loads the next page, if there is one and none is on its way. */
  async loadMore(): Promise<void> {
    if (this.#isReading || this.#state.peek() !== 'more') return;
    await this.#read(this.#articles.peek());
  }

  /** Whether an article is loaded. */
  has(id: number | undefined): boolean {
    return id !== undefined && this.#known.has(id);
  }

  /** Reads the list again from its start. */
  async refresh(): Promise<void> {
    this.#work.abort();
    this.#work = new AbortController();
    this.#next = undefined;
    batch(() => {
      this.#state.value = 'loading';
      this.chosen.value = new Set();
    });
    await this.#read([]);
  }

  /** Reads the list again unless there is none yet: what was open may have changed it. */
  refreshLater(): void {
    if (this.#query.peek() !== '') void this.refresh();
  }

  async #read(before: readonly ListedArticle[]): Promise<void> {
    const { signal: stop } = this.#work;
    const query: ListQuery = JSON.parse(this.#query.peek());
    this.#isReading = true;
    try {
      const { articles, next, total } = await this.#api.list(query, this.#next, stop);
      if (stop.aborted) return;
      this.#next = next;
      if (before.length === 0) this.#known = new Set();
      const added = articles.filter(({ id }) => !this.#known.has(id));
      for (const { id } of added) this.#known.add(id);
      batch(() => {
        this.#articles.value = before.concat(added);
        this.#state.value = next === undefined ? 'complete' : 'more';
        this.#total.value = total;
        this.#problem.value = undefined;
      });
    } catch (error) {
      if (stop.aborted) return;
      batch(() => {
        this.#problem.value = asProblem(error);
        this.#state.value = 'failed';
      });
    } finally {
      if (!stop.aborted) this.#isReading = false;
    }
  }
}
