import { integerParameter } from '@pressroom/common/fields/fields';
import { z } from 'zod';
import { itemSchema, minimalItemSchema, timestamp } from '../items/representation.ts';
import type { Site } from '../site.ts';

const fields = z.enum(['default', 'minimal'], 'must be default or minimal, once');
const schemaVersion = z.literal(1);

/** The limit on cursors in the OpenAPI description; longer texts are not cursors (see `cursor.ts`). */
const CURSOR_LENGTH = { minLength: 1, maxLength: 512 };

/** Query string of the snapshot. */
export const snapshotQuery = z.strictObject({
  fields: fields
    .optional()
    .describe(
      '`minimal` leaves out the summary, the original link and others. The default is `default`; `page` keeps the choice.',
    ),
  limit: integerParameter(1, 1000).default(500),
  page: z
    .string('must be given once')
    .optional()
    .describe('`nextPage` of the previous page.')
    .meta(CURSOR_LENGTH),
});

/** Query string of the changes. */
export const changesQuery = z.strictObject({
  cursor: z
    .string('must be given once')
    .describe('`cursor` of the snapshot or of the previous changes.')
    .meta(CURSOR_LENGTH),
  limit: integerParameter(1, 100).default(100),
});

/** Which form of the items a mirror contains. */
export type Fields = z.infer<typeof fields>;

/** A request for the snapshot. */
export type SnapshotQuery = z.infer<typeof snapshotQuery>;

/** A request for the changes. */
export type ChangesQuery = z.infer<typeof changesQuery>;

const syncCursor = z.string().describe('Opaque. Does not expire.');

/** Answers of the snapshot and the changes, with the link name of `site`. */
export function selectedAnswers(site: Site) {
  // The larger form comes first: a minimal item does not match it.
  const item = z.union([itemSchema(site), minimalItemSchema(site)]);
  const change = z.discriminatedUnion('op', [
    z.object({ op: z.literal('upsert'), changedAt: timestamp, item }),
    z.object({ op: z.literal('remove'), changedAt: timestamp, id: z.string() }),
  ]);
  const snapshot = z
    .object({
      schemaVersion,
      asOf: timestamp.describe(
        'The set is as of this time or later; the changes since `cursor` bring the rest.',
      ),
      fields,
      cursor: syncCursor.describe('The position where the changes begin; the same on every page.'),
      count: z.int().describe('The number of items on this page.'),
      hasMore: z.boolean(),
      nextPage: z.string().nullable(),
      items: z.array(item),
    })
    .meta({ id: 'SelectedSnapshot' });
  const changes = z
    .object({
      schemaVersion,
      fields,
      cursor: syncCursor.describe('Save it only after these changes have been applied.'),
      count: z.int().describe('The number of changes on this page.'),
      hasMore: z.boolean(),
      changes: z.array(change),
    })
    .meta({ id: 'SelectedChanges' });
  return { snapshot, changes };
}

/** A page of the snapshot. */
export type Snapshot = z.infer<ReturnType<typeof selectedAnswers>['snapshot']>;

/** A page of changes. */
export type Changes = z.infer<ReturnType<typeof selectedAnswers>['changes']>;
