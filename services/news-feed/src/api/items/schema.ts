import { integerParameter, searchText } from '@pressroom/common/fields/fields';
import { z } from 'zod';
import { calendarDate } from '../../calendar-date.ts';
import { PERIODS } from '../../period.ts';
import type { Vocabulary } from '../../vocabulary.ts';
import type { Site } from '../site.ts';
import { body } from '../wire.ts';
import { itemSchema, linksSchema } from './representation.ts';

/** Path of one item. */
export const itemPath = z.object({
  id: z.string().min(1).max(128, 'must be at most 128 characters long'),
});

/** `direction` in a query string: one of the deployment's directions. */
export function directionParameter({ directions }: Vocabulary) {
  return z.enum(directions, `must be one of ${directions.join(', ')}`).optional();
}

/** `category` in a query string: one of the deployment's categories. */
export function categoryParameter({ categories }: Vocabulary) {
  return z.enum(categories, `must be one of ${categories.join(', ')}`).optional();
}

/** `cursor` in the query string of a list of pages. */
export const cursorParameter = z
  .string()
  .optional()
  .describe('`page.nextCursor` of the same query.')
  .meta({ minLength: 1, maxLength: 4096 });

/** What a list says of its page. */
export const pageSchema = z.object({
  count: z.int(),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable(),
});

/** Query string of the items. */
export function itemsQuery(vocabulary: Vocabulary) {
  return z.strictObject({
    mode: z.enum(['selected', 'all'], 'must be selected or all').default('selected'),
    category: categoryParameter(vocabulary),
    window: z.enum(['24h', '7d'], 'must be 24h or 7d').default('7d'),
    by: z
      .enum(['timeline', 'published'], 'must be timeline or published')
      .default('timeline')
      .describe(
        'Which time determines the window and the order. timeline: the time of discovery, or of publication for items' +
          ' discovered more than 72 hours after it. published: the time of publication.',
      ),
    q: searchText
      .optional()
      .describe(
        'Every word must be in the title, the original title or the summary, in upper or lower case.',
      ),
    limit: integerParameter(1, 100).default(50),
    cursor: cursorParameter,
    direction: directionParameter(vocabulary),
  });
}

/** A query of the items. */
export type ItemsQuery = z.infer<ReturnType<typeof itemsQuery>>;

/** Answer of the items. */
export function itemsAnswer(site: Site) {
  return body({
    query: z.object({
      mode: z.enum(['selected', 'all']),
      category: z.string().nullable(),
      window: z.enum(['24h', '7d']),
      q: z.string().nullable(),
      by: z.enum(['timeline', 'published']),
      direction: z.string().nullable(),
      ordering: z.enum(['timelineDesc', 'publishedAtDesc']),
    }),
    items: z.array(itemSchema(site).extend({ reason: z.string().nullable() })),
    page: pageSchema,
  });
}

/** Answer of one item. */
export function itemAnswer(site: Site) {
  return body({
    item: itemSchema(site).extend({
      reason: z.string().nullable(),
      story: z
        .object({ publicId: z.string(), title: z.string(), links: linksSchema(site, {}) })
        .nullable()
        .describe('The event that it reports on; `publicId` is for the story endpoint.'),
      reports: z
        .array(z.object({ period: z.enum(PERIODS), date: calendarDate, links: linksSchema(site, {}) }))
        .describe('The reports that quote it, the shortest period first.'),
    }),
  });
}
