import {
  type Loaded,
  PRIVATE,
  type ReplyOf,
  replyConditionally,
} from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import type { FastifyRequest, FastifySchema } from 'fastify';
import type { Reader } from './articles/store.ts';
import { readerOf } from './senders.ts';

/** `Cache-Control` of public answers (`docs/spec/wire.md`, "Content"). */
const PUBLIC = 'public, max-age=0, s-maxage=60, stale-while-revalidate=60';

/** What a read depends on in addition to its URL. */
const VARY = 'X-API-Key, Authorization';

/**
 * Answers a read. An anonymous read may come from the cache and may be cached by anyone; a read with a key is
 * private. Throws 403 for an invalid key.
 */
export function replyToReader<Schema extends FastifySchema>(
  request: FastifyRequest,
  reply: ReplyOf<Schema>,
  cache: RepresentationCache,
  load: (reader: Reader) => Promise<Loaded<NoInfer<Schema>>>,
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
