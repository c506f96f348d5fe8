import { replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import type { Server } from '@pressroom/common/http/server';
import { notFound } from '@pressroom/common/problems/problem';
import { problemResponses } from '@pressroom/common/problems/problem-document';
import { bodiless, NOT_MODIFIED } from '../bodiless.ts';
import { CACHE_CONTROL } from '../cache-control.ts';
import type { Site } from '../site.ts';
import { success } from '../wire.ts';
import { MergedStory } from './merged-story.ts';
import { storyAnswer, storyPath } from './schema.ts';
import type { Neighbor, StoryRead, StoryStore } from './store.ts';

/** What the route of the stories needs. */
export interface StoryRoutes {
  /** Undefined where the deployment shows no stories: then none is known. */
  stories: StoryStore | undefined;
  cache: RepresentationCache;
  site: Site;
}

/** The 308 of a merged story, for the OpenAPI description. */
const MERGED = { 308: bodiless('Merged: `Location` is the surviving story.') } as const;

/** `/api/v1/stories/{publicId}`: an event with everything that is reported on it (`docs/spec/news-feed.md`, "Endpoints"). */
export function addStoryRoutes(app: Server, { stories, cache, site }: StoryRoutes): void {
  app.get(
    '/api/v1/stories/:publicId',
    {
      schema: {
        tags: ['stories'],
        summary: 'Read a story; use only ids that this API has returned',
        params: storyPath,
        response: {
          200: storyAnswer(site),
          ...NOT_MODIFIED,
          ...MERGED,
          ...problemResponses(400, 403, 404, 405, 429, 503),
        },
      },
    },
    async (request, reply) => {
      try {
        await replyConditionally(request, reply, {
          cacheControl: CACHE_CONTROL.stories,
          cache,
          load: async () => {
            const story = await stories?.read(request.params.publicId);
            if (story === undefined) throw notFound('there is no such story');
            return success({ story: shownStory(story, site) });
          },
        });
      } catch (error) {
        if (!(error instanceof MergedStory)) throw error;
        reply.header('cache-control', CACHE_CONTROL.stories).redirect(apiPath(error.survivor), 308);
      }
      return reply;
    },
  );
}

function apiPath(publicId: string): string {
  return `/api/v1/stories/${encodeURIComponent(publicId)}`;
}

function shownStory({ story, coverage, newest, reports, storyline, related }: StoryRead, site: Site) {
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
    links: { [site.linkName]: site.story(story.public_id) },
    reports: reports.map((report) => shownReport(report, site)),
    storyline: storyline.map((neighbor) => shownNeighbor(neighbor, site)),
    related: related.map((neighbor) => shownNeighbor(neighbor, site)),
  };
}

function shownReport(report: StoryRead['newest'], site: Site) {
  return {
    id: report.id,
    title: report.title,
    summary: report.summary,
    source: { name: report.source_name, firstParty: report.source_first_party },
    publishedAt: report.published_at.toISOString(),
    links: { [site.linkName]: site.item(report.id), original: report.original_url },
  };
}

function shownNeighbor({ publicId, title, relation }: Neighbor, site: Site) {
  return {
    publicId,
    title,
    relation,
    links: { [site.linkName]: site.story(publicId), api: apiPath(publicId) },
  };
}
