import type { Selectable } from 'kysely';
import type { ItemTable } from '../../tables.ts';
import type { LineOf } from '../import/import-line.ts';
import { canonicalUrl } from './canonical-url.ts';

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
  story: null,
};

/**
 * The values of an item after an imported line. Members that the line omits keep their values from `known`,
 * the existing item; for a new item they get their defaults, and the time of discovery is `now`.
 */
export function valuesOf(line: LineOf<'item'>, known: ItemValues | undefined, now: Date): ItemValues {
  const before = known ?? { ...NEW_ITEM, discovered_at: now };
  return {
    title: line.title,
    original_title: given(line.originalTitle, before.original_title),
    summary: given(line.summary, before.summary),
    source_name: line.source.name,
    source_first_party: given(line.source.firstParty, before.source_first_party),
    original_url: line.links.original,
    canonical_url: canonicalUrl(line.links.original),
    published_at: line.publishedAt,
    discovered_at: given(line.discoveredAt, before.discovered_at),
    category: given(line.category, before.category),
    score: given(line.score, before.score),
    selected: given(line.selected, before.selected),
    reason: given(line.reason, before.reason),
    directions: [...new Set(given(line.directions, before.directions))],
    story: given(line.story, before.story),
  };
}

/** Whether two states of an item are equal. */
export function sameValues(a: ItemValues, b: ItemValues): boolean {
  return WRITTEN_COLUMNS.every((column) => comparable(a[column]) === comparable(b[column]));
}

/** Whether two states of an item are equal to those who compare and sum up reports. */
export function saysTheSame(a: ItemValues, b: ItemValues): boolean {
  const columns = ['title', 'original_title', 'summary', 'source_name', 'published_at'] as const;
  return columns.every((column) => comparable(a[column]) === comparable(b[column]));
}

function given<T>(value: T | undefined, otherwise: T): T {
  return value === undefined ? otherwise : value;
}

function comparable(value: ItemValues[keyof ItemValues]): string | number | boolean | null {
  if (value instanceof Date) return value.getTime();
  return Array.isArray(value) ? JSON.stringify(value) : value;
}
