import { replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import type { Server } from '@pressroom/common/http/server';
import { problemResponses } from '@pressroom/common/problems/problem-document';
import { NOT_MODIFIED } from '../bodiless.ts';
import type { Site } from '../site.ts';
import { changesQuery, selectedAnswers, snapshotQuery } from './schema.ts';
import type { SelectedStore } from './store.ts';

/** What the routes of the selected set need. */
export interface SelectedRoutes {
  selected: SelectedStore;
  site: Site;
  cache: RepresentationCache;
}

const TAGS = ['selected'];
const SNAPSHOT_CACHE = 'public, max-age=300, s-maxage=300, stale-while-revalidate=900';
const CHANGES_CACHE = 'public, max-age=60, s-maxage=60, stale-while-revalidate=60';

/** `/api/v1/selected`: the whole set once, then what has changed (`docs/spec/news-feed.md`, "Endpoints"). */
export function addSelectedRoutes(app: Server, { selected, site, cache }: SelectedRoutes): void {
  const answers = selectedAnswers(site);
  const others = { ...NOT_MODIFIED, ...problemResponses(400, 403, 405, 409, 429, 503) };

  app.get(
    '/api/v1/selected/snapshot',
    {
      schema: {
        tags: TAGS,
        summary: 'Read the selected set once, page by page',
        description: 'Follow `nextPage` while `hasMore` is true; then ask for the changes since `cursor`.',
        querystring: snapshotQuery,
        response: { 200: answers.snapshot, ...others },
      },
    },
    (request, reply) => {
      const load = () => selected.snapshot(request.query);
      return replyConditionally(request, reply, { cacheControl: SNAPSHOT_CACHE, cache, load });
    },
  );

  app.get(
    '/api/v1/selected/changes',
    {
      schema: {
        tags: TAGS,
        summary: 'Read what has changed in the selected set since a cursor',
        description:
          'Apply the changes, then save the new cursor, never the reverse. Each item appears at its latest change,' +
          ' as it is now. A removal may name an item that you do not have. 409 `snapshot_required` alone means that' +
          ' you have to begin again.',
        querystring: changesQuery,
        response: { 200: answers.changes, ...others },
      },
    },
    (request, reply) => {
      const load = () => selected.changes(request.query);
      return replyConditionally(request, reply, { cacheControl: CHANGES_CACHE, cache, load });
    },
  );
}
