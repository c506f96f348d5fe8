import { PRIVATE, replyConditionally } from '@pressroom/common/conditional';
import type { RepresentationCache } from '@pressroom/common/representation-cache';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** `Cache-Control` of what anybody may read (`wire.md`, "Content"). */
const PUBLIC = 'public, max-age=0, s-maxage=60, stale-while-revalidate=60';

/** What a read depends on beside its URL. */
const VARY = 'X-API-Key, Authorization';

/** Answers a read: from the cache and for all to keep when it is anonymous, for the reader alone with a key. */
export function replyToReader(
  request: FastifyRequest,
  reply: FastifyReply,
  cache: RepresentationCache,
  load: () => Promise<unknown>,
) {
  reply.header('vary', VARY);
  const anonymous = request.sender.kind === 'anonymous';
  return replyConditionally(request, reply, {
    cacheControl: anonymous ? PUBLIC : PRIVATE,
    cache: anonymous ? cache : undefined,
    load,
  });
}
