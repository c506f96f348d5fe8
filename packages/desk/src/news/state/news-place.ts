import type { Address, Here } from '../../shared/state/address.ts';

/** The screens of the section, as their addresses name them. */
export const SCREENS = ['today', 'sources', 'report', 'stories', 'hot'] as const;

export type Screen = (typeof SCREENS)[number];

/** The shortest search: a word of three letters, or of two Chinese characters. */
export const SEARCHABLE = /[\p{L}\p{N}]{3}|\p{Script=Han}{2}/u;

/** The pause of the keys after which a search begins, in ms. */
export const TYPING_MS = 250;

export interface NewsPlace {
  readonly screen: Screen;
  /** The number of the source on the screen. */
  readonly id: string | undefined;
  readonly query: URLSearchParams;
}

export function placeOf({ rest, query }: Here): NewsPlace {
  const [first, id] = rest.split('/');
  return { screen: SCREENS.find((name) => name === first) ?? 'today', id: id || undefined, query };
}

/** The address of a place; members of the query that are empty are left out. */
export function pathTo(screen: Screen, { id = '', query = {} }: { id?: string; query?: Query } = {}): string {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  const path = ['news', ...(screen === 'today' ? [] : [screen]), ...(id === '' ? [] : [id])].join('/');
  return search.size > 0 ? `${path}?${search}` : path;
}

export type Query = Readonly<Record<string, string | undefined>>;

/** Changes the query of the place, without an entry in the history. */
export function changeQuery(address: Address, change: Query): void {
  const { screen, id, query } = placeOf(address.here.peek());
  address.replace(pathTo(screen, { id, query: { ...Object.fromEntries(query), ...change } }));
}
