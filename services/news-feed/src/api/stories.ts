import { replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { integerParameter } from '@pressroom/common/fields/fields';
import { bodiless, NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { notFound, problemResponses } from '@pressroom/common/problems/problem';
import type { SearchGate } from '@pressroom/common/search/search';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { correctionsOf, survivorsOf } from '../merged-stories.ts';
import type { NewsTables } from '../tables.ts';
import type { Vocabulary } from '../words.ts';
import type { ApiAddress } from './api-address.ts';
import {
  address,
  corrected,
  correction,
  illustration,
  illustrationShape,
  linksSchema,
  timestamp,
} from './item.ts';
import {
  categoryParameter,
  cursorParameter,
  findableParameter,
  MAX_PUBLIC_ID,
  PUBLIC_ID,
  pageSchema,
} from './items.ts';
import { body, CACHE_CONTROL, type Site, success } from './site.ts';
import { listStories, STATUSES, type StoryPage } from './story-list.ts';

const storyPath = z.object({
  publicId: z
    .string()
    .min(1)
    .refine((value) => value.length <= MAX_PUBLIC_ID, `must be at most ${MAX_PUBLIC_ID} characters long`)
    .meta({ maxLength: MAX_PUBLIC_ID }),
});

/** The picture of the newest report that has one; the language only if all its reports have the same. */
const storyIllustration = {
  image: illustrationShape.image.describe('The picture of the newest report that has one.'),
  language: z.string().optional().describe('The language of all its reports that say one (BCP 47).'),
};

function neighborSchema(site: Site) {
  return z
    .object({
      publicId: z.string(),
      title: z.string(),
      relation: z.string(),
      links: linksSchema(site, {
        api: z
          .string()
          .meta({ format: 'uri-reference' })
          .describe(
            'The story in this API. Absolute if the service knows its own address (from `SITE_API_URL` or a trusted proxy).',
          ),
      }),
    })
    .meta({ id: 'StoryReference', description: 'A story, as others name it.' });
}

function reportSchema(site: Site) {
  return z
    .object({
      id: z.string(),
      title: z.string(),
      summary: z.string().nullable(),
      source: z.object({ name: z.string(), firstParty: z.boolean() }),
      publishedAt: timestamp,
      links: linksSchema(site, { original: address.optional() }),
      ...illustrationShape,
      correction,
    })
    .meta({ id: 'StoryReport' });
}

const storiesQuery = z.strictObject({
  status: z
    .enum(STATUSES, 'must be active or settled')
    .optional()
    .describe('`active`: reports still come; `settled`: none came for a while.'),
  limit: integerParameter(1, 100).default(50),
  cursor: cursorParameter,
});

/** The same, by the words of one public report of a story. */
export const searchableStories = storiesQuery.extend({
  q: findableParameter.describe(
    'Every word must be in the title, the original title or the summary of one report, in upper or lower case.' +
      ' At least one word has three letters or two Chinese characters.',
  ),
});

/** The same for readers, by what one public report of a story has. */
function readersQuery(vocabulary: Vocabulary) {
  return searchableStories.extend({
    category: categoryParameter(vocabulary).describe('The category of one of its reports.'),
  });
}

function storiesAnswer(site: Site) {
  return body({
    items: z.array(
      z
        .object({
          publicId: z.string(),
          title: z.string(),
          status: z.enum(STATUSES),
          reportCount: z.int(),
          latestAt: timestamp,
          latest: z.string().describe('The title of the newest report.'),
          digest: z.string().nullable(),
          correction,
          links: linksSchema(site, {}),
        })
        .meta({ id: 'StoryListItem' }),
    ),
    page: pageSchema,
  });
}

function storyAnswer(site: Site) {
  const neighbor = neighborSchema(site);
  return body({
    story: z
      .object({
        publicId: z.string(),
        title: z.string(),
        status: z.enum(STATUSES),
        sourceCount: z.int(),
        reportCount: z.int(),
        firstReportAt: timestamp,
        latestAt: timestamp,
        latest: z.string().describe('The title of the newest report.'),
        digest: z.string().nullable(),
        digestUpdatedAt: timestamp.nullable(),
        correction,
        ...storyIllustration,
        links: linksSchema(site, {}),
        reports: z.array(reportSchema(site)).describe('Newest first.'),
        storyline: z.array(neighbor),
        related: z.array(neighbor),
      })
      .meta({ id: 'Story' }),
  });
}

/** The dependencies of the operation on stories. */
interface StoryParts {
  db: Kysely<NewsTables>;
  gate: SearchGate<NewsTables>;
  vocabulary: Vocabulary;
  /** False if the deployment shows no stories; then all of them are 404. */
  showsStories: boolean;
  cache: RepresentationCache;
  site: Site;
  address: ApiAddress;
}

const NO_STORIES: StoryPage = { stories: [], nextCursor: null };

/** The 308 of a merged story, for the OpenAPI description. */
const MERGED = { 308: bodiless('Merged: `Location` is the surviving story.') } as const;

/**
 * The operation on stories: an event with all reports on it (`docs/spec/news-feed.md`,
 * "Endpoints").
 */
export function storyOperations(parts: StoryParts) {
  const { cache, site, address } = parts;
  const stories = parts.showsStories ? new StoryStore(parts.db) : undefined;
  const read = operation({
    schema: {
      tags: ['stories'],
      operationId: 'getStory',
      summary: 'Read a story; use only ids that this API has returned',
      description:
        'Reports are newest first. `storyline` and `related` lead to other stories. A story that was' +
        ' merged into another is 308 to it, and stays so.',
      params: storyPath,
      response: {
        200: storyAnswer(site),
        ...NOT_MODIFIED,
        ...MERGED,
        ...problemResponses(400, 403, 404, 405, 429, 503),
      },
    },
    handler: async (request, reply) => {
      const forwarded = address.fromRequest(request);
      try {
        await replyConditionally(request, reply, {
          cacheControl: CACHE_CONTROL.stories,
          vary: address.vary,
          cache,
          // The answer links to this API at the address that this reader uses.
          key: forwarded === undefined ? undefined : `${forwarded}${request.url}`,
          load: async () => {
            const story = await stories?.read(request.params.publicId);
            if (story === undefined) throw notFound('this story does not exist');
            return { value: success({ story: shownStory(story, site, address.of(request) ?? '') }) };
          },
        });
      } catch (error) {
        if (!(error instanceof MergedStory)) throw error;
        reply.header('cache-control', CACHE_CONTROL.stories).redirect(apiPath(error.survivor), 308);
      }
      return reply;
    },
  });
  return { list: listOperation(parts), read };
}

function listOperation({ db, gate, vocabulary, showsStories, cache, site }: StoryParts) {
  const querystring = readersQuery(vocabulary);
  const read = (query: z.infer<typeof querystring>) => {
    if (!showsStories) return NO_STORIES;
    return query.q === undefined
      ? listStories(db, query)
      : gate.run((searchDb) => listStories(searchDb, query));
  };
  return operation({
    schema: {
      tags: ['stories'],
      operationId: 'listStories',
      summary: 'List the stories, that with the newest report first',
      description:
        'In pages by cursor. `latest` is the title of the newest report, `digest` what the reports' +
        ' say together, or null. A cursor is bound to its query, except for `limit`.',
      querystring,
      response: {
        200: storiesAnswer(site),
        ...NOT_MODIFIED,
        ...problemResponses(400, 403, 405, 429, 503),
      },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: CACHE_CONTROL.stories,
        cache,
        load: async () => {
          const { stories, nextCursor } = await read(request.query);
          const corrections = await correctionsOf(
            db,
            stories.map(({ public_id }) => public_id),
          );
          const items = stories.map((story) => ({
            publicId: story.public_id,
            title: story.title,
            status: story.status,
            reportCount: story.reports,
            latestAt: story.latest_at.toISOString(),
            latest: story.latest,
            digest: story.digest,
            ...corrected(corrections.get(story.public_id)),
            links: { [site.linkName]: site.story(story.public_id) },
          }));
          const page = { count: items.length, hasMore: nextCursor !== null, nextCursor };
          return { value: success({ items, page }) };
        },
      }),
  });
}

function apiPath(publicId: string): string {
  return `/api/v1/stories/${encodeURIComponent(publicId)}`;
}

function shownStory(
  { story, correction, coverage, newest, reports, storyline, related }: StoryRead,
  site: Site,
  api: string,
) {
  return {
    publicId: story.public_id,
    title: story.title,
    status: story.status,
    sourceCount: coverage.sources,
    reportCount: coverage.reports,
    firstReportAt: coverage.first.toISOString(),
    latestAt: newest.published_at.toISOString(),
    latest: newest.title,
    digest: story.digest,
    digestUpdatedAt: story.digest_updated_at?.toISOString() ?? null,
    ...corrected(correction),
    ...illustrationOf(reports),
    links: { [site.linkName]: site.story(story.public_id) },
    reports: reports.map((report) => shownReport(report, site)),
    storyline: storyline.map((neighbor) => shownNeighbor(neighbor, site, api)),
    related: related.map((neighbor) => shownNeighbor(neighbor, site, api)),
  };
}

function illustrationOf(reports: StoryRead['reports']) {
  const [language = null, ...others] = new Set(reports.flatMap((report) => report.language ?? []));
  const image = reports.find((report) => report.image !== null)?.image ?? null;
  return illustration({ image, language: others.length > 0 ? null : language });
}

function shownReport(report: StoryRead['newest'], site: Site) {
  return {
    id: report.id,
    title: report.title,
    summary: report.summary,
    source: { name: report.source_name, firstParty: report.source_first_party },
    publishedAt: report.published_at.toISOString(),
    links: { [site.linkName]: site.item(report.id), original: report.original_url },
    ...illustration(report),
    ...corrected(report),
  };
}

function shownNeighbor({ publicId, title, relation }: Neighbor, site: Site, api: string) {
  return {
    publicId,
    title,
    relation,
    links: { [site.linkName]: site.story(publicId), api: `${api}${apiPath(publicId)}` },
  };
}

type Database = Kysely<NewsTables>;

/** Reports of a story that are shown, newest first; bounds the cost. */
const MOST_REPORTS = 500;

/** A story that this one points to. */
interface Neighbor {
  publicId: string;
  title: string;
  relation: string;
}

class StoryStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * The story of `publicId` with its reports and neighbours; undefined if it does not exist or none of its
   * reports is public. Throws {@link MergedStory} if it has been merged into another one.
   */
  async read(publicId: string) {
    if (!PUBLIC_ID.test(publicId)) return undefined;
    const survivor = (await survivorsOf(this.#db, [publicId])).get(publicId);
    if (survivor === undefined) return undefined;
    if (survivor.publicId !== publicId) throw new MergedStory(survivor.publicId);
    const [story, corrections, coverage, reports] = await Promise.all([
      this.#story(publicId),
      correctionsOf(this.#db, [publicId]),
      this.#coverage(publicId),
      this.#reports(publicId),
    ]);
    const [newest] = reports;
    if (story === undefined || newest === undefined) return undefined;
    const neighbors = await this.#neighbors(publicId);
    return { story, correction: corrections.get(publicId), coverage, newest, reports, ...neighbors };
  }

  #story(publicId: string) {
    return this.#db
      .selectFrom('news.story')
      .select(['public_id', 'title', 'status', 'digest', 'digest_updated_at'])
      .where('public_id', '=', publicId)
      .executeTakeFirst();
  }

  #coverage(publicId: string) {
    return this.#db
      .selectFrom('news.item')
      .select(({ fn }) => [
        fn.countAll<number>().as('reports'),
        fn.count<number>('source_name').distinct().as('sources'),
        fn.min('published_at').as('first'),
      ])
      .where('story', '=', publicId)
      .where('withdrawn_at', 'is', null)
      .executeTakeFirstOrThrow();
  }

  #reports(publicId: string) {
    return this.#db
      .selectFrom('news.item')
      .select(['id', 'title', 'summary', 'source_name', 'source_first_party', 'original_url', 'published_at'])
      .select(['image', 'language', 'correction', 'corrected_at'])
      .where('story', '=', publicId)
      .where('withdrawn_at', 'is', null)
      .orderBy('published_at', 'desc')
      .orderBy('id', 'desc')
      .limit(MOST_REPORTS)
      .execute();
  }

  /** References point to survivors, each once, and only to stories that the story endpoint shows. */
  async #neighbors(publicId: string): Promise<{ storyline: Neighbor[]; related: Neighbor[] }> {
    const references = await this.#db
      .selectFrom('news.story_reference')
      .select(['kind', 'neighbor', 'relation'])
      .where('story', '=', publicId)
      .orderBy('position')
      .orderBy('neighbor')
      .execute();
    const survivors = await survivorsOf(
      this.#db,
      references.map(({ neighbor }) => neighbor),
    );
    const neighborsOf = (kind: 'storyline' | 'related') => {
      const neighbors = new Map<string, Neighbor>();
      for (const reference of references) {
        const survivor = survivors.get(reference.neighbor);
        if (reference.kind !== kind || !survivor?.isPublic || survivor.publicId === publicId) continue;
        if (neighbors.has(survivor.publicId)) continue;
        const { title } = survivor;
        neighbors.set(survivor.publicId, {
          publicId: survivor.publicId,
          title,
          relation: reference.relation,
        });
      }
      return [...neighbors.values()];
    };
    return { storyline: neighborsOf('storyline'), related: neighborsOf('related') };
  }
}

/** A story as read from the database. */
type StoryRead = NonNullable<Awaited<ReturnType<StoryStore['read']>>>;

/**
 * Thrown when the requested story has been merged into another one, so that the caller can redirect to it.
 */
class MergedStory extends Error {
  /** The last survivor of the merges. */
  readonly survivor: string;

  constructor(survivor: string) {
    super(`the story has become ${survivor}`);
    this.name = 'MergedStory';
    this.survivor = survivor;
  }
}
