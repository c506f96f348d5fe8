import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { Site } from '../site.ts';
import type { ItemTable } from '../tables.ts';

/**
 * The columns that an item's representation is made of. The trigger `record_update` of the ledger compares
 * exactly these: whoever adds one here adds it there.
 */
export const ITEM_COLUMNS = [
  'id',
  'title',
  'original_title',
  'summary',
  'source_name',
  'original_url',
  'published_at',
  'discovered_at',
  'category',
  'score',
  'selected',
  'directions',
] as const satisfies (keyof ItemTable)[];

/** Raise it when the same row is rendered differently than before: mirrors then read the whole set again. */
export const REPRESENTATION_VERSION = '1';

/** A row of `news.item` as far as it is shown. */
export type ItemRow = Pick<Selectable<ItemTable>, (typeof ITEM_COLUMNS)[number]>;

/**
 * A time as the API shows it: RFC 3339, UTC, milliseconds, as `toISOString` writes it and not checked again.
 */
export const timestamp = z.string().meta({ format: 'date-time' });

/** An address as it was stored: not checked again on its way out. */
export const address = z.string().meta({ format: 'uri' });

/** Who published, on everything that is quoted from the site. */
export const attribution = z.object({ name: z.string(), url: address }).meta({ id: 'Attribution' });

/** `links` with the page on the publishing site, and whatever else there is. */
export function linksSchema<Shape extends z.ZodRawShape>(site: Site, shape: Shape) {
  return z.object({ [site.linkName]: address.describe('The page on the publishing site.'), ...shape });
}

/** The members of a minimal item (`docs/spec/wire.md`, "News feed"). */
export function minimalItemSchema(site: Site) {
  return z
    .object({
      id: z.string(),
      title: z.string(),
      source: z.object({ name: z.string() }),
      links: linksSchema(site, {}),
      publishedAt: timestamp.describe('When the source published it.'),
      discoveredAt: timestamp.describe('When the site received it.'),
      category: z.string().nullable().describe('Expect values that are not in use today.'),
      score: z.number().min(0).max(100).nullable(),
      selected: z.boolean(),
      directions: z.array(z.string()).describe('Expect values that are not in use today.'),
    })
    .meta({ id: 'MinimalItem' });
}

/** The members of an item in the snapshot and in changes; `/items` adds `reason`. */
export function itemSchema(site: Site) {
  return minimalItemSchema(site)
    .extend({
      originalTitle: z.string().nullable(),
      summary: z.string().nullable(),
      links: linksSchema(site, { original: address.describe('The original article.') }),
      attribution,
    })
    .meta({ id: 'Item' });
}

/** An item in its minimal form. */
export type MinimalItem = z.infer<ReturnType<typeof minimalItemSchema>>;

/** An item. */
export type Item = z.infer<ReturnType<typeof itemSchema>>;

/** Renders a row as a minimal item. */
export function minimalItem(row: ItemRow, site: Site): MinimalItem {
  return {
    id: row.id,
    title: row.title,
    source: { name: row.source_name },
    links: { [site.linkName]: site.item(row.id) },
    publishedAt: row.published_at.toISOString(),
    discoveredAt: row.discovered_at.toISOString(),
    category: row.category,
    score: row.score,
    selected: row.selected,
    directions: row.directions,
  };
}

/** Renders a row as an item. */
export function item(row: ItemRow, site: Site): Item {
  const shown = minimalItem(row, site);
  return {
    ...shown,
    originalTitle: row.original_title,
    summary: row.summary,
    links: { ...shown.links, original: row.original_url },
    attribution: site.attribution,
  };
}
