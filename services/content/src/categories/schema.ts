import { idParameter } from '@pressroom/common/fields/parameters';
import { onOneLine, requiredText, text } from '@pressroom/common/fields/text';
import { z } from 'zod';
import { articleListItem, pageParameters } from '../articles/schema.ts';
import { envelope, pagedEnvelope } from '../envelope.ts';
import { SLUG_PATTERN } from '../slug.ts';

const timestamp = z.iso.datetime({ offset: true });

const slug = text(100)
  .regex(SLUG_PATTERN, 'must be words of a–z and 0–9 joined by -')
  .describe('If omitted, a new category gets one from its name, and another keeps its own.');

/** Body of `POST`. */
export const categoryCreate = z.strictObject({
  name: onOneLine(requiredText(100)),
  slug: slug.optional(),
  description: text(500).nullable().optional(),
});

/** Body of `PUT`: the whole category; if the slug is omitted, it is kept. */
export const categoryPut = categoryCreate.required({ description: true });

/** Body of `PATCH`: the members that change, at least one. */
export const categoryPatch = categoryCreate
  .partial()
  .refine((body) => Object.keys(body).length > 0, {
    message: 'must have at least one member',
    params: { code: 'required' },
  })
  .meta({ minProperties: 1 });

/** The values of a `POST`. */
export type CategoryCreate = z.infer<typeof categoryCreate>;

/** The values of a `PATCH`. */
export type CategoryChange = z.infer<typeof categoryPatch>;

/** A category as the list shows it. */
const categoryListItem = z.object({
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  description: z.string().nullable(),
  article_count: z.int().describe('Published articles.'),
  created_at: timestamp,
  updated_at: timestamp,
});

/** A category with a page of its published articles. */
const categoryDetail = categoryListItem.omit({ article_count: true }).extend({
  articles: z.array(articleListItem.omit({ category: true }).extend({ alt_text: z.string().nullable() })),
});

/** A category in the list. */
export type CategoryListItem = z.infer<typeof categoryListItem>;

/** A complete category. */
export type CategoryDetail = z.infer<typeof categoryDetail>;

/** Query string of the detail. */
export const categoryDetailQuery = z.strictObject(pageParameters);

/** Path of one category. */
export const categoryPath = z.object({ id: idParameter() });

/** Answer of the list. */
export const categoryListAnswer = envelope(z.array(categoryListItem));

/** Answer of the detail. */
export const categoryDetailAnswer = pagedEnvelope(categoryDetail);

const written = z.object({ id: z.int(), name: z.string(), slug: z.string() });

/** A category as the answer to a write shows it. */
export type WrittenCategory = z.infer<typeof written>;

/** Answer of `POST` and `PUT`. */
export const categoryWrittenAnswer = envelope(written);

/** Members of a category that a `PATCH` has changed. */
const categoryChanges = z.object({
  id: z.int(),
  name: z.string().optional(),
  slug: z.string().optional(),
  description: z.string().nullable().optional(),
});

/** The changes that a `PATCH` made. */
export type CategoryChanges = z.infer<typeof categoryChanges>;

/** Answer of `PATCH`: `id` and exactly what changed; `updated_at`, which always changes, is left out. */
export const categoryPatchAnswer = envelope(categoryChanges);
