import { replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { CACHE_CONTROL } from '../cache-control.ts';
import type { Site } from '../site.ts';
import { changesQuery, selectedAnswers, snapshotQuery } from './schema.ts';
import type { SelectedStore } from './store.ts';

/** The dependencies of the operations on the selected set. */
export interface SelectedParts {
  selected: SelectedStore;
  site: Site;
  cache: RepresentationCache;
}

const TAGS = ['selected'];

/**
 * The operations on the selected set: a snapshot, then its changes (`docs/spec/news-feed.md`,
 * "Endpoints").
 */
export function selectedOperations({ selected, site, cache }: SelectedParts) {
  const answers = selectedAnswers(site);
  const others = { ...NOT_MODIFIED, ...problemResponses(400, 403, 405, 409, 429, 503) };
  const snapshot = operation({
    schema: {
      tags: TAGS,
      operationId: 'getSelectedSnapshot',
      summary: 'Read the selected set once, page by page',
      description: 'Follow `nextPage` while `hasMore` is true, then request the changes since `cursor`.',
      querystring: snapshotQuery,
      response: { 200: answers.snapshot, ...others },
    },
    handler: (request, reply) => {
      const load = async () => ({ value: await selected.snapshot(request.query) });
      return replyConditionally(request, reply, { cacheControl: CACHE_CONTROL.snapshot, cache, load });
    },
  });
  const changes = operation({
    schema: {
      tags: TAGS,
      operationId: 'listSelectedChanges',
      summary: 'Read the changes of the selected set since a cursor',
      description:
        'Apply the changes first, then save the new cursor. Each item appears at its latest change,' +
        ' as it is now. A removal may name an item that you do not have. Only 409 `snapshot_required` means that' +
        ' you must start again from the snapshot.',
      querystring: changesQuery,
      response: { 200: answers.changes, ...others },
    },
    handler: (request, reply) => {
      const load = async () => ({ value: await selected.changes(request.query) });
      return replyConditionally(request, reply, { cacheControl: CACHE_CONTROL.changes, cache, load });
    },
  });
  return { snapshot, changes };
}
