import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { keep, kept } from './storage.ts';

/** The sections of the desk between which one goes to and fro, as their addresses name them. */
export const SECTIONS = ['media', 'articles', 'organise', 'news', 'people'] as const;

const ALL_SECTIONS = ['home', ...SECTIONS, 'moving', 'operations', 'account', 'invitation'] as const;

/** The sections where somebody finds themselves again. */
const KEPT: readonly string[] = ['home', ...SECTIONS];

const LAST = 'pressroom-place';

export type SectionName = (typeof ALL_SECTIONS)[number];

export interface Here {
  readonly section: SectionName;
  /** The path after the section, without a slash around it: `12` of `/desk/articles/12`. */
  readonly rest: string;
  readonly query: URLSearchParams;
}

/** The page's address within the desk; it follows the browser's back and forward. */
export class Address {
  /** The address of the service, whatever path a proxy serves it at; it ends with `/`. */
  readonly base: URL;
  readonly #here: Signal<Here>;

  constructor(base: URL) {
    this.base = base;
    const last = kept(() => localStorage.getItem(LAST));
    if (this.#path === '' && last !== undefined) {
      history.replaceState(null, '', new URL(last, new URL('desk/', base)));
    }
    this.#here = signal(this.#read());
    addEventListener('popstate', () => this.#follow());
  }

  /** The current place. */
  get here(): ReadonlySignal<Here> {
    return this.#here;
  }

  /** The address of a place in the desk, such as `articles/12`, for links. */
  href(path: string): string {
    return new URL(`desk/${path}`, this.base).pathname + new URL(path, this.base).search;
  }

  /** Goes to a place, with an entry in the history. */
  go(path: string): void {
    history.pushState(null, '', this.href(path));
    this.#follow();
  }

  /** Changes the address without an entry in the history. */
  replace(path: string): void {
    history.replaceState(null, '', this.href(path));
    this.#follow();
  }

  #follow(): void {
    this.#here.value = this.#read();
  }

  /** The part after `/desk/`. */
  get #path(): string {
    return location.pathname.slice(new URL('desk/', this.base).pathname.length);
  }

  #read(): Here {
    const path = this.#path;
    const [first = '', ...rest] = path.split('/').filter((part) => part !== '');
    const section = ALL_SECTIONS.find((name) => name === first) ?? 'home';
    if (KEPT.includes(section)) keep(() => localStorage.setItem(LAST, `./${path}${location.search}`));
    return { section, rest: rest.join('/'), query: new URLSearchParams(location.search) };
  }
}
