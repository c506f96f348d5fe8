import { PRIVATE } from '@pressroom/common/caching/conditional';
import { writtenTag } from '@pressroom/common/caching/entity-tag';
import { withoutApiKeys } from '@pressroom/common/log/hidden-keys';
import type { FastifyRequest } from 'fastify';
import { ownerOf } from './senders.ts';
import type { TermKind } from './terms/kind.ts';

/** What is written. */
type Noun = 'article' | 'preview' | 'release' | 'working_copy' | TermKind['noun'];

/** What a write did. */
type WriteEvent = `${Noun}_${'created' | 'updated' | 'deleted' | 'restored'}`;

/**
 * The headers of the answer to a write: it is not cached, and its `ETag` is for the `If-Match` of the next
 * write.
 *
 * @param own what {@link Stateful.own} of the GET would have
 */
export function writtenHeaders(own: object): Record<'cache-control' | 'etag', string> {
  return { 'cache-control': PRIVATE, etag: writtenTag(own) };
}

/** Logs who wrote what, by the public prefix of the key. */
export function tellOfWrite(
  request: FastifyRequest,
  event: WriteEvent,
  object: { [Name in Noun]?: number | string },
): void {
  const requestId = withoutApiKeys(request.id);
  request.log.info({ requestId, key: ownerOf(request).prefix, ...object }, event);
}
