import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import type { GalleryApi } from '../api/gallery.ts';
import type { Entry } from '../api/types.ts';
import { merged, orderOf } from './order.ts';
import type { Place, SortKey } from './place.ts';
import { walk } from './walk.ts';

export type FolderState = 'loading' | 'more' | 'complete' | 'failed';

/** The time without a key after which the filter applies, in ms. */
const TYPING_MS = 200;

interface Order {
  readonly sort: SortKey;
  readonly descending: boolean;
}

/** The listing of the folder where the page is, or of the search below it. */
export class Folder {
  readonly #api: GalleryApi;
  readonly #place: Place;
  /** Everything loaded, in order. */
  readonly #loaded = signal<readonly Entry[]>([]);
  readonly #state = signal<FolderState>('loading');
  readonly #problem = signal<ApiProblem | undefined>(undefined);
  readonly #looked = signal(0);
  readonly #isStale = signal(false);
  #order: Order;
  #next: string | undefined;
  #reading: Promise<void> | undefined;
  #work = new AbortController();
  #source: 'folder' | 'search' = 'folder';

  /** The loaded entries that the filter lets through. */
  readonly shown: ReadonlySignal<readonly Entry[]>;

  constructor(api: GalleryApi, place: Place) {
    this.#api = api;
    this.#place = place;
    const value = place.value;
    this.#order = value.peek();
    const folder = computed(() => value.value.folder);
    const search = computed(() => (value.value.everywhere ? value.value.filter : ''));
    const order = computed(() => `${value.value.sort} ${value.value.descending}`);
    this.shown = computed(() => {
      const { filter, everywhere } = value.value;
      const wanted = filter.toLowerCase();
      if (wanted === '' || everywhere) return this.#loaded.value;
      return this.#loaded.value.filter(({ name }) => name.toLowerCase().includes(wanted));
    });
    effect(() => {
      order.value;
      this.#sort();
    });
    const isFiltered = computed(() => value.value.filter !== '' && !value.value.everywhere);
    effect(() => {
      if (!isFiltered.value) return;
      const timer = setTimeout(() => void this.loadAll(), TYPING_MS);
      return () => clearTimeout(timer);
    });
    effect(() => {
      const wanted = search.value;
      const under = folder.value;
      if (wanted === '') return this.#open();
      const timer = setTimeout(() => this.#search(under, wanted), TYPING_MS);
      return () => clearTimeout(timer);
    });
  }

  /** Everything loaded, whether or not it is shown. */
  get loaded(): ReadonlySignal<readonly Entry[]> {
    return this.#loaded;
  }

  get state(): ReadonlySignal<FolderState> {
    return this.#state;
  }

  /** Why the listing failed. */
  get problem(): ReadonlySignal<ApiProblem | undefined> {
    return this.#problem;
  }

  get looked(): ReadonlySignal<number> {
    return this.#looked;
  }

  /** True if others have changed the folder since it was read. */
  get isStale(): ReadonlySignal<boolean> {
    return this.#isStale;
  }

  /** Loads the next page, if there is one and none is on its way. */
  async loadMore(): Promise<void> {
    if (this.#source === 'search' || this.#state.peek() === 'complete') return;
    this.#reading ??= this.#readPage(this.#work.signal);
    const reading = this.#reading;
    await reading;
    // Another listing may have begun.
    if (this.#reading === reading) this.#reading = undefined;
  }

  /** Loads all that is left, page by page. */
  async loadAll(): Promise<void> {
    const { signal: stop } = this.#work;
    while (!stop.aborted && this.#state.peek() !== 'complete' && this.#state.peek() !== 'failed') {
      await this.loadMore();
    }
  }

  /** Reads the folder again; what is shown stays until the answer is there. */
  async refresh(): Promise<void> {
    const { folder, filter, everywhere } = this.#place.value.peek();
    if (everywhere && filter !== '') return this.#search(folder, filter);
    const wanted = this.#loaded.peek().length;
    this.#begin('folder');
    const { signal: stop } = this.#work;
    let entries: readonly Entry[] = [];
    try {
      let next: string | undefined;
      do {
        const page = await this.#api.list(folder, next, stop);
        entries = merged(entries, this.#sorted(page.entries), this.#compare);
        next = page.next ?? undefined;
      } while (next !== undefined && entries.length < wanted);
      if (stop.aborted) return;
      this.#next = next;
      this.#show(entries, next === undefined ? 'complete' : 'more');
    } catch (error) {
      this.#fail(error, stop);
      return;
    }
    if (this.#isWantedWhole) await this.loadAll();
  }

  /** Looks what others have done. Nothing moves under somebody's hand: that waits for `refresh`. */
  async follow(isOpening: boolean): Promise<void> {
    const isRead = this.#state.peek() === 'more' || this.#state.peek() === 'complete';
    if (!isRead || this.#source === 'search' || this.#reading !== undefined) return;
    const { signal: stop } = this.#work;
    const page = await this.#api.list(this.#place.value.peek().folder, undefined, stop);
    if (stop.aborted) return;
    const loaded = this.#loaded.peek();
    const known = new Map(loaded.map((entry) => [entry.path, entry.modified]));
    const isSame =
      page.entries.every(({ path, modified }) => known.get(path) === modified) &&
      (page.next !== null || page.entries.length === loaded.length);
    if (!isSame && (isOpening || loaded.length === 0)) return this.refresh();
    this.#isStale.value = !isSame;
  }

  /** Shows what an operation has changed before the next listing does. */
  forget(paths: ReadonlySet<string>): void {
    this.#loaded.value = this.#loaded.peek().filter(({ path }) => !paths.has(path));
  }

  get #compare() {
    return orderOf(this.#order.sort, this.#order.descending);
  }

  #sorted(entries: readonly Entry[]): Entry[] {
    return [...entries].sort(this.#compare);
  }

  #sort(): void {
    const { sort, descending } = this.#place.value.peek();
    this.#order = { sort, descending };
    this.#loaded.value = this.#sorted(this.#loaded.peek());
    if (this.#isWantedWhole) void this.loadAll();
  }

  #begin(source: 'folder' | 'search'): void {
    this.#work.abort();
    this.#work = new AbortController();
    this.#source = source;
    this.#next = undefined;
    this.#reading = undefined;
  }

  #open(): void {
    this.#begin('folder');
    this.#show([], 'loading');
    void (this.#isWantedWhole ? this.loadAll() : this.loadMore());
  }

  /** Only the whole folder can be filtered, or in another order than the store's. */
  get #isWantedWhole(): boolean {
    const { sort, descending, filter } = this.#place.value.peek();
    return sort !== 'name' || descending || filter !== '';
  }

  #show(entries: readonly Entry[], state: FolderState): void {
    batch(() => {
      this.#loaded.value = entries;
      this.#state.value = state;
      this.#problem.value = undefined;
      this.#isStale.value = false;
    });
  }

  async #readPage(stop: AbortSignal): Promise<void> {
    const { folder } = this.#place.value.peek();
    try {
      const { entries, next } = await this.#api.list(folder, this.#next, stop);
      if (stop.aborted) return;
      this.#next = next ?? undefined;
      const all = merged(this.#loaded.peek(), this.#sorted(entries), this.#compare);
      this.#show(all, next === null ? 'complete' : 'more');
    } catch (error) {
      this.#fail(error, stop);
    }
  }

  async #search(folder: string, text: string): Promise<void> {
    this.#begin('search');
    this.#looked.value = 0;
    this.#show([], 'loading');
    const { signal: stop } = this.#work;
    const wanted = text.toLowerCase();
    try {
      for await (const page of walk(this.#api, folder, stop)) {
        if (stop.aborted) return;
        const found = page.filter(({ name }) => name.toLowerCase().includes(wanted));
        this.#looked.value += page.length;
        if (found.length > 0) {
          this.#loaded.value = merged(this.#loaded.peek(), this.#sorted(found), this.#compare);
        }
      }
      if (!stop.aborted) this.#state.value = 'complete';
    } catch (error) {
      this.#fail(error, stop);
    }
  }

  #fail(error: unknown, stop: AbortSignal): void {
    if (stop.aborted) return;
    batch(() => {
      this.#problem.value = asProblem(error);
      this.#state.value = 'failed';
    });
  }
}
