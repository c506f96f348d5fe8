import { type ReadonlySignal, signal } from '@preact/signals';
import type { GalleryApi } from '../api/gallery.ts';
import type { Uses as ArticleUses } from '../api/types.ts';
import type { AddressChoice, Dialogs } from './dialogs.ts';
import type { Task } from './task.ts';
import type { Visibility } from './visibility.ts';

/** What becomes of articles that show moved files. */
interface Plan {
  readonly choice: AddressChoice;
  /** The number of articles whose readers no longer see a file. */
  readonly hidden: number;
}

interface Followed {
  readonly moved: ReadonlyMap<string, string>;
  /** The number of articles with the new address; undefined if none was to get it. */
  readonly count: number | undefined;
  readonly hidden: number;
}

interface UsesParts {
  readonly api: GalleryApi;
  readonly dialogs: Dialogs;
  readonly visibility: Visibility;
  /** The meaning of an error for the person. */
  readonly words: (error: unknown) => string;
}

/** The articles that show files which get new addresses. */
export class Uses {
  readonly #parts: UsesParts;
  readonly #followed = signal<ReadonlyMap<string, Followed>>(new Map());

  constructor(parts: UsesParts) {
    this.#parts = parts;
  }

  /** The tasks after which articles got new addresses or lost a file, by their ids. */
  get followed(): ReadonlySignal<ReadonlyMap<string, Followed>> {
    return this.#followed;
  }

  /**
   * Asks what becomes of articles that show files, if any do, by where these are to where they go; undefined
   * if the person gave up.
   */
  async ask(moved: ReadonlyMap<string, string>): Promise<Plan | undefined> {
    const { api, dialogs } = this.#parts;
    const [uses, hidden] = await Promise.all([api.uses([...moved.keys()]), this.#hidden(moved)]);
    const count = hidden?.articles.length ?? 0;
    if (uses.articles.length === 0) return { choice: 'keep', hidden: count };
    const choice = await dialogs.askAddresses(uses, count === 0 ? undefined : hidden);
    return choice && { choice, hidden: count };
  }

  /** Changes the addresses in articles once a task has moved files, by where they were to where they are. */
  async follow(task: Task, { choice, hidden }: Plan, moved: ReadonlyMap<string, string>): Promise<void> {
    if (task.state !== 'done' || (choice === 'keep' && hidden === 0)) return;
    const count = choice === 'keep' ? undefined : await this.#change(moved, hidden > 0);
    this.#followed.value = new Map([...this.#followed.peek(), [task.id, { moved, count, hidden }]]);
  }

  /**
   * Asks before an undo that moves files out of a public folder, where articles show them; resolves to the
   * number of articles whose readers no longer see a file, undefined if the person gave up.
   */
  async askUndo(moved: ReadonlyMap<string, string>): Promise<number | undefined> {
    const hidden = await this.#hidden(moved);
    if (hidden === undefined || hidden.articles.length === 0) return 0;
    const choice = await this.#parts.dialogs.askAddresses({ ...hidden, canChange: false }, hidden);
    return choice && hidden.articles.length;
  }

  /** Changes them back once a task has been undone by another, `hidden` as `askUndo` has resolved. */
  async takeBack({ id }: Pick<Task, 'id'>, undone: Task, hidden: number): Promise<void> {
    const followed = this.#followed.peek().get(id);
    if (undone.state !== 'done') return;
    if (followed?.count !== undefined)
      await this.#change(new Map([...followed.moved].map(([from, to]) => [to, from])), hidden > 0);
    await this.follow(undone, { choice: 'keep', hidden }, new Map());
  }

  /** The articles whose readers no longer see a file that is moved; undefined if that changes nothing. */
  async #hidden(moved: ReadonlyMap<string, string>): Promise<ArticleUses | undefined> {
    const { api, visibility } = this.#parts;
    const hiding = [...moved].flatMap(([from, to]) => visibility.hidden(from, to));
    return hiding.length === 0 ? undefined : api.uses(hiding);
  }

  /** Returns how many articles were changed; says which could not be, but for what the person knows. */
  async #change(moved: ReadonlyMap<string, string>, isHidingKnown = false): Promise<number> {
    const { api, dialogs, words } = this.#parts;
    const faults = new Map<number, string>();
    let count = 0;
    try {
      for (const [from, to] of moved) {
        let hasMore = true;
        while (hasMore) {
          const { changed, failed, hasMore: isLeft } = await api.moveUses(from, to);
          for (const { id, title, code } of failed) {
            if (code !== 'not_public' || !isHidingKnown) faults.set(id, title);
          }
          count += changed;
          hasMore = isLeft && changed > 0;
        }
      }
    } catch (error) {
      faults.set(0, words(error));
    }
    if (faults.size > 0) dialogs.fail('articles', [...faults.values()].join('\n'));
    return count;
  }
}
