import { replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { integerParameter } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { RANKED_TOPICS } from '../fields.ts';
import type { NewsTables } from '../tables.ts';
import type { Vocabulary } from '../words.ts';
import { address, illustrationShape, linksSchema, sourceReference, timestamp } from './item.ts';
import { categoryParameter, directionParameter } from './items.ts';
import { body, CACHE_CONTROL, type Site, success } from './site.ts';

/** Topics in the list (`docs/spec/news-feed.md`, "Hot topic"). */
const TOP = 10;

function hotTopicsQuery(vocabulary: Vocabulary) {
  return z.strictObject({
    direction: directionParameter(vocabulary),
    category: categoryParameter(vocabulary).describe('The category of the items that represent the topics.'),
    limit: integerParameter(1, RANKED_TOPICS).default(TOP),
  });
}

type HotTopicsQuery = z.infer<ReturnType<typeof hotTopicsQuery>>;

function hotTopicSchema(site: Site) {
  return z
    .object({
      rank: z.int().min(1).max(RANKED_TOPICS).describe('The place in this list.'),
      id: z.string().describe('The id of the item that represents the topic.'),
      title: z.string(),
      summary: z.string().nullable(),
      image: illustrationShape.image,
      source: sourceReference,
      links: linksSchema(site, {
        original: address,
        story: address
          .optional()
          .describe('A page for people; its last path segment is the `publicId` for the story endpoint.'),
      }),
      sourceCount: z.int().min(1).describe('The number of distinct sources that report on the topic.'),
      signalCount: z.int().min(1).describe('The number of reports on the topic.'),
      participantCount: z
        .int()
        .min(0)
        .optional()
        .describe('The number of people who discuss the topic, if known.'),
      sourceNames: z.array(z.string()),
      latestAt: timestamp.describe('The time of the newest report.'),
      publicId: z.string().optional().describe('For the story endpoint; absent where `links.story` is.'),
    })
    .meta({ id: 'HotTopic' });
}

/** A topic, including the link whose name the deployment chooses. */
type HotTopic = z.infer<ReturnType<typeof hotTopicSchema>>;

function hotTopicsAnswer(site: Site) {
  return body({ count: z.int(), items: z.array(hotTopicSchema(site)).max(RANKED_TOPICS) });
}

/** The dependencies of the operation on hot topics. */
interface HotTopicParts {
  hotTopics: HotTopicStore;
  cache: RepresentationCache;
  site: Site;
  vocabulary: Vocabulary;
  /** True to link to stories: only if the story endpoint shows them. */
  stories: boolean;
}

/**
 * The operation on hot topics: the hottest of the latest ranking (`docs/spec/news-feed.md`, "Endpoints").
 */
export function hotTopicOperations(parts: HotTopicParts) {
  const { hotTopics, cache, site, vocabulary } = parts;
  const list = operation({
    schema: {
      tags: ['hot topics'],
      operationId: 'listHotTopics',
      summary: 'List the hottest topics, of all directions and categories or of one',
      description: '`rank` begins at 1. A topic that is a story has its page in `links.story`.',
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
          const topics = await hotTopics.list(request.query);
          const items = topics.map((topic, index) => shown(topic, index + 1, parts));
          return { value: success({ count: items.length, items }) };
        },
      }),
  });
  return { list };
}

function shown(topic: RankedTopic, rank: number, { site, stories }: HotTopicParts): HotTopic {
  const publicId = stories ? topic.story : null;
  return {
    rank,
    id: topic.id,
    title: topic.title,
    summary: topic.summary,
    ...(topic.image !== null && { image: topic.image }),
    source: { name: topic.source_name },
    links: {
      [site.linkName]: site.item(topic.id),
      original: topic.original_url,
      ...(publicId !== null && { story: site.story(publicId) }),
    },
    sourceCount: topic.source_count,
    signalCount: topic.signal_count,
    ...(topic.participant_count !== null && { participantCount: topic.participant_count }),
    sourceNames: topic.source_names,
    latestAt: topic.latest_at.toISOString(),
    ...(publicId !== null && { publicId }),
  };
}

/** The hot topics of the latest ranking. */
export class HotTopicStore {
  readonly #db: Kysely<NewsTables>;

  constructor(db: Kysely<NewsTables>) {
    this.#db = db;
  }

  /**
   * The best topics of the latest ranking, or of a direction or a category in it, hottest first. Topics whose
   * item is no longer public are skipped, and the next best move up.
   */
  list({ direction, category, limit = TOP }: Partial<HotTopicsQuery>) {
    return this.#db
      .selectFrom('news.ranking_entry as entry')
      .innerJoin('news.item as item', 'item.id', 'entry.item_id')
      .where('entry.ranking_id', '=', (query) =>
        query.selectFrom('news.ranking').select(({ fn }) => fn.max<number>('id').as('latest')),
      )
      .where('entry.direction', direction === undefined ? 'is' : '=', direction ?? null)
      .where('item.withdrawn_at', 'is', null)
      .$if(category === undefined, (select) => select.where('entry.rank', '<=', RANKED_TOPICS))
      .$if(category !== undefined, (select) => select.where('item.category', '=', category ?? ''))
      .select(['item.id', 'item.title', 'item.source_name', 'item.original_url', 'item.story'])
      .select(['item.summary', 'item.image'])
      .select(['entry.source_count', 'entry.signal_count', 'entry.participant_count', 'entry.source_names'])
      .select('entry.latest_at')
      .orderBy('entry.rank')
      .limit(limit)
      .execute();
  }
}

/** A topic as a row of the database. */
type RankedTopic = Awaited<ReturnType<HotTopicStore['list']>>[number];
