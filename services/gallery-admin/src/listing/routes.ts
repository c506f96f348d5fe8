import { operation } from '@pressroom/common/http/operation';
import { invalidRequest, Problem } from '@pressroom/common/problems/problem';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { BucketSource } from '../buckets/bucket.ts';
import { isLastingRefusal, isMisconfiguration } from '../buckets/store-fault.ts';
import { problemResponses } from '../problems.ts';
import { type FileFacts, readFolder } from './folder.ts';
import { type ListingAnswer, listingAnswer, listingQuery, signAnswer, signBody } from './schema.ts';
import { signListUrl, signObjectUrls } from './signed-urls.ts';

const TAGS = ['gallery'];

/** The content of the bucket and URLs to read it (`docs/spec/gallery-admin.md`, "GET /api/gallery"). */
export function listingOperations(buckets: BucketSource, facts: FileFacts) {
  return { list: listOperation(buckets, facts), sign: signOperation(buckets), folderPreview };
}

function listOperation(buckets: BucketSource, facts: FileFacts) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'listFolder',
      summary: 'List a folder, or get a presigned URL from which the browser lists it',
      querystring: listingQuery,
      response: { 200: listingAnswer, ...problemResponses(400, 401, 500, 503) },
    },
    handler: async ({ query }, reply) => {
      const bucket = await buckets.current();
      if (query.json) {
        const data = await readFolder(bucket, query, facts).catch((error: unknown) => {
          throw query.continuationToken !== undefined && isTokenRefusal(error) ? unknownToken() : error;
        });
        return replyJson(reply, { success: true, mode: 'json', data } satisfies ListingAnswer);
      }
      const { path, maxKeys, continuationToken } = query;
      const listUrl = await signListUrl(bucket, { prefix: path, maxKeys, continuationToken });
      return { success: true as const, mode: 'signer' as const, data: { currentPath: path, listUrl } };
    },
  });
}

/**
 * Stores reject a token of another listing in different ways, MinIO with 501. Wrong settings are excluded.
 */
function isTokenRefusal(error: unknown): boolean {
  return isLastingRefusal(error) && !isMisconfiguration(error);
}

function unknownToken(): Problem {
  return invalidRequest('query string: "continuationToken" was not issued by this listing');
}

function signOperation(buckets: BucketSource) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'signDownloads',
      summary: 'Get presigned download URLs for up to 2,000 keys',
      body: signBody,
      response: { 200: signAnswer, ...problemResponses(400, 401, 403, 413, 415, 500, 503) },
    },
    handler: async ({ body }, reply) => {
      const keys = [...new Set(body.keys)];
      const { download } = body;
      const urls = await signObjectUrls(await buckets.current(), keys, { download });
      // zod leaves out a member named `__proto__`, which is a key like any other; fromEntries makes it one.
      const data = Object.fromEntries(keys.map((key, index) => [key, urls[index] ?? '']));
      return replyJson(reply, { success: true, data } satisfies z.infer<typeof signAnswer>);
    },
  });
}

const folderPreview = operation({
  schema: {
    tags: TAGS,
    operationId: 'getFolderPreview',
    summary: 'Gone',
    deprecated: true,
    // Its clients send parameters that are no longer defined.
    querystring: z.looseObject({}),
    response: problemResponses(401, 410),
  },
  handler: () => {
    throw new Problem(
      410,
      'gone',
      'folder previews have been removed; list the folder with GET /api/gallery',
    );
  },
});

/**
 * Answers with JSON as bytes. For half a megabyte, which a listing of a thousand objects is, Node takes
 * several times as long to encode a text while it writes it.
 */
function replyJson(reply: FastifyReply, answer: unknown): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(Buffer.from(JSON.stringify(answer)));
}
