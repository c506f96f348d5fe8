import { NOT_MODIFIED } from '@pressroom/common/http/bodiless';
import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem-document';
import { requireArticle } from '../api-keys/scope.ts';
import { articlePath } from '../articles/schema.ts';
import { subjectsOfChange } from '../articles/subjects.ts';
import { success, successCursorPage } from '../envelope.ts';
import { replyPrivately } from '../reading.ts';
import { membersOfJson } from '../row-as-json.ts';
import { actorOf, ownerOf } from '../senders.ts';
import { tellOfWrite, writtenHeaders } from '../writing.ts';
import { keyOf } from '../written-by.ts';
import { articleRestore, articleRestoredAnswer, deletedArticle, trashAnswer, trashQuery } from './schema.ts';
import type { DeletedArticle, Trash } from './store.ts';

const TAGS = ['articles'];

/** The operations on deleted articles; `changed` as in `ArticleParts`. */
export function trashOperations(trash: Trash, changed: (subjects?: ReadonlySet<string>) => void) {
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listDeletedArticles',
      summary: 'List the deleted articles that can be restored, the last deleted first',
      querystring: trashQuery,
      response: { 200: trashAnswer, ...NOT_MODIFIED, ...problemResponses(400, 401, 403, 429, 503) },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => {
        const { per_page: perPage, cursor } = request.query;
        const found = await trash.list(perPage, cursor);
        const page = { cursorOf: ({ number }: DeletedArticle) => number, shown };
        return { value: successCursorPage('Deleted articles found', found, perPage, page), subjects: [] };
      }),
  });
  const restore = operation({
    schema: {
      tags: TAGS,
      operationId: 'restoreArticle',
      summary: 'Bring a deleted article back as it was',
      description:
        'With its id, slugs, dates, tags and revisions, published if it was, unless the body says otherwise or its' +
        ' `unpublish_at` has passed; `updated_at` is new. Repeating it changes nothing.',
      params: articlePath,
      responseHeaders: { 200: ['ETag'] },
      body: articleRestore,
      response: {
        200: articleRestoredAnswer,
        ...problemResponses(400, 401, 403, 404, 413, 415, 422, 429, 503),
      },
    },
    handler: async (request, reply) => {
      const owner = ownerOf(request);
      const { id } = request.params;
      const restorer = {
        actor: actorOf(request),
        check: (article: Parameters<typeof requireArticle>[1]) => requireArticle(owner, article),
      };
      const { article, own, category_id, repeated } = await trash.restore(id, request.body ?? {}, restorer);
      // The first one may have reached another replica, whose notification may still be on its way.
      changed(repeated ? undefined : subjectsOfChange({ id, categories: [category_id] }));
      if (!repeated) tellOfWrite(request, 'article_restored', { article: id });
      return reply.headers(writtenHeaders(own)).send(success('Article restored', article));
    },
  });
  return { list, restore };
}

function shown({ deleted_at, deleted_by, key_name, members }: DeletedArticle) {
  const key = keyOf(deleted_by, key_name);
  return deletedArticle.parse({ ...membersOfJson(members), deleted_at: deleted_at.toISOString(), key });
}
