import type { CachedValue } from '@pressroom/common/caching/cached-value';
import { replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { integerParameter } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { z } from 'zod';
import { isCalendarDate } from '../calendar.ts';
import type { Vocabulary } from '../words.ts';
import type { ArchiveStore } from './archive-store.ts';
import { item } from './item.ts';
import {
  categoryParameter,
  cursorParameter,
  directionParameter,
  findableParameter,
  languageParameter,
  listedItemSchema,
  pageSchema,
  sourceParameter,
} from './items.ts';
import { body, CACHE_CONTROL, type Site, success } from './site.ts';

const day = z
  .string()
  .refine(isCalendarDate, 'must be a calendar date written as YYYY-MM-DD')
  .meta({ format: 'date' });

export function archiveQuery(vocabulary: Vocabulary) {
  return z.strictObject({
    from: day.optional().describe('The first day of publication, in the time zone of reports.'),
    to: day.optional().describe('The last day of publication, in the time zone of reports.'),
    source: sourceParameter,
    category: categoryParameter(vocabulary),
    direction: directionParameter(vocabulary),
    language: languageParameter,
    selected: z.enum(['true'], 'must be true, or absent').optional().describe('Only selected items.'),
    q: findableParameter,
    limit: integerParameter(1, 100).default(50),
    cursor: cursorParameter,
  });
}

export type ArchiveQuery = z.infer<ReturnType<typeof archiveQuery>>;

function archiveAnswer(site: Site) {
  return body({
    items: z.array(listedItemSchema(site)),
    page: pageSchema,
  });
}

/** The dependencies of the operation on the archive. */
interface ArchiveParts {
  archive: ArchiveStore;
  cache: RepresentationCache;
  site: Site;
  vocabulary: Vocabulary;
  settings: CachedValue<void>;
}

/** The operation on the archive: every public item, by publication. */
export function archiveOperations({ archive, cache, site, vocabulary, settings }: ArchiveParts) {
  const list = operation({
    schema: {
      tags: ['items'],
      operationId: 'listArchive',
      summary: 'List all public items, however old, the last published first',
      description:
        'A cursor is bound to its query, except for `limit`; with a different one it gets 400 `invalid_cursor`.',
      querystring: archiveQuery(vocabulary),
      response: {
        200: archiveAnswer(site),
        ...NOT_MODIFIED,
        ...problemResponses(400, 403, 405, 429, 503),
      },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: CACHE_CONTROL.items,
        cache,
        load: async () => {
          await settings.current();
          const { items, nextCursor, expiresAt } = await archive.page(request.query);
          const shown = items.map((row) => ({ ...item(row, site), reason: row.reason }));
          const page = { count: shown.length, hasMore: nextCursor !== null, nextCursor };
          return { value: success({ items: shown, page }), expiresAt };
        },
      }),
  });
  return { list };
}
