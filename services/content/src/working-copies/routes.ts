import { PRIVATE, writePrecondition } from '@pressroom/common/caching/conditional';
import { NOT_MODIFIED } from '@pressroom/common/http/bodiless';
import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem-document';
import type { FastifyRequest } from 'fastify';
import { type Permitted, requireCategory } from '../api-keys/scope.ts';
import { type ArticleRules, articleFaults } from '../articles/article-faults.ts';
import { articlePath, articlePutAnswer, deletedAnswer } from '../articles/schema.ts';
import { subjectsOfChange } from '../articles/subjects.ts';
import { checkBody, refuseFaults } from '../check-body.ts';
import { success } from '../envelope.ts';
import { replyPrivately } from '../reading.ts';
import { ownerOf } from '../senders.ts';
import { writerOf } from '../writer.ts';
import { tellOfWrite, writtenHeaders } from '../writing.ts';
import { keyOf } from '../written-by.ts';
import { workingCopyAnswer, workingCopyPut } from './schema.ts';
import { ownOf, type Saver, type WorkingCopies, type WorkingCopy } from './store.ts';

/** The dependencies of the operations on working copies. */
interface WorkingCopyParts {
  copies: WorkingCopies;
  /** What they are checked by before they are saved, and before they are published. */
  rules: ArticleRules;
  /** See `ArticleParts`. */
  changed: (subjects?: ReadonlySet<string>) => void;
}

const TAGS = ['working copies'];

/** The operations on working copies: changes of published articles that readers do not see yet. */
export function workingCopyOperations({ copies, rules, changed }: WorkingCopyParts) {
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getWorkingCopy',
      summary: 'Read the working copy of an article',
      params: articlePath,
      response: {
        200: workingCopyAnswer,
        ...NOT_MODIFIED,
        ...problemResponses(400, 401, 403, 404, 429, 503),
      },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => {
        const copy = await copies.read(request.params.id);
        return { value: success('Working copy found', shown(copy)), own: ownOf(copy), subjects: [] };
      }),
  });
  const save = operation({
    schema: {
      tags: TAGS,
      operationId: 'saveWorkingCopy',
      summary: 'Save changes of a published article without showing them, in place of those saved before',
      description: 'With `If-None-Match: *` only if none are saved yet: else the answer is 412.',
      params: articlePath,
      responseHeaders: { 200: ['ETag'] },
      body: workingCopyPut,
      response: {
        200: workingCopyAnswer,
        ...problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 500, 503),
      },
    },
    attachValidation: true,
    handler: async (request, reply) => {
      await checkBody(request, rules);
      const { id } = request.params;
      const copy = await copies.save(id, request.body, saverOf(request, writePrecondition(request)));
      tellOfWrite(request, 'working_copy_updated', { article: id });
      return reply.headers(writtenHeaders(ownOf(copy))).send(success('Working copy saved', shown(copy)));
    },
  });
  const remove = operation({
    schema: {
      tags: TAGS,
      operationId: 'deleteWorkingCopy',
      summary: 'Discard the working copy of an article',
      params: articlePath,
      response: { 200: deletedAnswer, ...problemResponses(400, 401, 403, 404, 412, 429, 503) },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      await copies.remove(id, saverOf(request, writePrecondition(request)));
      tellOfWrite(request, 'working_copy_deleted', { article: id });
      return reply.header('cache-control', PRIVATE).send(success('Working copy deleted', null));
    },
  });
  const publish = operation({
    schema: {
      tags: TAGS,
      operationId: 'publishWorkingCopy',
      summary: 'Show the working copy of an article, in one commit',
      description:
        'If the article has changed since the working copy was saved, the answer is 409 `article_changed`, unless' +
        ' `If-Match` has the ETag of the article as it is now.',
      params: articlePath,
      responseHeaders: { 200: ['ETag'] },
      response: {
        200: articlePutAnswer,
        ...problemResponses(400, 401, 403, 404, 409, 412, 422, 429, 500, 503),
      },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const copy = await copies.read(id);
      const writer = writerOf(request, copy.changes);
      refuseFaults(await articleFaults(rules, copy.changes, writer.actor.key));
      const isSeen = request.headers['if-match'] !== undefined;
      const { article, own, place } = await copies.publish(id, copy, isSeen, writer);
      changed(subjectsOfChange(place));
      tellOfWrite(request, 'article_updated', { article: id });
      return reply.headers(writtenHeaders(own)).send(success('Working copy published', article));
    },
  });
  return { read, save, remove, publish };
}

/** What is saved is not shown, so it takes less than changing the article. */
function saverOf(request: FastifyRequest, precondition: Saver['precondition']): Saver {
  const owner = ownerOf(request);
  return {
    key: owner.prefix,
    check: (article: Permitted) => requireCategory(owner, article),
    precondition,
  };
}

function shown({ revision, is_current, saved_at, saved_by, key_name, changes }: WorkingCopy) {
  return { revision, is_current, saved_at: saved_at.toISOString(), key: keyOf(saved_by, key_name), changes };
}
