import { type ReadonlySignal, signal } from '@preact/signals';
import type { GalleryApi } from '../api/gallery.ts';
import type { AddressChoice, Dialogs } from './dialogs.ts';
import type { Task } from './task.ts';

interface Followed {
  readonly moved: ReadonlyMap<string, string>;
  readonly count: number;
}

/** The articles that show files which get new addresses. */
export class Uses {
  readonly #api: GalleryApi;
  readonly #dialogs: Dialogs;
  readonly #words: (error: unknown) => string;
  readonly #followed = signal<ReadonlyMap<string, Followed>>(new Map());

  /** @param words what an error means for the person */
  constructor(api: GalleryApi, dialogs: Dialogs, words: (error: unknown) => string) {
    this.#api = api;
    this.#dialogs = dialogs;
    this.#words = words;
  }

  /** The tasks after which articles got new addresses, by their ids. */
  get followed(): ReadonlySignal<ReadonlyMap<string, Followed>> {
    return this.#followed;
  }

  /** Asks what becomes of articles that show these files, if any do; undefined if the person gave up. */
  async ask(paths: readonly string[]): Promise<AddressChoice | undefined> {
    const uses = await this.#api.uses(paths);
    return uses.articles.length === 0 ? 'keep' : this.#dialogs.askAddresses(uses);
  }

  /** Changes the addresses in articles once a task has moved files, by where they were to where they are. */
  async follow(task: Task, moved: ReadonlyMap<string, string>): Promise<void> {
    if (task.state !== 'done') return;
    const count = await this.#change(moved);
    this.#followed.value = new Map([...this.#followed.peek(), [task.id, { moved, count }]]);
  }

  /** Changes them back once a task has been undone. */
  async takeBack({ id }: Pick<Task, 'id'>): Promise<void> {
    const followed = this.#followed.peek().get(id);
    if (followed !== undefined)
      await this.#change(new Map([...followed.moved].map(([from, to]) => [to, from])));
  }

  /** Returns how many articles were changed; says which could not be. */
  async #change(moved: ReadonlyMap<string, string>): Promise<number> {
    const faults = new Map<number, string>();
    let count = 0;
    try {
      for (const [from, to] of moved) {
        let hasMore = true;
        while (hasMore) {
          const { changed, failed, hasMore: isLeft } = await this.#api.moveUses(from, to);
          for (const { id, title } of failed) faults.set(id, title);
          count += changed;
          hasMore = isLeft && changed > 0;
        }
      }
    } catch (error) {
      faults.set(0, this.#words(error));
    }
    if (faults.size > 0) this.#dialogs.fail('articles', [...faults.values()].join('\n'));
    return count;
  }
}
