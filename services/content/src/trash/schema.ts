import { integerParameter } from '@pressroom/common/fields/parameters';
import { z } from 'zod';
import { articleCreatedAnswer, articlePut } from '../articles/schema.ts';
import { cursorEnvelope } from '../envelope.ts';
import { keyMember } from '../written-by.ts';

const timestamp = z.iso.datetime({ offset: true });

/** A deleted article as the list shows it. */
export const deletedArticle = z.object({
  id: z.int(),
  title: z.string(),
  slug: z.string(),
  category_id: z.int().nullable(),
  author: z.string(),
  is_published: z.boolean(),
  published_at: timestamp.nullable(),
  deleted_at: timestamp,
  key: keyMember,
});

/** Query string of the list. */
export const trashQuery = z.strictObject({
  per_page: integerParameter(1, 100).default(20),
  cursor: integerParameter(1).optional().describe('`meta.next_cursor` of the page before.'),
});

/** Answer of the list. */
export const trashAnswer = cursorEnvelope(deletedArticle, z.int());

/** Body of a restore: in what the article shall be other than it was. */
export const articleRestore = articlePut
  .pick({ category_id: true, tags: true, authors: true })
  .extend({ is_published: z.literal(false, 'must be false; or leave it out') })
  .partial()
  .nullish();

/** In what a restored article shall be other than it was. */
export type Differing = NonNullable<z.infer<typeof articleRestore>>;

/** Answer of a restore: that of a create. */
export const articleRestoredAnswer = articleCreatedAnswer;
