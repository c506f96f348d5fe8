import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import type { ContentApi } from '../api/content.ts';
import type { ListedArticle, ListQuery, StateCounts } from '../api/types.ts';
import type { Place } from './place.ts';

/** The time without a key after which the search begins, in ms. */
const TYPING_MS = 250;

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
  readonly #isInexact = signal(false);
  readonly #counts = signal<StateCounts>({});
  readonly #waiting = signal<number | undefined>(undefined);
  /** What the loaded articles answer. */
  #answered = '';
  #next: string | undefined;
  #work = new AbortController();
  /** The page that is on its way. */
  #reading: Promise<void> | undefined;

  readonly chosen = signal<ReadonlySet<number>>(new Set());
  /** The article that the keyboard is on. */
  readonly active = signal<number | undefined>(undefined);
  /** The scroll position in px, restored after a visit to an article. */
  scrolled = 0;
  #anchor: number | undefined;

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
      this.scrolled = 0;
      const timer = setTimeout(() => void this.refresh(), isFirst ? 0 : TYPING_MS);
      isFirst = false;
      return () => clearTimeout(timer);
    });
  }

  get articles(): ReadonlySignal<readonly ListedArticle[]> {
    return this.#articles;
  }

  get state(): ReadonlySignal<ListState> {
    return this.#state;
  }

  /** Why the list failed. */
  get problem(): ReadonlySignal<ApiProblem | undefined> {
    return this.#problem;
  }

  /** The number of articles, loaded or not. */
  get total(): ReadonlySignal<number | undefined> {
    return this.#total;
  }

  /** True if there may be more than `total`. */
  get isInexact(): ReadonlySignal<boolean> {
    return this.#isInexact;
  }

  /** The numbers of articles in each state, as far as they are known. */
  get counts(): ReadonlySignal<StateCounts> {
    return this.#counts;
  }

  /** How many articles others have added since the list was read; undefined if it is as it was. */
  get waiting(): ReadonlySignal<number | undefined> {
    return this.#waiting;
  }

  /** Loads the next page, if there is one and none is on its way. */
  async loadMore(): Promise<void> {
    if (this.#reading !== undefined || this.#state.peek() !== 'more') return;
    await this.#read(this.#articles.peek());
  }

  /** Ticks all that the filters match: loads what is not there yet. False if that did not come to an end. */
  async chooseAll(): Promise<boolean> {
    const { signal: stop } = this.#work;
    // A page that is on its way already counts.
    while (this.#state.peek() === 'more' && !stop.aborted) await (this.#reading ?? this.loadMore());
    if (stop.aborted || this.#state.peek() !== 'complete') return false;
    this.chosen.value = new Set(this.#known);
    return true;
  }

  has(id: number | undefined): boolean {
    return id !== undefined && this.#known.has(id);
  }

  /** Ticks an article or takes it out; with `isRange`, all from the last one to it. */
  choose(id: number, isRange: boolean): void {
    const ids = this.#articles.peek().map((article) => article.id);
    const ends = [ids.indexOf(this.#anchor ?? this.active.peek() ?? id), ids.indexOf(id)];
    const next = new Set(this.chosen.peek());
    if (isRange && !ends.includes(-1)) {
      for (const one of ids.slice(Math.min(...ends), Math.max(...ends) + 1)) next.add(one);
    } else {
      if (!next.delete(id)) next.add(id);
      this.#anchor = id;
    }
    this.chosen.value = next;
    this.active.value = id;
  }

  /** Puts the keyboard onto the article beside those that are about to go. */
  stepAside(going: readonly number[]): void {
    const articles = this.#articles.peek();
    const at = articles.findIndex(({ id }) => id === going[0]);
    const isStaying = ({ id }: ListedArticle) => !going.includes(id);
    const next = articles.slice(Math.max(at, 0)).find(isStaying) ?? articles.slice(0, at).findLast(isStaying);
    this.active.value = next?.id;
  }

  /** Reads as much of the list again as there was. */
  async reread(): Promise<void> {
    const count = this.#articles.peek().length;
    await this.refresh(count);
  }

  /** Reads a list that was opened again from its start, and at least `count` articles of it. */
  async refresh(count = 0): Promise<void> {
    if (this.#query.peek() === '') return;
    this.chosen.value = new Set();
    await this.#restart(count);
  }

  /** Looks what others have done. What would move a row under somebody's hand waits for `show`. */
  async follow(isOpening: boolean): Promise<void> {
    const isRead = ['more', 'complete'].includes(this.#state.peek());
    if (!isRead || this.#reading !== undefined || this.#answered !== this.#query.peek()) return;
    const { signal: stop } = this.#work;
    const query: ListQuery = JSON.parse(this.#answered);
    const [page, counts] = await Promise.all([
      this.#api.list(query, undefined, stop),
      this.#api.counts(query, stop),
    ]);
    if (stop.aborted) return;
    const shown = this.#articles.peek();
    const isSame =
      page.articles.every(({ id }, at) => shown[at]?.id === id) &&
      (page.next !== undefined || page.articles.length === shown.length);
    const now = new Map(page.articles.map((article) => [article.id, article]));
    batch(() => {
      this.#counts.value = counts;
      if (JSON.stringify(page.articles) !== JSON.stringify(shown.slice(0, page.articles.length)))
        this.#articles.value = shown.map((article) => now.get(article.id) ?? article);
      this.#waiting.value = isSame
        ? undefined
        : page.articles.filter(({ id }) => !this.#known.has(id)).length;
      if (isSame) this.#total.value = page.total;
    });
    if (!isSame && (isOpening || shown.length === 0)) await this.show();
  }

  /** Shows what others have done; what is ticked stays so, as far as it is still there. */
  async show(): Promise<void> {
    await this.#restart(this.#articles.peek().length);
    this.chosen.value = new Set([...this.chosen.peek()].filter((id) => this.#known.has(id)));
  }

  async #restart(count: number): Promise<void> {
    this.#work.abort();
    this.#work = new AbortController();
    this.#next = undefined;
    this.#state.value = 'loading';
    const { signal: stop } = this.#work;
    void this.#api.counts(JSON.parse(this.#query.peek()), stop).then(
      (counts) => {
        this.#counts.value = counts;
      },
      () => undefined,
    );
    await this.#read([], count);
  }

  #read(before: readonly ListedArticle[], count = 0): Promise<void> {
    const reading = this.#readPages(before, count).finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    this.#reading = reading;
    return reading;
  }

  async #readPages(before: readonly ListedArticle[], count: number): Promise<void> {
    const { signal: stop } = this.#work;
    const asked = this.#query.peek();
    const query: ListQuery = JSON.parse(asked);
    try {
      let page = await this.#api.list(query, this.#next, stop);
      const read = [...page.articles];
      while (read.length < count && page.next !== undefined) {
        page = await this.#api.list(query, page.next, stop);
        read.push(...page.articles);
      }
      if (stop.aborted) return;
      const { next, total, isInexact = false } = page;
      this.#next = next;
      if (before.length === 0) this.#known = new Set();
      const added = read.filter(({ id }) => !this.#known.has(id) && this.#known.add(id));
      if (before.length === 0) this.#answered = asked;
      batch(() => {
        if (before.length === 0) this.#waiting.value = undefined;
        this.#articles.value = before.concat(added);
        this.#state.value = next === undefined ? 'complete' : 'more';
        this.#total.value = total;
        this.#isInexact.value = isInexact;
        this.#problem.value = undefined;
      });
    } catch (error) {
      if (stop.aborted) return;
      batch(() => {
        this.#problem.value = asProblem(error);
        this.#state.value = 'failed';
      });
    }
  }
}
