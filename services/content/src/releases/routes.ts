import { PRIVATE, writePrecondition } from '@pressroom/common/caching/conditional';
import { NOT_MODIFIED } from '@pressroom/common/http/bodiless';
import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem-document';
import type { FastifyRequest } from 'fastify';
import { requireAnyCategory } from '../api-keys/scope.ts';
import { deletedAnswer } from '../articles/schema.ts';
import { success, successPage } from '../envelope.ts';
import { replyPrivately } from '../reading.ts';
import { actorOf, ownerOf } from '../senders.ts';
import { tellOfWrite, writtenHeaders } from '../writing.ts';
import {
  releaseAnswer,
  releaseDetailAnswer,
  releaseListAnswer,
  releaseListQuery,
  releasePath,
  releasePut,
  type ShownRelease,
} from './schema.ts';
import type { Release, ReleasePrecondition, ReleaseStore } from './store.ts';

const TAGS = ['releases'];
const READ_PROBLEMS = problemResponses(400, 401, 403, 404, 429, 503);
const PUT_PROBLEMS = problemResponses(400, 401, 403, 409, 412, 413, 415, 422, 429, 500, 503);

/** The operations on releases; all of them need a key. */
export function releaseOperations(releases: ReleaseStore) {
  return { ...reads(releases), ...writes(releases) };
}

function reads(releases: ReleaseStore) {
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listReleases',
      summary: 'List releases, those without a time first, then the latest first',
      querystring: releaseListQuery,
      response: { 200: releaseListAnswer, ...NOT_MODIFIED, ...problemResponses(400, 401, 403, 429, 503) },
    },
    handler: (request, reply) => {
      const page = { page: request.query.page, perPage: request.query.per_page };
      return replyPrivately(request, reply, async () => {
        const { releases: found, total } = await releases.page(page);
        return { value: successPage('Releases found', found.map(shown), page, total) };
      });
    },
  });
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getRelease',
      summary: 'Read a release with the articles that will be published with it',
      params: releasePath,
      response: { 200: releaseDetailAnswer, ...NOT_MODIFIED, ...READ_PROBLEMS },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => {
        const { release, articles } = await releases.read(request.params.name);
        const own = shown(release);
        return { value: success('Release found', { ...own, articles }), own };
      }),
  });
  return { list, read };
}

function writes(releases: ReleaseStore) {
  const put = operation({
    schema: {
      tags: TAGS,
      operationId: 'putRelease',
      summary: 'Make a release, or give it another time, which all of its articles follow',
      params: releasePath,
      responseHeaders: { 200: ['ETag'], 201: ['ETag', 'Location'] },
      body: releasePut,
      response: { 200: releaseAnswer, 201: releaseAnswer, ...PUT_PROBLEMS },
    },
    handler: async (request, reply) => {
      const { body, params } = request;
      const { release, isNew } = await releases.put(
        params.name,
        body.publish_at,
        actorOf(request),
        permission(request),
      );
      tellOfWrite(request, isNew ? 'release_created' : 'release_updated', { release: release.name });
      const own = shown(release);
      if (!isNew) return reply.headers(writtenHeaders(own)).send(success('Release updated', own));
      const headers = { ...writtenHeaders(own), location: `/api/releases/${release.name}` };
      return reply.code(201).headers(headers).send(success('Release created', own));
    },
  });
  const remove = operation({
    schema: {
      tags: TAGS,
      operationId: 'deleteRelease',
      summary: 'Delete a release; its articles stay drafts, or published if they are',
      params: releasePath,
      response: { 200: deletedAnswer, ...problemResponses(400, 401, 403, 404, 412, 429, 503) },
    },
    handler: async (request, reply) => {
      const { name } = request.params;
      await releases.delete(name, actorOf(request), permission(request));
      tellOfWrite(request, 'release_deleted', { release: name });
      return reply.header('cache-control', PRIVATE).send(success('Release deleted', null));
    },
  });
  return { put, remove };
}

/** A key for one category decides nothing about the articles of others. */
function permission(request: FastifyRequest): ReleasePrecondition {
  requireAnyCategory(ownerOf(request));
  const condition = writePrecondition(request);
  return (release) => condition?.(release && shown(release));
}

function shown({ name, publish_at, published_at, created_at }: Release): ShownRelease {
  return {
    name,
    publish_at: publish_at?.toISOString() ?? null,
    published_at: published_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  };
}
