import { isDeepStrictEqual } from 'node:util';
import { canonicalUrl } from '../editing/canonical-url.ts';
import type { ItemChange, ItemInput } from '../editing/item-input.ts';
import type { Judgement } from '../editorial/editor.ts';
import type { Source } from '../sources/source-store.ts';
import { itemId } from './item-id.ts';
import type { StoredEntry } from './store-entries.ts';

/** The members of an item that the worker writes, and writes again when the source changes its entry. */
export type WrittenMembers = Required<
  Pick<
    ItemChange,
    | 'title'
    | 'originalTitle'
    | 'summary'
    | 'category'
    | 'score'
    | 'selected'
    | 'reason'
    | 'directions'
    | 'language'
  >
> &
  // Absent where the page that shows it could not be read this time.
  Pick<ItemChange, 'image'>;

/** What an entry and its judgement make of an item. */
export function writtenMembers(entry: StoredEntry, judgement: Judgement): WrittenMembers {
  const { title, summary, category, score, selected, reason, directions } = judgement;
  return {
    title: title ?? entry.title,
    originalTitle: title === undefined || title === entry.title ? null : entry.title,
    summary: summary ?? entry.summary,
    category,
    score,
    selected,
    reason: reason === '' ? null : reason,
    directions: [...directions],
    language: entry.language,
    ...(entry.image !== undefined && { image: entry.image }),
  };
}

/** The values of an item that an entry makes. */
export type NewItem = ItemInput & { id: string };

/** The values of a new item. */
export function newItem(
  entry: StoredEntry,
  members: WrittenMembers,
  source: Source,
  discoveredAt: Date,
): NewItem {
  return {
    id: itemId(
      entry.part === undefined ? canonicalUrl(entry.url) : `${canonicalUrl(entry.url)}#${entry.part}`,
      discoveredAt,
    ),
    ...members,
    source: { name: source.name, firstParty: source.first_party },
    links: { original: entry.url },
    publishedAt: new Date(entry.publishedAt),
    discoveredAt,
  };
}

/** The members of an existing item, under the names of its input. */
export type CurrentMembers = WrittenMembers;

/**
 * What a later edit at the source changes: the members that are still as the worker last wrote them. What an
 * editor has changed since stays.
 */
export function changedMembers(
  current: CurrentMembers,
  written: Partial<WrittenMembers>,
  latest: WrittenMembers,
): Partial<ItemInput> {
  const names = Object.keys(latest) as (keyof WrittenMembers)[];
  const changed = names.filter(
    (name) => same(current[name], written[name]) && !same(current[name], latest[name]),
  );
  return Object.fromEntries(changed.map((name) => [name, latest[name]]));
}

function same(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a ?? null, b ?? null);
}
