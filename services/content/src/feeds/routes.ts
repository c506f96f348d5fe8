import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { FORMAT_NAMES, feedDocument, feedResponses, forEachEnding } from '@pressroom/common/feeds/operations';
import { operation } from '@pressroom/common/http/operation';
import { subjectsOfList } from '../articles/filters.ts';
import { replyToReader } from '../reading.ts';
import { knownSite, type Site } from '../site.ts';
import { articleFeed } from './article-feed.ts';
import { feedQuery } from './schema.ts';
import { FEED_ARTICLES, type FeedStore } from './store.ts';

/** The dependencies of the operations on feeds. */
export interface FeedParts {
  feeds: FeedStore;
  cache: RepresentationCache;
  /** Undefined if the settings name none; then there are no feeds. */
  site: Site | undefined;
}

/** The feed of the newest articles, as RSS 2.0, Atom and JSON Feed, with the filters of lists. */
export function feedOperations({ feeds, cache, site }: FeedParts) {
  return forEachEnding((ending) =>
    operation({
      schema: {
        tags: ['feeds'],
        operationId: `get${FORMAT_NAMES[ending]}OfArticles`,
        summary: `The ${FEED_ARTICLES} newest articles with their whole text`,
        querystring: feedQuery,
        response: feedResponses(ending, 400, 403, 404, 429, 503),
      },
      handler: (request, reply) =>
        replyToReader(request, reply, cache, async () => {
          const known = knownSite(site);
          const { query } = request;
          const articles = await feeds.newest(query);
          const author = query.author_slug === undefined ? undefined : await feeds.author(query.author_slug);
          const document = feedDocument(ending, {
            ...articleFeed(articles, query, author, known),
            id: `${known.url}${request.url.replace(`.${ending}`, '')}`,
            selfUrl: `${known.url}${request.url}`,
            language: known.language,
            hubUrl: undefined,
          });
          return { ...document, subjects: subjectsOfList(query) };
        }),
    }),
  );
}
