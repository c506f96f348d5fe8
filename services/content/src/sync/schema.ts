import { integerParameter } from '@pressroom/common/fields/parameters';
import { z } from 'zod';
import { shownExtra } from '../articles/extra.ts';
import { articleListItem, listedMembers } from '../articles/schema.ts';
import { envelope } from '../envelope.ts';
import { AUTHORS } from '../terms/authors.ts';
import { CATEGORIES } from '../terms/categories.ts';
import type { TermKind } from '../terms/kind.ts';
import { term } from '../terms/schema.ts';
import { TAGS } from '../terms/tags.ts';
import { FORMS, type KindName } from './kinds.ts';

const timestamp = z.iso.datetime({ offset: true });

/** The limit on cursors in the OpenAPI description; longer texts are not cursors. */
const CURSOR_LENGTH = { minLength: 1, maxLength: 512 };

const MOST_ITEMS = 1000;

const limit = integerParameter(1, MOST_ITEMS)
  .default(MOST_ITEMS)
  .describe('A page also ends before its items exceed 8 MiB together.');

const fields = z.enum(FORMS, 'must be default or full, once');

/** Query string of the snapshot. */
export const snapshotQuery = z.strictObject({
  fields: fields
    .optional()
    .describe(
      '`full` adds the bodies of articles, and everything else that they show. `page` and `cursor` keep the choice.',
    ),
  limit,
  page: z
    .string('must be given once')
    .optional()
    .describe('`meta.next_page` of the previous page.')
    .meta(CURSOR_LENGTH),
});

/** Query string of the changes. */
export const changesQuery = z.strictObject({
  cursor: z
    .string('must be given once')
    .describe('`meta.cursor` of the snapshot or of the previous changes.')
    .meta(CURSOR_LENGTH),
  limit,
});

/** A request for a page of the snapshot. */
export type SnapshotQuery = z.infer<typeof snapshotQuery>;

/** A request for a page of changes. */
export type ChangesQuery = z.infer<typeof changesQuery>;

const brief = articleListItem.omit({ category: true }).extend({
  published_at: timestamp,
  category_id: z.int().nullable(),
  tag_ids: z.array(z.int()).describe('In their order.'),
  author_ids: z.array(z.int()).describe('In their order.'),
  author: z
    .string()
    .describe('With `author_ids`: the names of these authors as they were when these were written.'),
});

const ofFull = listedMembers.pick({
  alt_text: true,
  meta_title: true,
  meta_description: true,
  canonical_url: true,
  created_at: true,
  updated_at: true,
  content: true,
});

const article = z
  .object({
    kind: z.literal('article'),
    ...brief.shape,
    ...ofFull.partial().shape,
    extra: shownExtra.optional(),
  })
  .meta({
    id: 'SyncedArticle',
    description: 'A published article; with everything in a copy of `fields=full`.',
  });

function syncedTerm<Kind extends KindName>(kind: Kind, { shown }: TermKind) {
  return z.object({ kind: z.literal(kind), ...term.shape, ...shown });
}

const item = z.discriminatedUnion('kind', [
  article,
  syncedTerm('category', CATEGORIES).meta({ id: 'SyncedCategory' }),
  syncedTerm('tag', TAGS).meta({ id: 'SyncedTag' }),
  syncedTerm('author', AUTHORS).meta({ id: 'SyncedAuthor' }),
]);

/** A published article, a category, a tag or an author, as copies show it. */
export type SyncItem = z.infer<typeof item>;

const change = z.discriminatedUnion('op', [
  z.object({ op: z.literal('upsert'), changed_at: timestamp, item }),
  z.object({
    op: z.literal('remove'),
    changed_at: timestamp,
    kind: z.enum(item.options.map(({ shape }) => shape.kind.value)),
    id: z.int(),
  }),
]);

/** A change of what is published. */
export type SyncChange = z.infer<typeof change>;

const cursor = z.string().describe('Opaque. Does not expire.');

/** Answer of the snapshot. */
export const snapshotAnswer = envelope(z.array(item)).extend({
  meta: z.object({
    fields,
    as_of: timestamp.describe(
      'The copy is as of this time or later; the changes since `cursor` bring the rest.',
    ),
    cursor: cursor.describe('Where the changes begin; the same on every page.'),
    next_page: z.string().nullable().describe('Leads to the next page; null on the last one.'),
  }),
});

/** Answer of the changes. */
export const changesAnswer = envelope(z.array(change)).extend({
  meta: z.object({
    fields,
    cursor: cursor.describe('Save it only after these changes have been applied.'),
    has_more: z.boolean(),
  }),
});
