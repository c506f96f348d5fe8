import { localized } from '../../shared/text/texts.ts';
import type { Entry } from '../api/types.ts';
import type { SortKey } from './place.ts';

/** `a2` before `a10`, ignoring case and accents. */
const COLLATOR = localized((locale) => new Intl.Collator(locale, { numeric: true, sensitivity: 'base' }));

type Compare = (a: Entry, b: Entry) => number;

const BY: Readonly<Record<SortKey, Compare>> = {
  name: () => 0,
  modified: (a, b) => a.modified - b.modified,
  size: (a, b) => a.size - b.size,
  type: (a, b) => COLLATOR.compare(endingOf(a.name), endingOf(b.name)),
};

/** Folders come before files, equal ones by name, and equal names by their bytes. */
export function orderOf(sort: SortKey, descending: boolean): Compare {
  const direction = descending ? -1 : 1;
  return (a, b) => {
    const folders = Number(b.kind === 'folder') - Number(a.kind === 'folder');
    if (folders !== 0) return folders;
    const order = BY[sort](a, b) || COLLATOR.compare(a.name, b.name) || (a.path < b.path ? -1 : 1);
    return direction * order;
  };
}

/** The ending of a name without its dot, in lower case: `jpg`; empty if there is none that can be seen. */
export function endingOf(name: string): string {
  return /[^.]\.([^.\p{C}]{1,12})$/u.exec(name)?.[1]?.toLowerCase() ?? '';
}

/**
 * Joins two sorted lists into one; equal entries of `a` come first. A page that arrives costs the search for
 * the places of its entries, however many are there already.
 */
export function merged(a: readonly Entry[], b: readonly Entry[], compare: Compare): Entry[] {
  const result: Entry[] = [];
  let from = 0;
  for (const entry of b) {
    const to = placeOf(entry, a, from, compare);
    for (const before of a.slice(from, to)) result.push(before);
    result.push(entry);
    from = to;
  }
  return [...result, ...a.slice(from)];
}

/** The index in a sorted list, from `from` on, before which an entry belongs. */
function placeOf(entry: Entry, list: readonly Entry[], from: number, compare: Compare): number {
  let [low, high] = [from, list.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const other = list[middle];
    if (other !== undefined && compare(other, entry) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
