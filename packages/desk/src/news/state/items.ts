import { type ReadonlySignal, signal } from '@preact/signals';
import type { NewsroomApi } from '../api/newsroom.ts';
import type { Item, ItemAction, ItemChange, ItemsQuery, ListedItem, WithdrawnItem } from '../api/types.ts';
import type { Edits } from './edits.ts';
import { Pages } from './pages.ts';

/** An item in the list; one that was withdrawn here stays in it until the list is loaded again. */
export type Listed = Omit<WithdrawnItem, 'withdrawnAt'> & Partial<ListedItem & WithdrawnItem>;

/** Says what was done with an item, or with so many. */
export type WordsFor = (action: ItemAction | 'edit', what: string | number) => string;

/** The items that are looked through, and what is done with them. */
export class Items {
  readonly list = new Pages<Listed>();
  /** The ids of the items that are chosen for what is done with several. */
  readonly chosen = signal<ReadonlySet<string>>(new Set());
  readonly #active = signal<string | undefined>(undefined);
  readonly #turn = signal(0);
  readonly #api: NewsroomApi;
  readonly #edits: Edits;
  readonly #words: WordsFor;

  constructor(api: NewsroomApi, edits: Edits, words: WordsFor) {
    this.#api = api;
    this.#edits = edits;
    this.#words = words;
  }

  /** The item on which the keys act: the first one until somebody has been somewhere. */
  get active(): ReadonlySignal<string | undefined> {
    return this.#active;
  }

  /** Goes up with each change of an item: what is known of it is out of date. */
  get turn(): ReadonlySignal<number> {
    return this.#turn;
  }

  /** Shows the items of a query, or those that were withdrawn. */
  async show(query: ItemsQuery | 'withdrawn'): Promise<void> {
    this.#active.value = undefined;
    this.chosen.value = new Set();
    await this.list.begin(async (cursor, aborted) => {
      if (query !== 'withdrawn') return this.#api.items(query, cursor, aborted);
      const entries = await this.#api.withdrawnItems(aborted);
      return { entries, nextCursor: null };
    });
  }

  goTo(id: string): void {
    this.#active.value = id;
  }

  /** The item on which the keys act. */
  current(): Listed | undefined {
    const entries = this.list.entries.peek();
    return entries.find(({ id }) => id === this.#active.peek()) ?? entries[0];
  }

  /** Selects, deselects, withdraws or restores an item. */
  act(id: string, action: ItemAction): Promise<void> {
    return this.#edits.attempt(this.#words(action, this.#titleOf(id)), async () => {
      const { edit, item } = await this.#api.act(id, action);
      this.#changed(item);
      this.#edits.made(this.#words(action, item.title), [edit], () => void this.reload(id));
    });
  }

  /** Does the same with several items, one after the other; one undo takes back what was done. */
  async actOnAll(ids: readonly string[], action: ItemAction): Promise<void> {
    const made: (number | null)[] = [];
    await this.#edits.attempt(this.#words(action, ids.length), async () => {
      try {
        for (const id of ids) {
          const { edit, item } = await this.#api.act(id, action);
          made.push(edit);
          this.#changed(item);
        }
      } finally {
        const again = () => void Promise.all(ids.map((id) => this.reload(id)));
        this.#edits.made(this.#words(action, made.length), made, again);
      }
      this.chosen.value = new Set();
    });
  }

  /** Changes an item as it was when `etag` was read; throws an `ApiProblem`. */
  async change(id: string, change: ItemChange, etag: string | null): Promise<void> {
    const { edit, item } = await this.#api.changeItem(id, change, etag);
    this.#changed(item);
    this.#edits.made(this.#words('edit', item.title), [edit], () => void this.reload(id));
  }

  /** Takes back an edit of an item's history. */
  async undo(id: string, edit: number): Promise<void> {
    const words = this.#words('edit', this.#titleOf(id));
    await this.#edits.attempt(words, async () => {
      const undone = await this.#api.undo(edit);
      this.#edits.made(words, [undone.edit], () => void this.reload(id));
    });
    await this.reload(id);
  }

  async reload(id: string): Promise<void> {
    try {
      this.#changed((await this.#api.item(id)).value);
    } catch {
      // The list says that the newsroom is away; what is shown of the item is asked for again.
      this.#turn.value += 1;
    }
  }

  #titleOf(id: string): string {
    return this.list.entries.peek().find((entry) => entry.id === id)?.title ?? id;
  }

  #changed(item: Item): void {
    const story = item.story?.publicId ?? null;
    this.list.change(
      ({ id }) => id === item.id,
      () => ({ ...item, story }),
    );
    this.#turn.value += 1;
  }
}
