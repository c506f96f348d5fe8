import { replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { NOT_MODIFIED } from '@pressroom/common/http/bodiless';
import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem-document';
import type { Vocabulary } from '../../vocabulary.ts';
import { CACHE_CONTROL } from '../cache-control.ts';
import type { Site } from '../site.ts';
import { success } from '../wire.ts';
import { item } from './representation.ts';
import { type ItemsQuery, itemsAnswer, itemsQuery } from './schema.ts';
import type { ItemPage, ItemStore } from './store.ts';

/** The dependencies of the operation on items. */
export interface ItemParts {
  items: ItemStore;
  cache: RepresentationCache;
  site: Site;
  vocabulary: Vocabulary;
}

/** The operation on items: the public items of the last 7 days (`docs/spec/news-feed.md`, "Endpoints"). */
export function itemOperations({ items, cache, site, vocabulary }: ItemParts) {
  const list = operation({
    schema: {
      tags: ['items'],
      operationId: 'listItems',
      summary: 'List the public items of the last 7 days, newest first',
      description:
        'Do not use this to keep a complete copy: older items drop out. A cursor is bound to its query, except for' +
        ' `limit`. With a different query, or once its item has left the window, it gets 400 `invalid_cursor`.',
      querystring: itemsQuery(vocabulary),
      response: {
        200: itemsAnswer(site),
        ...NOT_MODIFIED,
        ...problemResponses(400, 403, 405, 429, 503),
      },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: CACHE_CONTROL.items,
        cache,
        load: async () => {
          const page = await items.page(request.query);
          return { value: answer(request.query, page, site), expiresAt: page.expiresAt };
        },
      }),
  });
  return { list };
}

function answer(query: ItemsQuery, { items, nextCursor }: ItemPage, site: Site) {
  const { mode, category = null, window, q = null, by, direction = null } = query;
  const ordering = by === 'timeline' ? ('timelineDesc' as const) : ('publishedAtDesc' as const);
  return success({
    query: { mode, category, window, q, by, direction, ordering },
    items: items.map((row) => ({ ...item(row, site), reason: row.reason })),
    page: { count: items.length, hasMore: nextCursor !== null, nextCursor },
  });
}
