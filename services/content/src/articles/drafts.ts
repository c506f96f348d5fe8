import { Failure } from '@pressroom/common/failures/failure';
import { operation } from '@pressroom/common/http/operation';
import { subjectsOfChange } from '../cache-subjects.ts';
import { success } from '../envelope.ts';
import { checkDraft, logWrite, writtenHeaders } from '../requests.ts';
import { type ArticleParts, CREATE_PROBLEMS, createArticle, WRITE_PROBLEMS } from './articles.ts';
import { articleCreatedAnswer, articlePatchAnswer, articlePath, draftCreate, draftPatch } from './schema.ts';
import type { Writer } from './store.ts';

type DraftParts = Pick<ArticleParts, 'articles' | 'rules' | 'reviews' | 'changed'>;

const TAGS = ['articles'];

/** The operations on drafts as they are written: what an article needs is asked when it is published. */
export function draftOperations(parts: DraftParts) {
  const create = operation({
    schema: {
      tags: TAGS,
      operationId: 'createDraft',
      summary: 'Create a draft of any length, also without a title',
      description: 'Otherwise like `POST /api/articles`.',
      requestHeaders: ['Idempotency-Key'],
      responseHeaders: { 201: ['ETag', 'Idempotent-Replayed'] },
      body: draftCreate,
      response: { 201: articleCreatedAnswer, ...CREATE_PROBLEMS },
    },
    attachValidation: true,
    handler: async (request, reply) => {
      const is_short = await checkDraft(request, parts.rules);
      const { article, headers } = await createArticle(parts, request, { ...request.body, is_short });
      return reply.code(201).headers(headers).send(success('Article created', article));
    },
  });
  return { create, change: changing(parts) };
}

function changing({ articles, rules, reviews, changed }: DraftParts) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'updateDraft',
      summary: 'Change some members of a draft, which may become as short as it likes',
      description: 'Otherwise like `PATCH /api/articles/{id}`. What is published is 409 `already_published`.',
      params: articlePath,
      responseHeaders: { 200: ['ETag'] },
      body: draftPatch,
      response: { 200: articlePatchAnswer, ...WRITE_PROBLEMS },
    },
    attachValidation: true,
    handler: async (request, reply) => {
      const is_short = await checkDraft(request, rules);
      const { body, params } = request;
      const writer = onlyDrafts(reviews.writerOf(request, body));
      const { changes, own, place } = await articles.update(params.id, { ...body, is_short }, writer);
      changed(subjectsOfChange(place));
      logWrite(request, 'article_updated', { article: place.id });
      return reply.headers(writtenHeaders(own)).send(success('Article updated', changes));
    },
  });
}

function onlyDrafts({ precondition, ...writer }: Writer): Writer {
  return {
    ...writer,
    precondition: (own, article) => {
      precondition?.(own, article);
      if (!article.is_published) return;
      throw new Failure('conflict', 'the article is published: change it as an article', {
        code: 'already_published',
      });
    },
  };
}
