import { PRIVATE, writePrecondition } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import type { Server } from '@pressroom/common/http/server';
import { problemResponses } from '@pressroom/common/problems/problem-document';
import type { FastifyRequest } from 'fastify';
import { KEY_SECURITY, requireKey } from '../api-keys/routes.ts';
import { deletedAnswer } from '../articles/schema.ts';
import { type Page, success, successPage } from '../envelope.ts';
import { replyToReader } from '../reading.ts';
import {
  categoryCreate,
  categoryDetailAnswer,
  categoryDetailQuery,
  categoryListAnswer,
  categoryPatch,
  categoryPatchAnswer,
  categoryPath,
  categoryPut,
  categoryWrittenAnswer,
} from './schema.ts';
import type { CategoryPage, CategoryPrecondition, CategoryStore } from './store.ts';

/** What the category routes need. */
export interface CategoryRoutes {
  categories: CategoryStore;
  cache: RepresentationCache;
  /** Called after a write has been committed: nothing read before it may be served again here. */
  changed: () => void;
}

const TAGS = ['categories'];
const WRITE_PROBLEMS = problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 500, 503);

/** `/api/categories`: public reads, writes with a key (`content.md`, "Endpoints"). */
export function addCategoryRoutes(app: Server, routes: CategoryRoutes): void {
  addReads(app, routes);
  addCreate(app, routes);
  addUpdates(app, routes);
  addDelete(app, routes);
}

/** What a GET of a category answers. */
function detailAnswer({ category, total }: CategoryPage, page: Page = { page: 1, perPage: 20 }) {
  return successPage('Category found', category, page, total);
}

/** `If-Match` names what a GET of the category without a query string answers. */
function precondition(request: FastifyRequest): CategoryPrecondition | undefined {
  return writePrecondition(request, categoryDetailAnswer, (current: CategoryPage) => detailAnswer(current));
}

function addReads(app: Server, { categories, cache }: CategoryRoutes): void {
  app.get(
    '/api/categories',
    {
      schema: {
        tags: TAGS,
        summary: 'List all categories with their numbers of published articles',
        response: { 200: categoryListAnswer, ...problemResponses(400, 403, 429, 503) },
      },
    },
    (request, reply) =>
      replyToReader(request, reply, cache, async () => success('Categories found', await categories.list())),
  );

  app.get(
    '/api/categories/:id',
    {
      schema: {
        tags: TAGS,
        summary: 'Read a category with a page of its published articles, newest first',
        params: categoryPath,
        querystring: categoryDetailQuery,
        response: { 200: categoryDetailAnswer, ...problemResponses(400, 403, 404, 429, 503) },
      },
    },
    (request, reply) => {
      const page = { page: request.query.page, perPage: request.query.per_page };
      return replyToReader(request, reply, cache, async () =>
        detailAnswer(await categories.read(request.params.id, page), page),
      );
    },
  );
}

function addCreate(app: Server, { categories, changed }: CategoryRoutes): void {
  app.post(
    '/api/categories',
    {
      preParsing: requireKey,
      schema: {
        tags: TAGS,
        summary: 'Create a category',
        security: KEY_SECURITY,
        body: categoryCreate,
        response: { 201: categoryWrittenAnswer, ...WRITE_PROBLEMS },
      },
    },
    async (request, reply) => {
      const category = await categories.create(request.body);
      changed();
      return reply.code(201).header('cache-control', PRIVATE).send(success('Category created', category));
    },
  );
}

function addUpdates(app: Server, { categories, changed }: CategoryRoutes): void {
  const shared = { tags: TAGS, security: KEY_SECURITY, params: categoryPath };
  app.put(
    '/api/categories/:id',
    {
      preParsing: requireKey,
      schema: {
        ...shared,
        summary: 'Replace a category; an absent slug is made from the name',
        body: categoryPut,
        response: { 200: categoryWrittenAnswer, ...WRITE_PROBLEMS },
      },
    },
    async (request, reply) => {
      const { category } = await categories.replace(request.params.id, request.body, precondition(request));
      changed();
      return reply.header('cache-control', PRIVATE).send(success('Category updated', category));
    },
  );

  app.patch(
    '/api/categories/:id',
    {
      preParsing: requireKey,
      schema: {
        ...shared,
        summary: 'Change some members of a category',
        description:
          'Answers with `id` and exactly the members that changed; `updated_at` always does and is left out.',
        body: categoryPatch,
        response: { 200: categoryPatchAnswer, ...WRITE_PROBLEMS },
      },
    },
    async (request, reply) => {
      const { changes } = await categories.update(request.params.id, request.body, precondition(request));
      changed();
      return reply.header('cache-control', PRIVATE).send(success('Category updated', changes));
    },
  );
}

function addDelete(app: Server, { categories, changed }: CategoryRoutes): void {
  app.delete(
    '/api/categories/:id',
    {
      preParsing: requireKey,
      schema: {
        tags: TAGS,
        summary: 'Delete a category; 409 while articles, drafts included, are in it',
        security: KEY_SECURITY,
        params: categoryPath,
        response: { 200: deletedAnswer, ...problemResponses(400, 401, 403, 404, 409, 412, 429, 503) },
      },
    },
    async (request, reply) => {
      await categories.delete(request.params.id, precondition(request));
      changed();
      return reply.header('cache-control', PRIVATE).send(success('Category deleted', null));
    },
  );
}
