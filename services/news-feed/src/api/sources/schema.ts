import { integerParameter } from '@pressroom/common/fields/fields';
import { z } from 'zod';
import { timestamp } from '../items/representation.ts';
import { cursorParameter, pageSchema } from '../items/schema.ts';
import { body } from '../wire.ts';

/** Query string of the sources. */
export const sourcesQuery = z.strictObject({
  limit: integerParameter(1, 200).default(100),
  cursor: cursorParameter,
});

/** Answer of the sources. */
export const sourcesAnswer = body({
  items: z.array(
    z.object({
      name: z.string(),
      itemsPerDay: z.number().describe('Public items of the last 7 days, by publication, a day on average.'),
      latestAt: timestamp.describe('When its newest public item was published.'),
    }),
  ),
  page: pageSchema,
});
