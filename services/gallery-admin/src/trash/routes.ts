import { operation } from '@pressroom/common/http/operation';
import type { BucketSource } from '../buckets/bucket.ts';
import type { OriginalDates } from '../listing/original-dates.ts';
import { problemResponses } from '../problems.ts';
import { trashAnswer, trashQuery } from './schema.ts';
import { readTrash } from './trash.ts';

/** What the trash holds: an addition to `docs/spec/gallery-admin.md`, "Endpoints". */
export function trashOperations(buckets: BucketSource, dates: OriginalDates) {
  const list = operation({
    schema: {
      tags: ['gallery'],
      operationId: 'listTrash',
      summary: 'List what was deleted with "trash": true, the oldest deletions first',
      description:
        'A batch restores or deletes it by its path; deleting the folder `.pressroom-trash/` empties the trash.',
      querystring: trashQuery,
      response: { 200: trashAnswer, ...problemResponses(400, 401, 500, 503) },
    },
    handler: async ({ query }) => {
      const data = await readTrash(await buckets.current(), query, dates);
      return { success: true as const, data };
    },
  });
  return { list };
}
