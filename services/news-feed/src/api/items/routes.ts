import { replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { notFound, Problem, problemResponses } from '@pressroom/common/problems/problem';
import type { Kysely } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { Vocabulary } from '../../vocabulary.ts';
import { CACHE_CONTROL } from '../cache-control.ts';
import type { Site } from '../site.ts';
import { success } from '../wire.ts';
import { type ItemDetail, readItem } from './detail.ts';
import { item } from './representation.ts';
import { type ItemsQuery, itemAnswer, itemPath, itemsAnswer, itemsQuery } from './schema.ts';
import type { ItemPage, ItemStore } from './store.ts';

/** The dependencies of the operations on items. */
export interface ItemParts {
  db: Kysely<NewsTables>;
  items: ItemStore;
  cache: RepresentationCache;
  site: Site;
  vocabulary: Vocabulary;
  /** Whether to name stories: only if the story endpoint shows them. */
  stories: boolean;
}

/**
 * The operations on items: the public ones of the last 7 days (`docs/spec/news-feed.md`, "Endpoints"), and
 * one by its id.
 */
export function itemOperations(parts: ItemParts) {
  return { list: listOperation(parts), read: readOperation(parts) };
}

function listOperation({ items, cache, site, vocabulary }: ItemParts) {
  return operation({
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
}

function readOperation(parts: ItemParts) {
  const { db, cache, site } = parts;
  return operation({
    schema: {
      tags: ['items'],
      operationId: 'getItem',
      summary: 'Read an item, however old, with its story and the reports that quote it',
      params: itemPath,
      response: {
        200: itemAnswer(site),
        ...NOT_MODIFIED,
        ...problemResponses(400, 403, 404, 405, 410, 429, 503),
      },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: CACHE_CONTROL.item,
        cache,
        load: async () => {
          const detail = await readItem(db, request.params.id);
          if (detail === undefined) throw notFound('this item does not exist');
          if (detail === 'withdrawn') throw new Problem(410, 'gone', 'this item has been withdrawn');
          return { value: success({ item: shownDetail(detail, parts) }) };
        },
      }),
  });
}

function shownDetail({ row, story, reports }: ItemDetail, { site, stories }: ItemParts) {
  return {
    ...item(row, site),
    reason: row.reason,
    story:
      stories && story !== undefined
        ? {
            publicId: story.publicId,
            title: story.title,
            links: { [site.linkName]: site.story(story.publicId) },
          }
        : null,
    reports: reports.map(({ period, date }) => ({
      period,
      date,
      links: { [site.linkName]: site.report(period, date) },
    })),
  };
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
