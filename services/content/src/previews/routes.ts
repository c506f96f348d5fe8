import { PRIVATE } from '@pressroom/common/caching/conditional';
import { NOT_MODIFIED } from '@pressroom/common/http/bodiless';
import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem-document';
import type { FastifyRequest } from 'fastify';
import { requireCategory } from '../api-keys/scope.ts';
import { articlePath, deletedAnswer } from '../articles/schema.ts';
import { success } from '../envelope.ts';
import { replyPrivately } from '../reading.ts';
import { actorOf, ownerOf } from '../senders.ts';
import { tellOfWrite } from '../writing.ts';
import { previewCreate, previewCreatedAnswer, previewListAnswer, previewPath } from './schema.ts';
import type { ArticleCheck, Preview, PreviewStore } from './store.ts';

const TAGS = ['previews'];
const HEADERS = { 'cache-control': PRIVATE };

/** The operations on previews: links to one article, published or not. */
export function previewOperations(previews: PreviewStore) {
  const create = operation({
    schema: {
      tags: TAGS,
      operationId: 'createPreview',
      summary: 'Make a link that shows one article as last saved, to whoever has it',
      params: articlePath,
      body: previewCreate,
      response: {
        201: previewCreatedAnswer,
        ...problemResponses(400, 401, 403, 404, 409, 413, 415, 422, 429, 503),
      },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const made = await previews.create(id, request.body.expires_in, actorOf(request), permission(request));
      tellOfWrite(request, 'preview_created', { article: id, preview: made.id });
      return reply
        .code(201)
        .headers({ ...HEADERS, location: `/api/articles/${id}/previews/${made.id}` })
        .send(success('Preview created', { ...shown(made), token: made.token }));
    },
  });
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listPreviews',
      summary: 'List the links of an article that work, the newest first',
      params: articlePath,
      response: {
        200: previewListAnswer,
        ...NOT_MODIFIED,
        ...problemResponses(400, 401, 403, 404, 429, 503),
      },
    },
    handler: (request, reply) => {
      const check = permission(request);
      return replyPrivately(request, reply, async () => {
        const found = await previews.list(request.params.id, check);
        return { value: success('Previews found', found.map(shown)), subjects: [] };
      });
    },
  });
  const revoke = operation({
    schema: {
      tags: TAGS,
      operationId: 'revokePreview',
      summary: 'Revoke a link',
      params: previewPath,
      response: { 200: deletedAnswer, ...problemResponses(400, 401, 403, 404, 429, 503) },
    },
    handler: async (request, reply) => {
      const { id, preview_id: preview } = request.params;
      await previews.revoke(id, preview, actorOf(request), permission(request));
      tellOfWrite(request, 'preview_deleted', { article: id, preview });
      return reply.headers(HEADERS).send(success('Preview revoked', null));
    },
  });
  return { create, list, revoke };
}

/** A key for one category shows no drafts of others. */
function permission(request: FastifyRequest): ArticleCheck {
  const owner = ownerOf(request);
  return (article) => requireCategory(owner, article);
}

function shown({ id, created_at, expires_at }: Preview) {
  return { id, created_at: created_at.toISOString(), expires_at: expires_at.toISOString() };
}
