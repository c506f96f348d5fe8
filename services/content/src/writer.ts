import { writePrecondition } from '@pressroom/common/caching/conditional';
import type { FastifyRequest } from 'fastify';
import { mayWriteAll, type Permitted, requireArticle } from './api-keys/scope.ts';
import type { Writer } from './articles/store.ts';
import { actorOf, ownerOf } from './senders.ts';

/**
 * Who writes an article with this request, and the checks of the article that it finds: that the key may
 * change it, as it is and as `body` makes it, and `If-Match`.
 */
export function writerOf(request: FastifyRequest, body: Permitted): Writer {
  const [owner, condition] = [ownerOf(request), writePrecondition(request)];
  const actor = actorOf(request);
  if (condition === undefined && mayWriteAll(owner)) return { actor };
  return {
    actor,
    precondition: (own, article) => {
      requireArticle(owner, article);
      requireArticle(owner, { ...article, ...body });
      condition?.(own);
    },
  };
}
