import { integerParameter } from '@pressroom/common/fields/parameters';
import { z } from 'zod';
import { itemSchema, minimalItemSchema, timestamp } from '../items/representation.ts';
import type { Site } from '../site.ts';

const fields = z.enum(['default', 'minimal'], 'must be default or minimal, once');
const schemaVersion = z.literal(1);

/** What the OpenAPI description says of a cursor; what is longer is none (see `cursor.ts`). */
const CURSOR_LENGTH = { minLength: 1, maxLength: 512 };

/** Query string of the snapshot. */
export const snapshotQuery = z.strictObject({
  fields: fields
    .optional()
    .describe('`minimal` drops, among others, summary and original link. Default `default`; kept by `page`.'),
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

/** What the snapshot is asked for. */
export type SnapshotQuery = z.infer<typeof snapshotQuery>;

/** What the changes are asked for. */
export type ChangesQuery = z.infer<typeof changesQuery>;

const syncCursor = z.string().describe('Opaque. Never expires by time.');

/** Answers of the snapshot and the changes, as `site` names its links. */
export function selectedAnswers(site: Site) {
  // The larger form first: it is the one that a minimal item does not fit.
  const item = z.union([itemSchema(site), minimalItemSchema(site)]);
  const change = z.discriminatedUnion('op', [
    z.object({ op: z.literal('upsert'), changedAt: timestamp, item }),
    z.object({ op: z.literal('remove'), changedAt: timestamp, id: z.string() }),
  ]);
  const snapshot = z
    .object({
      schemaVersion,
      asOf: timestamp.describe(
        'The set is as new as this, or newer; the changes since `cursor` tell the rest.',
      ),
      fields,
      cursor: syncCursor.describe('Where the changes begin; the same on every page.'),
      count: z.int().describe('Items of this page.'),
      hasMore: z.boolean(),
      nextPage: z.string().nullable(),
      items: z.array(item),
    })
    .meta({ id: 'SelectedSnapshot' });
  const changes = z
    .object({
      schemaVersion,
      fields,
      cursor: syncCursor.describe('Save it after these changes have been applied, never before.'),
      count: z.int().describe('Changes of this page.'),
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

/** A change of the selected set. */
export type Change = Changes['changes'][number];
