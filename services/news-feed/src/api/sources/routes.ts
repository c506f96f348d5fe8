import { replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { NewsTables } from '../../tables.ts';
import { CACHE_CONTROL } from '../cache-control.ts';
import { readCursor, writeCursor } from '../list-cursor.ts';
import { success } from '../wire.ts';
import { sourcesAnswer, sourcesQuery } from './schema.ts';
import { COUNTED_DAYS, listSources } from './store.ts';

/** The dependencies of the operation on sources. */
export interface SourceParts {
  db: Kysely<NewsTables>;
  cache: RepresentationCache;
  clock: Clock;
}

const LIST = ['sources'];

/** How long the counts of a page may be served without a new query, in ms. */
const LONGEST_SHOWN_MS = 60_000;

/** The operation on sources: their names and how much they publish, never their addresses. */
export function sourceOperations({ db, cache, clock }: SourceParts) {
  const list = operation({
    schema: {
      tags: ['items'],
      operationId: 'listSources',
      summary: 'List the sources of all public items, by name',
      querystring: sourcesQuery,
      response: { 200: sourcesAnswer, ...NOT_MODIFIED, ...problemResponses(400, 403, 405, 429, 503) },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: CACHE_CONTROL.items,
        cache,
        load: async () => {
          const { cursor, limit } = request.query;
          const now = clock();
          const after = cursor === undefined ? '' : readCursor(LIST, cursor).id;
          const rows = await listSources(db, { after, limit: limit + 1, now });
          const items = rows.slice(0, limit).map(({ name, recent, latest_at }) => ({
            name,
            itemsPerDay: Math.round((recent / COUNTED_DAYS) * 100) / 100,
            latestAt: latest_at.toISOString(),
          }));
          const last = items.at(-1);
          const hasMore = rows.length > limit && last !== undefined;
          const nextCursor = hasMore ? writeCursor(LIST, { at: new Date(0), id: last.name }) : null;
          const value = success({ items, page: { count: items.length, hasMore, nextCursor } });
          return { value, expiresAt: new Date(now.getTime() + LONGEST_SHOWN_MS) };
        },
      }),
  });
  return { list };
}
