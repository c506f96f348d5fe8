import { integerParameter } from '@pressroom/common/fields/parameters';
import { z } from 'zod';
import { cursorEnvelope } from '../envelope.ts';

const timestamp = z.iso.datetime({ offset: true });

/** Where a page of the schedule begins: after this article, in the order of time. */
export interface Place {
  at: Date;
  id: number;
}

/** An article with what is planned for it next, as clients see it. */
const plannedArticle = z.object({
  id: z.int(),
  title: z.string(),
  slug: z.string(),
  author: z.string(),
  category_id: z.int().nullable(),
  is_published: z.boolean(),
  due_at: timestamp.describe('When a draft is published, or what is published becomes a draft again.'),
  unpublish_at: timestamp.nullable(),
  release: z.string().nullable().describe('The release that it is published with.'),
});

/** Query string of the schedule. */
export const scheduleQuery = z.strictObject({
  per_page: integerParameter(1, 100).default(20),
  cursor: z
    .string()
    .regex(/^[0-9]{1,14}_[1-9][0-9]{0,9}$/, 'must be `meta.next_cursor` of the page before')
    .transform((cursor): Place => {
      const [at, id] = cursor.split('_').map(Number);
      return { at: new Date(at ?? 0), id: id ?? 0 };
    })
    .optional()
    .describe('`meta.next_cursor` of the page before.'),
});

/** The cursor of the page after this place. */
export function cursorAt({ at, id }: Place): string {
  return `${at.getTime()}_${id}`;
}

/** Answer of the schedule. */
export const scheduleAnswer = cursorEnvelope(plannedArticle, z.string());
