import { PRIVATE, replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Reader } from './articles/store.ts';
import { readerOf } from './senders.ts';

/** `Cache-Control` of what anybody may read (`docs/spec/wire.md`, "Content"). */
const PUBLIC = 'public, max-age=0, s-maxage=60, stale-while-revalidate=60';

/** What a read depends on besides its URL. */
const VARY = 'X-API-Key, Authorization';

/**
 * Answers a read: from the cache and for all to keep when it is anonymous, for the reader alone with a key. Throws 403
 * for a key that opens nothing.
 */
export function replyToReader(
  request: FastifyRequest,
  reply: FastifyReply,
  cache: RepresentationCache,
  load: (reader: Reader) => Promise<unknown>,
) {
  const reader = readerOf(request);
  const anonymous = !reader.seesDrafts;
  return replyConditionally(request, reply, {
    cacheControl: anonymous ? PUBLIC : PRIVATE,
    vary: VARY,
    cache: anonymous ? cache : undefined,
    load: () => load(reader),
  });
}
