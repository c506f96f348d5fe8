import { PRIVATE, writePrecondition } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { NOT_MODIFIED } from '@pressroom/common/http/bodiless';
import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem-document';
import { deletedAnswer } from '../articles/schema.ts';
import { ARTICLES, subjectsOfList } from '../articles/subjects.ts';
import { success, successPage } from '../envelope.ts';
import { replyToReader } from '../reading.ts';
import { tellOfWrite, writtenHeaders } from '../writing.ts';
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
import type { CategoryStore } from './store.ts';

/** The dependencies of the operations on categories. */
export interface CategoryParts {
  categories: CategoryStore;
  cache: RepresentationCache;
  /** Called after each commit: this replica must not serve anything that it read before. */
  changed: () => void;
}

const TAGS = ['categories'];
const CREATE_PROBLEMS = problemResponses(400, 401, 403, 409, 413, 415, 422, 429, 500, 503);
const WRITE_PROBLEMS = problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 500, 503);

/** The operations on categories: public reads, writes with a key (`docs/spec/content.md`, "Endpoints"). */
export function categoryOperations(parts: CategoryParts) {
  return { ...reads(parts), ...writes(parts) };
}

function reads({ categories, cache }: CategoryParts) {
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listCategories',
      summary: 'List all categories with their numbers of published articles',
      response: { 200: categoryListAnswer, ...NOT_MODIFIED, ...problemResponses(400, 403, 429, 503) },
    },
    handler: (request, reply) =>
      replyToReader(request, reply, cache, async () => {
        return { value: success('Categories found', await categories.list()), subjects: [ARTICLES] };
      }),
  });
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getCategory',
      summary: 'Read a category with a page of its published articles, newest first',
      params: categoryPath,
      querystring: categoryDetailQuery,
      response: { 200: categoryDetailAnswer, ...NOT_MODIFIED, ...problemResponses(400, 403, 404, 429, 503) },
    },
    handler: (request, reply) => {
      const page = { page: request.query.page, perPage: request.query.per_page };
      return replyToReader(request, reply, cache, async () => {
        const { category, own, total } = await categories.read(request.params.id, page);
        const value = successPage('Category found', category, page, total);
        return { value, own, subjects: subjectsOfList(category.id) };
      });
    },
  });
  return { list, read };
}

function writes({ categories, changed }: CategoryParts) {
  const create = operation({
    schema: {
      tags: TAGS,
      operationId: 'createCategory',
      summary: 'Create a category',
      responseHeaders: { 201: ['ETag'] },
      body: categoryCreate,
      response: { 201: categoryWrittenAnswer, ...CREATE_PROBLEMS },
    },
    handler: async (request, reply) => {
      const { category, own } = await categories.create(request.body);
      changed();
      tellOfWrite(request, 'category_created', { category: category.id });
      const headers = { ...writtenHeaders(own), location: `/api/categories/${category.id}` };
      return reply.code(201).headers(headers).send(success('Category created', category));
    },
  });
  const replace = operation({
    schema: {
      tags: TAGS,
      operationId: 'replaceCategory',
      summary: 'Replace a category; if the slug is omitted, it is kept',
      params: categoryPath,
      responseHeaders: { 200: ['ETag'] },
      body: categoryPut,
      response: { 200: categoryWrittenAnswer, ...WRITE_PROBLEMS },
    },
    handler: async (request, reply) => {
      const { category, own } = await categories.update(
        request.params.id,
        request.body,
        writePrecondition(request),
      );
      changed();
      tellOfWrite(request, 'category_updated', { category: category.id });
      return reply.headers(writtenHeaders(own)).send(success('Category updated', category));
    },
  });
  const change = operation({
    schema: {
      tags: TAGS,
      operationId: 'updateCategory',
      summary: 'Change some members of a category',
      description:
        'Returns `id` and exactly the members that changed. `updated_at` always changes and is left out.',
      params: categoryPath,
      responseHeaders: { 200: ['ETag'] },
      body: categoryPatch,
      response: { 200: categoryPatchAnswer, ...WRITE_PROBLEMS },
    },
    handler: async (request, reply) => {
      const { changes, own } = await categories.update(
        request.params.id,
        request.body,
        writePrecondition(request),
      );
      changed();
      tellOfWrite(request, 'category_updated', { category: changes.id });
      return reply.headers(writtenHeaders(own)).send(success('Category updated', changes));
    },
  });
  const remove = operation({
    schema: {
      tags: TAGS,
      operationId: 'deleteCategory',
      summary: 'Delete a category; 409 while it contains articles, drafts included',
      params: categoryPath,
      response: { 200: deletedAnswer, ...problemResponses(400, 401, 403, 404, 409, 412, 429, 503) },
    },
    handler: async (request, reply) => {
      await categories.delete(request.params.id, writePrecondition(request));
      changed();
      tellOfWrite(request, 'category_deleted', { category: request.params.id });
      return reply.header('cache-control', PRIVATE).send(success('Category deleted', null));
    },
  });
  return { create, replace, change, remove };
}
