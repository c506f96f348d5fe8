import { isDeepStrictEqual } from 'node:util';
import type { Selectable } from 'kysely';
import type { ItemTable } from '../../tables.ts';
import { canonicalUrl } from './canonical-url.ts';
import type { ItemInput } from './item-input.ts';

/** The columns of an item that the newsroom writes. */
export const WRITTEN_COLUMNS = [
  'title',
  'original_title',
  'summary',
  'source_name',
  'source_first_party',
  'original_url',
  'canonical_url',
  'published_at',
  'discovered_at',
  'category',
  'score',
  'selected',
  'reason',
  'directions',
  'image',
  'language',
  'story',
] as const satisfies (keyof ItemTable)[];

/** The columns of an existing item that the newsroom writes. */
export type WrittenItem = Pick<Selectable<ItemTable>, 'id' | (typeof WRITTEN_COLUMNS)[number]>;

/** The values of an item's columns, all present. */
export type ItemValues = Omit<WrittenItem, 'id'>;

/** The defaults of a new item's members. */
const NEW_ITEM = {
  original_title: null,
  summary: null,
  source_first_party: false,
  category: null,
  score: null,
  selected: false,
  reason: null,
  directions: [] as string[],
  image: null,
  language: null,
  story: null,
};

/**
 * The values of an item after an input. Members that the input omits keep their values from `known`, the
 * existing item; for a new item they get their defaults, and the time of discovery is `now`.
 */
export function valuesOf(input: ItemInput, known: ItemValues | undefined, now: Date): ItemValues {
  const before = known ?? { ...NEW_ITEM, discovered_at: now };
  return {
    title: input.title,
    original_title: given(input.originalTitle, before.original_title),
    summary: given(input.summary, before.summary),
    source_name: input.source.name,
    source_first_party: given(input.source.firstParty, before.source_first_party),
    original_url: input.links.original,
    // That of a part of a page says more than its link.
    canonical_url:
      known?.original_url === input.links.original ? known.canonical_url : canonicalUrl(input.links.original),
    published_at: input.publishedAt,
    discovered_at: given(input.discoveredAt, before.discovered_at),
    category: given(input.category, before.category),
    score: given(input.score, before.score),
    selected: given(input.selected, before.selected),
    reason: given(input.reason, before.reason),
    directions: [...new Set(given(input.directions, before.directions))],
    image: given(input.image, before.image),
    language: given(input.language, before.language),
    story: given(input.story, before.story),
  };
}

/** Whether two states of an item are equal. */
export function sameValues(a: ItemValues, b: ItemValues): boolean {
  return WRITTEN_COLUMNS.every((column) => isDeepStrictEqual(a[column], b[column]));
}

/** Whether two states of an item are equal to those who compare and sum up reports. */
export function saysTheSame(a: ItemValues, b: ItemValues): boolean {
  const columns = ['title', 'original_title', 'summary', 'source_name', 'published_at'] as const;
  return columns.every((column) => isDeepStrictEqual(a[column], b[column]));
}

function given<T>(value: T | undefined, otherwise: T): T {
  return value === undefined ? otherwise : value;
}
