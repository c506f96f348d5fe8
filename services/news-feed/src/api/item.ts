import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { Enclosure, Image } from '../fields.ts';
import type { Correction } from '../merged-stories.ts';
import type { ItemTable } from '../tables.ts';
import type { Site } from './site.ts';

/**
 * The columns that make up an item's representation. The ledger's trigger `record_update` compares exactly
 * these: a column that is added here must be added there too.
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
  'image',
  'language',
  'authors',
  'tags',
  'enclosures',
  'correction',
  'corrected_at',
] as const satisfies (keyof ItemTable)[];

/**
 * Increase it when the same row is rendered differently than before, so that mirrors read the whole set
 * again.
 */
export const REPRESENTATION_VERSION = '2';

/** The columns of a row of `news.item` that are shown. */
export type ItemRow = Pick<Selectable<ItemTable>, (typeof ITEM_COLUMNS)[number]>;

/**
 * A time as the API shows it: RFC 3339, UTC, milliseconds, as written by `toISOString` and not validated
 * again.
 */
export const timestamp = z.string().meta({ format: 'date-time' });

/** An address as stored, not validated again on output. */
export const address = z.string().meta({ format: 'uri' });

/** The attribution to the publisher, on everything that is quoted from the site. */
export const attribution = z.object({ name: z.string(), url: address }).meta({ id: 'Attribution' });

/** A source as items name it. */
export const sourceReference = z.object({ name: z.string() }).meta({ id: 'SourceReference' });

/** `links` with the page on the publishing site and the members of `shape`. */
export function linksSchema<Shape extends z.ZodRawShape>(site: Site, shape: Shape) {
  return z.object({ [site.linkName]: address.describe('The page on the publishing site.'), ...shape });
}

/** The members of a minimal item (`docs/spec/wire.md`, "News feed"). */
export function minimalItemSchema(site: Site) {
  return z
    .object({
      id: z.string(),
      title: z.string(),
      source: sourceReference,
      links: linksSchema(site, {}),
      publishedAt: timestamp.describe('When the source published it.'),
      discoveredAt: timestamp.describe('When the site received it.'),
      category: z.string().nullable().describe('Clients must expect values that are not in use today.'),
      score: z.number().min(0).max(100).nullable(),
      selected: z.boolean(),
      directions: z.array(z.string()).describe('Clients must expect values that are not in use today.'),
    })
    .meta({ id: 'MinimalItem' });
}

/** The picture and the language of an article, each absent if unknown. */
export const illustrationShape = {
  image: z
    .object({
      url: address.describe('Public and https.'),
      width: z.int().optional().describe('In pixels.'),
      height: z.int().optional(),
      alt: z.string().optional().describe('Alternative text, for readers who do not see it.'),
    })
    .meta({ id: 'Image' })
    .optional(),
  language: z.string().optional().describe('The language of the original article (BCP 47).'),
};

/** The members of {@link illustrationShape} that are known. */
export function illustration({ image, language }: { image: Image | null; language: string | null }) {
  return { ...(image !== null && { image }), ...(language !== null && { language }) };
}

/** Who wrote an article, what its source files it under, and its files, each absent if unknown. */
const creditsShape = {
  authors: z.array(z.string()).optional().describe('Names, as the source gives them.'),
  tags: z.array(z.string()).optional().describe('What the source files it under.'),
  enclosures: z
    .array(
      z
        .object({
          url: address.describe('The file of the source, http or https.'),
          type: z.string().describe('Its media type.'),
          length: z.int().optional().describe('In bytes.'),
          duration: z.int().optional().describe('In seconds.'),
        })
        .meta({ id: 'Enclosure' }),
    )
    .optional()
    .describe('Recordings and other files, but no pictures.'),
};

function credits(row: Pick<ItemRow, 'authors' | 'tags'> & { enclosures: Enclosure[] | null }) {
  const { authors, tags, enclosures } = row;
  return {
    ...(authors !== null && { authors }),
    ...(tags !== null && { tags }),
    ...(enclosures !== null && { enclosures }),
  };
}

/** The note of an item, a story or a report. */
export const correction = z
  .object({ note: z.string(), correctedAt: timestamp })
  .meta({ id: 'ItemCorrection' })
  .optional()
  .describe('What was wrong with it, and when that was said.');

export function corrected(said: Correction | undefined) {
  if (said === undefined || said.correction === null || said.corrected_at === null) return {};
  return { correction: { note: said.correction, correctedAt: said.corrected_at.toISOString() } };
}

/** The members of an item in the snapshot and in changes; `/items` adds `reason`. */
export function itemSchema(site: Site) {
  return minimalItemSchema(site)
    .extend({
      originalTitle: z.string().nullable(),
      summary: z.string().nullable(),
      links: linksSchema(site, { original: address.describe('The original article.') }),
      attribution,
      ...illustrationShape,
      ...creditsShape,
      correction,
    })
    .meta({ id: 'Item' });
}

type MinimalItem = z.infer<ReturnType<typeof minimalItemSchema>>;

type Item = z.infer<ReturnType<typeof itemSchema>>;

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

export function item(row: ItemRow, site: Site): Item {
  const shown = minimalItem(row, site);
  return {
    ...shown,
    originalTitle: row.original_title,
    summary: row.summary,
    links: { ...shown.links, original: row.original_url },
    attribution: site.attribution,
    ...illustration(row),
    ...credits(row),
    ...corrected(row),
  };
}
