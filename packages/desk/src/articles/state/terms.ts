import { type ReadonlySignal, signal } from '@preact/signals';
import type { ContentApi } from '../api/content.ts';
import type { Term, TermKind } from '../api/types.ts';

/** The time without a key after which a search begins, in ms. */
const TYPING_MS = 200;

/** The categories that articles can have, and of tags and authors those that somebody has looked for. */
export class Terms {
  readonly #api: ContentApi;
  readonly #categories = signal<readonly Term[]>([]);
  readonly #known = { tags: signal<readonly Term[]>([]), authors: signal<readonly Term[]>([]) };
  #typing: ReturnType<typeof setTimeout> | undefined;

  constructor(api: ContentApi) {
    this.#api = api;
  }

  /** All categories. */
  get categories(): ReadonlySignal<readonly Term[]> {
    return this.#categories;
  }

  /** The tags or authors that are known by now, which can be proposed. */
  known(kind: TermKind): ReadonlySignal<readonly Term[]> {
    return this.#known[kind];
  }

  /** Notes tags or authors that were met. */
  learn(kind: TermKind, terms: readonly Term[]): void {
    const known = this.#known[kind];
    const slugs = new Set(terms.map(({ slug }) => slug));
    if (terms.length > 0) known.value = [...known.peek().filter(({ slug }) => !slugs.has(slug)), ...terms];
  }

  /** Reads the categories, and the first tags and authors; what cannot be read is not proposed. */
  async load(): Promise<void> {
    const categories = this.#api.categories().then((found) => {
      this.#categories.value = found;
    });
    await Promise.allSettled([categories, this.#search('tags', ''), this.#search('authors', '')]);
  }

  /** Looks for names with what is being typed. */
  suggest(kind: TermKind, typed: string): void {
    clearTimeout(this.#typing);
    if (typed.trim() === '') return;
    this.#typing = setTimeout(() => void this.#search(kind, typed).catch(() => undefined), TYPING_MS);
  }

  /** The tag or author of this name, else slug; undefined if there is none. Throws an `ApiProblem`. */
  async named(kind: TermKind, name: string): Promise<Term | undefined> {
    const wanted = name.trim().toLowerCase();
    const find = () => {
      const known = this.#known[kind].peek();
      return (
        known.find((term) => term.name.toLowerCase() === wanted) ?? known.find(({ slug }) => slug === wanted)
      );
    };
    if (find() === undefined) await this.#search(kind, name);
    return find();
  }

  async look(kind: TermKind, slug: string): Promise<void> {
    if (this.#known[kind].peek().some((term) => term.slug === slug)) return;
    const found = await this.#api.termBySlug(kind, slug).catch(() => undefined);
    if (found !== undefined) this.learn(kind, [found]);
  }

  /** The slug of a tag of this name, which is made if there is none. */
  async tagNamed(name: string): Promise<string> {
    const known = await this.named('tags', name);
    if (known !== undefined) return known.slug;
    const made = await this.#api.createTag(name.trim());
    this.learn('tags', [made]);
    return made.slug;
  }

  /** Makes an author, and returns the slug. Throws an `ApiProblem`. */
  async makeAuthor(name: string): Promise<string> {
    const made = await this.#api.createAuthor(name);
    this.learn('authors', [made]);
    return made.slug;
  }

  async #search(kind: TermKind, text: string): Promise<void> {
    this.learn(kind, await this.#api.terms(kind, text.trim()));
  }
}
