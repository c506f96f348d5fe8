import {
  type Loaded,
  PRIVATE,
  type ReplyOf,
  replyConditionally,
} from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { bodiless } from '@pressroom/common/http/bodiless';
import type { FastifyRequest, FastifySchema } from 'fastify';
import type { Reader } from './articles/detail.ts';
import { MovedSlug } from './moved-slug.ts';
import { hasKey, readerOf } from './senders.ts';

/** `Cache-Control` of public answers (`docs/spec/wire.md`, "Content"). */
const PUBLIC = 'public, max-age=0, s-maxage=60, stale-while-revalidate=60';

/** The last segment of a path, with or without a query string after it. */
const LAST_SEGMENT = /[^/?]+(?=\?|$)/;

/** What a read depends on in addition to its URL. */
const VARY = 'X-API-Key, Authorization';

/**
 * Answers a read. An anonymous read may come from the cache and may be cached by anyone; a read with a key,
 * or with the token of a preview, is private. Throws 403 for an invalid key.
 */
export function replyToReader<Schema extends FastifySchema>(
  request: FastifyRequest,
  reply: ReplyOf<Schema>,
  cache: RepresentationCache,
  load: (reader: Reader) => Promise<Loaded<NoInfer<Schema>>>,
  preview?: string,
) {
  const reader = { ...readerOf(request), preview };
  return replyConditionally(request, reply, {
    cacheControl: lifetimeFor(request, preview),
    vary: VARY,
    cache: isPrivate(request, preview) ? undefined : cache,
    load: () => load(reader),
  });
}

/** Answers a read that needs a key. */
export function replyPrivately<Schema extends FastifySchema>(
  request: FastifyRequest,
  reply: ReplyOf<Schema>,
  load: () => Promise<Loaded<NoInfer<Schema>>>,
) {
  return replyConditionally(request, reply, { cacheControl: PRIVATE, vary: VARY, cache: undefined, load });
}

function isPrivate(request: FastifyRequest, preview: string | undefined): boolean {
  return hasKey(request) || preview !== undefined;
}

function lifetimeFor(request: FastifyRequest, preview: string | undefined): string {
  return isPrivate(request, preview) ? PRIVATE : PUBLIC;
}

/** The 308 of a former slug, for the OpenAPI description. */
export const MOVED = { 308: bodiless('It has another slug by now: `Location` is its address.') } as const;

/**
 * Answers a read by slug like {@link replyToReader}; where `load` throws {@link MovedSlug}, with 308 to the
 * same read by the current slug, whatever its conditions (RFC 9110, section 13.2.1).
 */
export async function replyBySlug<Schema extends FastifySchema>(
  request: FastifyRequest,
  reply: ReplyOf<Schema>,
  cache: RepresentationCache,
  load: (reader: Reader) => Promise<Loaded<NoInfer<Schema>>>,
  preview?: string,
) {
  try {
    await replyToReader(request, reply, cache, load, preview);
  } catch (error) {
    if (!(error instanceof MovedSlug)) throw error;
    const location = request.url.replace(LAST_SEGMENT, error.slug);
    const headers = { 'cache-control': lifetimeFor(request, preview), vary: VARY };
    reply.headers(headers).redirect(location, 308);
  }
  return reply;
}
