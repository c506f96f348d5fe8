import type { Entry } from '../api/types.ts';
import type { SortKey } from './place.ts';

/** `a2` before `a10`, ignoring case and accents. */
const COLLATOR = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

type Compare = (a: Entry, b: Entry) => number;

const BY: Readonly<Record<SortKey, Compare>> = {
  name: () => 0,
  modified: (a, b) => a.modified - b.modified,
  size: (a, b) => a.size - b.size,
  type: (a, b) => COLLATOR.compare(endingOf(a.name), endingOf(b.name)),
};

/** How a listing is ordered: folders before files, equal ones by name, and equal names by their bytes. */
export function orderOf(sort: SortKey, descending: boolean): Compare {
  const direction = descending ? -1 : 1;
  return (a, b) => {
    const folders = Number(b.kind === 'folder') - Number(a.kind === 'folder');
    if (folders !== 0) return folders;
    const order = BY[sort](a, b) || COLLATOR.compare(a.name, b.name) || (a.path < b.path ? -1 : 1);
    return direction * order;
  };
}

/** The ending of a name without its dot, in lower case: `jpg`; empty if there is none. */
export function endingOf(name: string): string {
  return /[^.]\.([^.]{1,12})$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** Joins two sorted lists into one, so that a page that arrives costs one pass. */
export function merged(a: readonly Entry[], b: readonly Entry[], compare: Compare): Entry[] {
  const result: Entry[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (right === undefined || (left !== undefined && compare(left, right) <= 0)) {
      if (left !== undefined) result.push(left);
      i += 1;
    } else {
      result.push(right);
      j += 1;
    }
  }
  return result;
}
