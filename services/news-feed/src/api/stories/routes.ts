import { replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { bodiless, NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { notFound, problemResponses } from '@pressroom/common/problems/problem';
import type { Kysely } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { ApiAddress } from '../api-address.ts';
import { CACHE_CONTROL } from '../cache-control.ts';
import { illustration } from '../items/representation.ts';
import type { Site } from '../site.ts';
import { success } from '../wire.ts';
import { listStories, type StoryPage } from './list.ts';
import { MergedStory } from './merged-story.ts';
import { storiesAnswer, storiesQuery, storyAnswer, storyPath } from './schema.ts';
import { type Neighbor, type StoryRead, StoryStore } from './store.ts';

/** The dependencies of the operation on stories. */
export interface StoryParts {
  db: Kysely<NewsTables>;
  /** Whether the deployment shows stories; if not, all of them are 404. */
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

function listOperation({ db, showsStories, cache, site }: StoryParts) {
  return operation({
    schema: {
      tags: ['stories'],
      operationId: 'listStories',
      summary: 'List the stories, that with the newest report first',
      querystring: storiesQuery,
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
          const { stories, nextCursor } = showsStories ? await listStories(db, request.query) : NO_STORIES;
          const items = stories.map((story) => ({
            publicId: story.public_id,
            title: story.title,
            status: story.status,
            reportCount: story.reports,
            latestAt: story.latest_at.toISOString(),
            latest: story.latest,
            digest: story.digest,
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
  { story, coverage, newest, reports, storyline, related }: StoryRead,
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
