import { type ReadonlySignal, signal } from '@preact/signals';
import type { ContentApi } from '../api/content.ts';
import type { Term } from '../api/types.ts';

/** The categories, tags and authors that articles can have. */
export class Terms {
  readonly #api: ContentApi;
  readonly #categories = signal<readonly Term[]>([]);
  readonly #tags = signal<readonly Term[]>([]);
  readonly #authors = signal<readonly Term[]>([]);

  constructor(api: ContentApi) {
    this.#api = api;
  }

  /** All categories. */
  get categories(): ReadonlySignal<readonly Term[]> {
    return this.#categories;
  }

  /** The tags that are proposed. */
  get tags(): ReadonlySignal<readonly Term[]> {
    return this.#tags;
  }

  /** The authors that are proposed. */
  get authors(): ReadonlySignal<readonly Term[]> {
    return this.#authors;
  }

  /** Reads them; what cannot be read is not proposed. */
  async load(): Promise<void> {
    const found = await this.#api.terms().catch(() => undefined);
    if (found === undefined) return;
    this.#categories.value = found.categories;
    this.#tags.value = found.tags;
    this.#authors.value = found.authors;
  }

  /** The slug of a tag of this name, which is made if there is none. */
  async tagNamed(name: string): Promise<string> {
    const wanted = name.trim().toLowerCase();
    const known = this.#tags.peek().find((tag) => tag.name.toLowerCase() === wanted || tag.slug === wanted);
    if (known !== undefined) return known.slug;
    const made = await this.#api.createTag(name.trim());
    this.#tags.value = [...this.#tags.peek(), made];
    return made.slug;
  }
}
