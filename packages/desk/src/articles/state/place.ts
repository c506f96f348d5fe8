import { computed, type ReadonlySignal } from '@preact/signals';
import type { Address } from '../../shared/state/address.ts';
import { type ListQuery, REVIEW_STATES, SORTS, type StatusFilter } from '../api/types.ts';

const STATUSES: readonly StatusFilter[] = [
  ...(['all', 'published', 'draft'] as const),
  ...REVIEW_STATES,
  ...(['scheduled', 'trash'] as const),
];

export interface PlaceValue extends ListQuery {
  /** The article that is open: its id, or `new`; undefined is the list, unless it is the calendar. */
  readonly article: number | 'new' | 'calendar' | undefined;
}

export class Place {
  readonly #address: Address;
  readonly value: ReadonlySignal<PlaceValue>;
  #list = 'articles';

  constructor(address: Address) {
    this.#address = address;
    this.value = computed(() => {
      const { rest, query } = address.here.value;
      const id = Number(rest);
      return {
        article:
          rest === 'new' || rest === 'calendar' ? rest : id > 0 && Number.isInteger(id) ? id : undefined,
        status: STATUSES.find((status) => status === query.get('status')) ?? 'all',
        sort: SORTS.find((sort) => sort === query.get('sort')) ?? 'updated',
        text: query.get('q') ?? '',
        category: query.get('category') ?? '',
        tag: query.get('tag') ?? '',
        author: query.get('author') ?? '',
        mine: query.get('mine') === '1',
      };
    });
  }

  /** The address of an article, for links. */
  hrefOf(article: number | 'new'): string {
    return this.#address.href(`articles/${article}`);
  }

  /** Opens an article; the list keeps its filters for the way back, the calendar its days. */
  open(article: number | 'new'): void {
    const { article: before } = this.value.peek();
    if (before === undefined) this.#list = this.pathOf({});
    if (before === 'calendar') this.#list = `articles/calendar?${this.#address.here.peek().query}`;
    this.#address.go(`articles/${article}`);
  }

  /** Says the id that a new article has got. */
  created(id: number): void {
    this.#address.replace(`articles/${id}`);
  }

  /** Goes back to the list as it was. */
  close(): void {
    this.#address.go(this.#list);
  }

  filter(change: Partial<ListQuery>): void {
    this.#address.replace(this.pathOf(change));
  }

  /** The place of the list with other filters. */
  pathOf(change: Partial<ListQuery>): string {
    const { status, sort, text, category, tag, author, mine } = { ...this.value.peek(), ...change };
    const query = new URLSearchParams();
    if (status !== 'all') query.set('status', status);
    if (sort !== 'updated') query.set('sort', sort);
    if (text !== '') query.set('q', text);
    if (category !== '') query.set('category', category);
    if (tag !== '') query.set('tag', tag);
    if (author !== '') query.set('author', author);
    if (mine) query.set('mine', '1');
    return query.size === 0 ? 'articles' : `articles?${query}`;
  }
}
