import { hash } from 'node:crypto';
import { replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { z } from 'zod';
import type { HotTopicStore } from './hot-topics.ts';
import type { ItemStore } from './items-store.ts';
import { body, CACHE_CONTROL, success } from './site.ts';

/** The dependencies of the operation on the fingerprint. */
interface FingerprintParts {
  items: ItemStore;
  hotTopics: HotTopicStore;
  cache: RepresentationCache;
}

/** The fingerprint covers this many of the newest items, selected or not. */
const NEWEST = 100;

const fingerprint = z.string().describe('Opaque; compare it with an earlier one.');

const answer = body({
  items: fingerprint.describe(`Changes when one of the ${NEWEST} newest items or selected items does.`),
  hotTopics: fingerprint.describe('Changes when the hot topics do.'),
});

/** The operation on the fingerprint: what tells a client that a list has changed, in one short answer. */
export function fingerprintOperations({ items, hotTopics, cache }: FingerprintParts) {
  const read = operation({
    schema: {
      tags: ['items'],
      operationId: 'getFingerprint',
      summary: 'Read what changes when the items or the hot topics do',
      description:
        'Two opaque texts. A page that shows items asks here, and for the lists only when one of the' +
        ' texts has changed.',
      response: { 200: answer, ...NOT_MODIFIED, ...problemResponses(400, 403, 405, 429, 503) },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: CACHE_CONTROL.items,
        cache,
        load: async () => {
          const pageOf = (mode: 'selected' | 'all') =>
            items.page({ mode, window: '7d', by: 'timeline', limit: NEWEST });
          const [selected, all, topics] = await Promise.all([
            pageOf('selected'),
            pageOf('all'),
            hotTopics.list({}),
          ]);
          const value = success({
            items: fingerprintOf([selected.items, all.items]),
            hotTopics: fingerprintOf(topics),
          });
          const expiry = Math.min(selected.expiresAt.getTime(), all.expiresAt.getTime());
          return { value, expiresAt: new Date(expiry) };
        },
      }),
  });
  return { read };
}

function fingerprintOf(rows: unknown): string {
  return hash('sha256', JSON.stringify(rows), 'base64url').slice(0, 22);
}
