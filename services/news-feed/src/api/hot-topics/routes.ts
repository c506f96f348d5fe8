import { replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { Vocabulary } from '../../vocabulary.ts';
import { CACHE_CONTROL } from '../cache-control.ts';
import type { Site } from '../site.ts';
import { success } from '../wire.ts';
import { type HotTopic, hotTopicsAnswer, hotTopicsQuery } from './schema.ts';
import type { HotTopicStore, RankedTopic } from './store.ts';

/** The dependencies of the operation on hot topics. */
export interface HotTopicParts {
  hotTopics: HotTopicStore;
  cache: RepresentationCache;
  site: Site;
  vocabulary: Vocabulary;
  /** Whether to link to stories: only if the story endpoint shows them. */
  stories: boolean;
}

/**
 * The operation on hot topics: the ten hottest of the latest ranking (`docs/spec/news-feed.md`, "Endpoints").
 */
export function hotTopicOperations(parts: HotTopicParts) {
  const { hotTopics, cache, site, vocabulary } = parts;
  const list = operation({
    schema: {
      tags: ['hot topics'],
      operationId: 'listHotTopics',
      summary: 'List the ten hottest topics, for all directions or one',
      querystring: hotTopicsQuery(vocabulary),
      response: {
        200: hotTopicsAnswer(site),
        ...NOT_MODIFIED,
        ...problemResponses(400, 403, 405, 429, 503),
      },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: CACHE_CONTROL.hotTopics,
        cache,
        load: async () => {
          const topics = await hotTopics.list(request.query.direction);
          const items = topics.map((topic, index) => shown(topic, index + 1, parts));
          return { value: success({ count: items.length, items }) };
        },
      }),
  });
  return { list };
}

function shown(topic: RankedTopic, rank: number, { site, stories }: HotTopicParts): HotTopic {
  return {
    rank,
    id: topic.id,
    title: topic.title,
    source: { name: topic.source_name },
    links: {
      [site.linkName]: site.item(topic.id),
      original: topic.original_url,
      ...(stories && topic.story !== null && { story: site.story(topic.story) }),
    },
    sourceCount: topic.source_count,
    signalCount: topic.signal_count,
    ...(topic.participant_count !== null && { participantCount: topic.participant_count }),
    sourceNames: topic.source_names,
    latestAt: topic.latest_at.toISOString(),
  };
}
