import { PRIVATE, writePrecondition } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import type { Server } from '@pressroom/common/http/server';
import { problemResponses } from '@pressroom/common/problems/problem-document';
import type { FastifyRequest } from 'fastify';
import { KEY_SECURITY, ownerOf, requireKey } from '../api-keys/routes.ts';
import { success, successPage } from '../envelope.ts';
import { idempotencyKey } from '../idempotency-key.ts';
import { replyToReader } from '../reading.ts';
import {
  type ArticleDetail,
  articleCreate,
  articleCreatedAnswer,
  articleDetailAnswer,
  articleListAnswer,
  articleListQuery,
  articlePatch,
  articlePatchAnswer,
  articlePath,
  articlePut,
  articlePutAnswer,
  deletedAnswer,
} from './schema.ts';
import type { ArticleStore, Precondition } from './store.ts';

/** What the article routes need. */
export interface ArticleRoutes {
  articles: ArticleStore;
  cache: RepresentationCache;
  /** Throws 422 for content that can run code; lets all pass where HTML is trusted. */
  checkHtml: (content: string | undefined) => void;
  /** Called after a write has been committed: nothing read before it may be served again here. */
  changed: () => void;
}

const TAGS = ['articles'];
const WRITE_PROBLEMS = problemResponses(400, 401, 403, 404, 412, 413, 415, 422, 429, 500, 503);

/** `/api/articles`: public reads, writes with a key (`docs/spec/content.md`, "Endpoints"). */
export function addArticleRoutes(app: Server, routes: ArticleRoutes): void {
  addReads(app, routes);
  addCreate(app, routes);
  addUpdates(app, routes);
  addDelete(app, routes);
}

/** What a GET of an article answers. */
function detailAnswer(article: ArticleDetail) {
  return success('Article found', article);
}

function precondition(request: FastifyRequest): Precondition | undefined {
  return writePrecondition(request, articleDetailAnswer, detailAnswer);
}

function addReads(app: Server, { articles, cache }: ArticleRoutes): void {
  app.get(
    '/api/articles',
    {
      schema: {
        tags: TAGS,
        summary: 'List articles, newest first',
        querystring: articleListQuery,
        response: { 200: articleListAnswer, ...problemResponses(400, 401, 403, 429, 503) },
      },
    },
    (request, reply) => {
      const { page, per_page: perPage, category_id: categoryId, status } = request.query;
      if (status !== 'published') ownerOf(request);
      return replyToReader(request, reply, cache, async () => {
        const list = await articles.list({ status, categoryId }, { page, perPage });
        return successPage('Articles found', list.articles, { page, perPage }, list.total);
      });
    },
  );

  app.get(
    '/api/articles/:id',
    {
      schema: {
        tags: TAGS,
        summary: 'Read an article; drafts only with a key',
        params: articlePath,
        response: { 200: articleDetailAnswer, ...problemResponses(400, 403, 404, 429, 503) },
      },
    },
    (request, reply) =>
      replyToReader(request, reply, cache, async (reader) =>
        detailAnswer(await articles.read(request.params.id, reader)),
      ),
  );
}

function addCreate(app: Server, { articles, checkHtml, changed }: ArticleRoutes): void {
  app.post(
    '/api/articles',
    {
      preParsing: requireKey,
      schema: {
        tags: TAGS,
        summary: 'Create an article',
        description:
          'With an Idempotency-Key (1–255 visible ASCII characters), a repeated request creates nothing and answers' +
          ' with the article of the first one and `Idempotent-Replayed: true`.',
        security: KEY_SECURITY,
        body: articleCreate,
        response: { 201: articleCreatedAnswer, ...WRITE_PROBLEMS },
      },
    },
    async (request, reply) => {
      checkHtml(request.body.content);
      const body = { ...request.body, author: request.body.author ?? ownerOf(request).name };
      const { article, repeated } = await articles.create(body, idempotencyKey(request));
      changed();
      if (repeated) reply.header('idempotent-replayed', 'true');
      return reply.code(201).header('cache-control', PRIVATE).send(success('Article created', article));
    },
  );
}

function addUpdates(app: Server, { articles, checkHtml, changed }: ArticleRoutes): void {
  const update = { preParsing: requireKey };
  const shared = { tags: TAGS, security: KEY_SECURITY, params: articlePath };
  app.put(
    '/api/articles/:id',
    {
      ...update,
      schema: {
        ...shared,
        summary: 'Replace an article: every member, null where optional',
        body: articlePut,
        response: { 200: articlePutAnswer, ...WRITE_PROBLEMS },
      },
    },
    async (request, reply) => {
      checkHtml(request.body.content);
      const { article } = await articles.update(request.params.id, request.body, precondition(request));
      changed();
      return reply.header('cache-control', PRIVATE).send(success('Article updated', article));
    },
  );

  app.patch(
    '/api/articles/:id',
    {
      ...update,
      schema: {
        ...shared,
        summary: 'Change some members of an article',
        description:
          'Answers with `id` and exactly the members that changed; `updated_at` always does and is left out.',
        body: articlePatch,
        response: { 200: articlePatchAnswer, ...WRITE_PROBLEMS },
      },
    },
    async (request, reply) => {
      checkHtml(request.body.content);
      const { changes } = await articles.update(request.params.id, request.body, precondition(request));
      changed();
      return reply.header('cache-control', PRIVATE).send(success('Article updated', changes));
    },
  );
}

function addDelete(app: Server, { articles, changed }: ArticleRoutes): void {
  app.delete(
    '/api/articles/:id',
    {
      preParsing: requireKey,
      schema: {
        tags: TAGS,
        summary: 'Delete an article',
        security: KEY_SECURITY,
        params: articlePath,
        response: { 200: deletedAnswer, ...problemResponses(400, 401, 403, 404, 412, 429, 503) },
      },
    },
    async (request, reply) => {
      await articles.delete(request.params.id, precondition(request));
      changed();
      return reply.header('cache-control', PRIVATE).send(success('Article deleted', null));
    },
  );
}
