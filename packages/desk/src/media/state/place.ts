import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Address } from '../../shared/state/address.ts';

export type SortKey = 'name' | 'modified' | 'size' | 'type';

/** Everything about the page that its address says. */
export interface PlaceValue {
  readonly screen: 'files' | 'buckets';
  /** The folder as a prefix; empty is the bucket's root. */
  readonly folder: string;
  /** The key of the file that the viewer shows. */
  readonly file: string | undefined;
  readonly view: 'grid' | 'table';
  readonly sort: SortKey;
  readonly descending: boolean;
  readonly filter: string;
  readonly everywhere: boolean;
}

const DEFAULTS: PlaceValue = {
  screen: 'files',
  folder: '',
  file: undefined,
  view: 'grid',
  sort: 'name',
  descending: false,
  filter: '',
  everywhere: false,
};

/** Follows the browser's back and forward, and stays while other sections are shown. */
export class Place {
  readonly #address: Address;
  readonly #value = signal(DEFAULTS);

  constructor(address: Address) {
    this.#address = address;
    effect(() => {
      const { section, query } = address.here.value;
      if (section === 'media') this.#value.value = placeOf(query);
    });
  }

  /** The current place. */
  get value(): ReadonlySignal<PlaceValue> {
    return this.#value;
  }

  /** Goes elsewhere, with an entry in the history. */
  go(change: Partial<PlaceValue>): void {
    this.#address.go(this.#pathOf(change));
  }

  /** Changes the address without an entry in the history. */
  replace(change: Partial<PlaceValue>): void {
    this.#address.replace(this.#pathOf(change));
  }

  /** The address of a place that differs from the current one. */
  href(change: Partial<PlaceValue>): string {
    return this.#address.href(this.#pathOf(change));
  }

  #pathOf(change: Partial<PlaceValue>): string {
    const { screen, folder, file, view, sort, descending, filter, everywhere } = {
      ...this.#value.peek(),
      ...change,
    };
    const query = new URLSearchParams();
    if (screen !== 'files') query.set('screen', screen);
    if (file !== undefined) query.set('file', file);
    // The folder of a file says itself.
    if (folder !== (file === undefined ? '' : parentOf(file))) query.set('path', folder);
    if (view !== DEFAULTS.view) query.set('view', view);
    if (sort !== DEFAULTS.sort || descending) query.set('sort', `${descending ? '-' : ''}${sort}`);
    if (filter !== '') query.set('filter', filter);
    if (everywhere) query.set('everywhere', '1');
    const text = query.toString();
    return text === '' ? 'media' : `media?${text}`;
  }
}

function placeOf(query: URLSearchParams): PlaceValue {
  const file = query.get('file') ?? undefined;
  const sort = query.get('sort') ?? '';
  const key = sort.replace(/^-/, '');
  return {
    screen: query.get('screen') === 'buckets' ? 'buckets' : 'files',
    file,
    folder: query.get('path') ?? (file === undefined ? '' : parentOf(file)),
    view: query.get('view') === 'table' ? 'table' : 'grid',
    sort: key === 'modified' || key === 'size' || key === 'type' ? key : 'name',
    descending: sort.startsWith('-'),
    filter: query.get('filter') ?? '',
    everywhere: query.get('everywhere') === '1',
  };
}

/** The folder of a path: the prefix before its name. */
export function parentOf(path: string): string {
  const end = path.endsWith('/') ? path.length - 1 : path.length;
  return path.slice(0, path.lastIndexOf('/', end - 1) + 1);
}

/** The last part of a path, without a `/` at its end. */
export function nameOf(path: string): string {
  const name = path.slice(parentOf(path).length);
  return name.endsWith('/') ? name.slice(0, -1) : name;
}
