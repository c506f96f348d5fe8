import { text } from '@pressroom/common/fields/fields';
import { z } from 'zod';
import { itemId, MAX_TEXT, storyId } from '../../editing/fields.ts';
import { editNumber, timestamp } from '../wire.ts';

/** Path of one story. */
export const storyPath = z.object({ id: storyId });

const status = z.enum(['active', 'settled']);

/** Answer of the list. */
export const storiesAnswer = z.object({
  stories: z.array(
    z.object({
      publicId: z.string(),
      title: z.string(),
      status,
      digest: z.string().nullable(),
      reportCount: z.int(),
      latest: z.object({ id: z.string(), title: z.string(), publishedAt: timestamp }),
    }),
  ),
  nextCursor: z.string().nullable(),
});

/** Answer of the detail. */
export const storyAnswer = z.object({
  publicId: z.string(),
  title: z.string(),
  status,
  digest: z.string().nullable(),
  digestUpdatedAt: timestamp.nullable(),
  digestBy: z.string().nullable().describe('`rules`, `model` or `person`.'),
  createdAt: timestamp,
  updatedAt: timestamp,
  mergedInto: z.string().nullable(),
  merged: z.array(z.object({ publicId: z.string(), title: z.string() })),
  keptApartFrom: z.array(z.string()),
  references: z.array(z.object({ kind: z.string(), publicId: z.string(), relation: z.string() })),
  reports: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      sourceName: z.string(),
      publishedAt: timestamp,
      selected: z.boolean(),
      withdrawnAt: timestamp.nullable(),
    }),
  ),
});

/** Body of a merge. */
export const merge = z.strictObject({ into: storyId });

/** The most reports that are moved at once. */
const MOST_MOVED = 1000;

/** Body of a split. */
export const split = z.strictObject({
  items: z
    .array(itemId, 'must be a list of ids of reports')
    .min(1, 'must have at least one report')
    .max(MOST_MOVED, `must have at most ${MOST_MOVED} reports`),
});

/** Body of a new digest. */
export const digestPut = z.strictObject({ digest: text(MAX_TEXT).nullable() });

/** Answer of an edit. */
export const storyEditedAnswer = z.object({ edit: editNumber });

/** Answer of a merge or a split. */
export const storyMovedAnswer = z.object({
  edit: editNumber,
  publicId: z.string().describe('The story that it is now, or the new one.'),
});
