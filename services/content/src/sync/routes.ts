import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { NOT_MODIFIED } from '@pressroom/common/http/bodiless';
import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem-document';
import { ARTICLES } from '../articles/subjects.ts';
import { success } from '../envelope.ts';
import { replyToReader } from '../reading.ts';
import { changesAnswer, changesQuery, snapshotAnswer, snapshotQuery } from './schema.ts';
import type { SyncStore } from './store.ts';

/** The dependencies of the operations of copies. */
export interface SyncParts {
  sync: SyncStore;
  cache: RepresentationCache;
}

const TAGS = ['sync'];

const OTHERS = { ...NOT_MODIFIED, ...problemResponses(400, 403, 409, 429, 503) };

/** The operations of who keeps a copy of what is published: a snapshot, then its changes. */
export function syncOperations({ sync, cache }: SyncParts) {
  const snapshot = operation({
    schema: {
      tags: TAGS,
      operationId: 'getSyncSnapshot',
      summary: 'Read everything that is published once, page by page',
      description:
        'Categories, tags and authors come first, then articles. Follow `meta.next_page` until it is null, then request the changes since `meta.cursor`.',
      querystring: snapshotQuery,
      response: { 200: snapshotAnswer, ...OTHERS },
    },
    handler: (request, reply) =>
      replyToReader(request, reply, cache, async () => {
        const { items, meta } = await sync.snapshot(request.query);
        return { value: { ...success('Snapshot found', items), meta }, subjects: [ARTICLES] };
      }),
  });
  const changes = operation({
    schema: {
      tags: TAGS,
      operationId: 'listSyncChanges',
      summary: 'Read what has changed since a cursor',
      description:
        'Apply the changes first, then save the new cursor. Each item appears at its latest change, as it is now;' +
        ' an article that is no longer published is removed. A removal may name an item that you do not have. Only' +
        ' 409 `snapshot_required` means that you must start again from the snapshot.',
      querystring: changesQuery,
      response: { 200: changesAnswer, ...OTHERS },
    },
    handler: (request, reply) =>
      replyToReader(request, reply, cache, async () => {
        const { changes, meta } = await sync.changes(request.query);
        return { value: { ...success('Changes found', changes), meta }, subjects: [ARTICLES] };
      }),
  });
  return { snapshot, changes };
}
