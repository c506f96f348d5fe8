import { replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { Vocabulary } from '../../vocabulary.ts';
import { CACHE_CONTROL } from '../cache-control.ts';
import { item } from '../items/representation.ts';
import type { Site } from '../site.ts';
import { success } from '../wire.ts';
import { archiveAnswer, archiveQuery } from './schema.ts';
import type { ArchiveStore } from './store.ts';

/** The dependencies of the operation on the archive. */
export interface ArchiveParts {
  archive: ArchiveStore;
  cache: RepresentationCache;
  site: Site;
  vocabulary: Vocabulary;
}

/** The operation on the archive: every public item, by publication. */
export function archiveOperations({ archive, cache, site, vocabulary }: ArchiveParts) {
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
          const { items, nextCursor, expiresAt } = await archive.page(request.query);
          const shown = items.map((row) => ({ ...item(row, site), reason: row.reason }));
          const page = { count: shown.length, hasMore: nextCursor !== null, nextCursor };
          return { value: success({ items: shown, page }), expiresAt };
        },
      }),
  });
  return { list };
}
