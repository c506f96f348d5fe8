import { integerParameter, text } from '@pressroom/common/fields/fields';
import { z } from 'zod';
import type { Vocabulary } from '../../../vocabulary.ts';
import { itemId, MAX_TEXT, time } from '../../editing/fields.ts';
import { itemChange, itemInput } from '../../editing/item-input.ts';
import { editNumber, timestamp } from '../wire.ts';

/** Path of one item. */
export const itemPath = z.object({ id: itemId });

const image = z
  .object({
    url: z.string(),
    width: z.int().optional(),
    height: z.int().optional(),
    alt: z.string().optional(),
  })
  .nullable();

const members = {
  id: z.string(),
  title: z.string(),
  originalTitle: z.string().nullable(),
  summary: z.string().nullable(),
  sourceName: z.string(),
  firstParty: z.boolean(),
  originalUrl: z.string(),
  publishedAt: timestamp,
  discoveredAt: timestamp,
  category: z.string().nullable(),
  score: z.number().nullable(),
  selected: z.boolean(),
  reason: z.string().nullable().describe('Why it was selected.'),
  directions: z.array(z.string()),
  language: z.string().nullable(),
  image,
};

/** Answer of the list. */
export const itemsAnswer = z.object({
  items: z.array(z.object({ ...members, story: z.string().nullable().describe('Its `publicId`.') })),
  nextCursor: z.string().nullable(),
});

/** Query string of the withdrawn items. */
export const withdrawnQuery = z.strictObject({ limit: integerParameter(1, 100).default(50) });

/** Answer of the withdrawn items. */
export const withdrawnAnswer = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      sourceName: z.string(),
      publishedAt: timestamp,
      category: z.string().nullable(),
      score: z.number().nullable(),
      selected: z.boolean(),
      withdrawnAt: timestamp.nullable(),
    }),
  ),
});

/** Answer of the detail. */
export const itemAnswer = z.object({
  ...members,
  story: z.object({ publicId: z.string(), title: z.string() }).nullable(),
  withdrawnAt: timestamp.nullable(),
  updatedAt: timestamp,
  sources: z.array(z.object({ id: z.int(), name: z.string(), isFollowed: z.boolean() })),
  reports: z.array(z.object({ period: z.string(), date: z.string() })),
});

/** Answer of an edit. */
export const itemEditedAnswer = z.object({ edit: editNumber, item: itemAnswer });

/** Body of `POST`. */
export const itemCreate = (vocabulary: Vocabulary) => itemInput(vocabulary, time);

/** Body of `PATCH`. */
export const itemPatch = (vocabulary: Vocabulary) =>
  itemChange(vocabulary)
    .refine((body) => Object.keys(body).length > 0, {
      message: 'must have at least one member',
      params: { code: 'required' },
    })
    .meta({ minProperties: 1 });

/** Body of a selection. */
export const selection = z.strictObject({ reason: text(MAX_TEXT).nullable().optional() }).nullish();

/** Answer of an explanation. */
export const explanationAnswer = z.object({
  id: z.string(),
  title: z.string(),
  sourceName: z.string(),
  story: z.string().nullable(),
  category: z.string().nullable(),
  score: z.number().nullable(),
  selected: z.boolean(),
  directions: z.array(z.string()),
  judgedAt: timestamp.nullable(),
  judgedScore: z.number().nullable(),
  judgedSelected: z.boolean().nullable(),
  terms: z
    .array(z.object({ name: z.string(), points: z.number(), note: z.string().optional() }))
    .nullable()
    .describe('Null if no editor has judged it.'),
});

/** Path of an edit. */
export const editPath = z.object({ edit: integerParameter(1, 999_999_999_999_999) });

/** Answer of an undo. */
export const undoneAnswer = z.object({ edit: editNumber });
