import { type ReplyOf, replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import {
  type Feed,
  type FeedEnding,
  type FeedOperations,
  FORMAT_NAMES,
  feedDocument,
  feedResponses,
  forEachEnding,
} from '@pressroom/common/feeds/feed';
import { type Operation, operation } from '@pressroom/common/http/operation';
import type { FastifyRequest } from 'fastify';
import type { Kysely } from 'kysely';
import { PERIOD_RULES, type Period } from '../../period.ts';
import type { NewsTables } from '../../tables.ts';
import type { Vocabulary } from '../../vocabulary.ts';
import type { ApiAddress } from '../api-address.ts';
import { CACHE_CONTROL } from '../cache-control.ts';
import type { ItemsQuery } from '../items/schema.ts';
import type { ItemStore } from '../items/store.ts';
import { ReportStore } from '../reports/store.ts';
import type { Site } from '../site.ts';
import { FEED_ITEMS, type ItemFeedQuery, itemFeed } from './item-feed.ts';
import { FEED_REPORTS, reportFeed } from './report-feed.ts';
import { categoryFeedPath, categoryFeedQuery, itemFeedQuery } from './schema.ts';

/** The dependencies of the operations on feeds. */
export interface FeedParts {
  db: Kysely<NewsTables>;
  items: ItemStore;
  cache: RepresentationCache;
  site: Site;
  address: ApiAddress;
  vocabulary: Vocabulary;
  /** The WebSub hub that distributes changes, if there is one. */
  hubUrl: string | undefined;
}

/** What a feed contains, and until when; undefined: until the data change. */
interface FeedContent {
  content: Pick<Feed, 'title' | 'description' | 'entries'>;
  expiresAt?: Date;
}

/**
 * The feeds for readers: the selected items, all items, and the reports, each as RSS 2.0, Atom and JSON Feed;
 * and the selected items of a category as RSS.
 */
export function feedOperations(parts: FeedParts) {
  return {
    selected: itemFeedOperations(parts, 'selected'),
    all: itemFeedOperations(parts, 'all'),
    daily: reportFeedOperations(parts, 'daily'),
    weekly: reportFeedOperations(parts, 'weekly'),
    monthly: reportFeedOperations(parts, 'monthly'),
    category: categoryFeedOperation(parts),
  };
}

/** A feed at a second address, by which clients of other sites know it. */
export function alsoAt({ schema, ...rest }: Operation, operationId: string): Operation {
  return { ...rest, schema: { ...schema, operationId } };
}

function itemFeedOperations(parts: FeedParts, mode: ItemsQuery['mode']): FeedOperations {
  const querystring = itemFeedQuery(parts.vocabulary);
  return forEachEnding((ending) =>
    operation({
      schema: {
        tags: ['feeds'],
        operationId: `get${FORMAT_NAMES[ending]}Of${mode === 'all' ? 'All' : 'Selected'}`,
        summary: `The ${FEED_ITEMS} newest ${mode === 'all' ? 'items' : 'selected items'} of the last 7 days`,
        querystring,
        response: responses(ending),
      },
      handler: (request, reply) =>
        answer(parts, ending, request, reply, () => readItems(parts, { ...request.query, mode })),
    }),
  );
}

function categoryFeedOperation(parts: FeedParts): Operation {
  return operation({
    schema: {
      tags: ['feeds'],
      operationId: 'getRssOfCategory',
      summary: `The ${FEED_ITEMS} newest selected items of a category of the last 7 days`,
      params: categoryFeedPath(parts.vocabulary),
      querystring: categoryFeedQuery(parts.vocabulary),
      response: responses('xml'),
    },
    handler: (request, reply) =>
      answer(parts, 'xml', request, reply, () =>
        readItems(parts, { ...request.query, ...request.params, mode: 'selected' }),
      ),
  });
}

async function readItems(
  { items, site, vocabulary }: FeedParts,
  restriction: ItemFeedQuery,
): Promise<FeedContent> {
  const page = await items.page({ ...restriction, window: '7d', by: 'timeline', limit: FEED_ITEMS });
  return { content: itemFeed(page.items, restriction, site, vocabulary), expiresAt: page.expiresAt };
}

function reportFeedOperations(parts: FeedParts, period: Period): FeedOperations {
  const reports = new ReportStore(parts.db, period);
  const { collection } = PERIOD_RULES[period];
  const read = async (): Promise<FeedContent> => ({
    content: reportFeed(await reports.newest(FEED_REPORTS), period, parts.site),
  });
  return forEachEnding((ending) =>
    operation({
      schema: {
        tags: ['feeds'],
        operationId: `get${FORMAT_NAMES[ending]}Of${collection.charAt(0).toUpperCase()}${collection.slice(1)}`,
        summary: `The ${FEED_REPORTS} newest ${period} reports with their whole text`,
        response: responses(ending),
      },
      handler: (request, reply) => answer(parts, ending, request, reply, read),
    }),
  );
}

function responses(ending: FeedEnding) {
  return feedResponses(ending, 400, 403, 405, 429, 503);
}

function answer(
  { cache, site, address, hubUrl }: FeedParts,
  ending: FeedEnding,
  request: FastifyRequest,
  reply: ReplyOf<{ response: ReturnType<typeof responses> }>,
  read: () => Promise<FeedContent>,
) {
  const base = address.of(request);
  return replyConditionally(request, reply, {
    cacheControl: CACHE_CONTROL.feeds,
    vary: address.vary,
    // An answer with an address from the request is for those who ask at that address.
    ...(address.fromRequest(request) === undefined && { cache }),
    load: async () => {
      const { content, expiresAt } = await read();
      const document = feedDocument(ending, {
        ...content,
        id: `${site.attribution.url}${request.url.replace(`.${ending}`, '')}`,
        homeUrl: site.attribution.url,
        // A relative one is right wherever the feed is reached; a `Host` that any client can choose is not.
        selfUrl: base === undefined ? request.url.replace(/^[^?]*\//, '') : base + request.url,
        language: site.language,
        hubUrl,
      });
      return { ...document, expiresAt };
    },
  });
}
