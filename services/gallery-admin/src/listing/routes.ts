import type { Server } from '@pressroom/common/http/server';
import { invalidRequest, Problem } from '@pressroom/common/problems/problem';
import type { BucketSource } from '../buckets/bucket.ts';
import { isRefusal } from '../buckets/store-fault.ts';
import { problemResponses } from '../problems.ts';
import { SESSION_SECURITY } from '../session/routes.ts';
import { readFolder } from './folder.ts';
import { listingAnswer, listingQuery, signAnswer, signBody } from './schema.ts';
import { signListUrl, signObjectUrls } from './signed-urls.ts';

/** What the listing needs. */
export interface ListingRoutes {
  buckets: BucketSource;
}

const SHARED = { tags: ['gallery'], security: SESSION_SECURITY };

/** `/api/gallery`: what is in the bucket, and URLs to read it (`docs/spec/gallery-admin.md`, "GET /api/gallery"). */
export function addListingRoutes(app: Server, { buckets }: ListingRoutes): void {
  addListing(app, buckets);
  addSigning(app, buckets);
  app.get(
    '/api/gallery/folder-preview',
    { schema: { ...SHARED, summary: 'Gone', deprecated: true, response: problemResponses(401, 410) } },
    () => {
      throw new Problem(410, 'gone', 'folder previews are gone; list the folder with GET /api/gallery');
    },
  );
}

function addListing(app: Server, buckets: BucketSource): void {
  app.get(
    '/api/gallery',
    {
      schema: {
        ...SHARED,
        summary: 'List a folder, or sign a URL from which the browser lists it',
        querystring: listingQuery,
        response: { 200: listingAnswer, ...problemResponses(400, 401, 500, 503) },
      },
    },
    async ({ query }) => {
      const bucket = await buckets.current();
      if (query.json) {
        const data = await readFolder(bucket, query).catch(explainToken);
        return { success: true as const, mode: 'json' as const, data };
      }
      const { path, maxKeys, continuationToken } = query;
      const listUrl = await signListUrl(bucket, { prefix: path, maxKeys, continuationToken });
      return { success: true as const, mode: 'signer' as const, data: { currentPath: path, listUrl } };
    },
  );
}

function explainToken(error: unknown): never {
  if (isRefusal(error, 'InvalidArgument')) {
    throw invalidRequest('query string: "continuationToken" is not one that this listing has given');
  }
  throw error;
}

function addSigning(app: Server, buckets: BucketSource): void {
  app.post(
    '/api/gallery',
    {
      schema: {
        ...SHARED,
        summary: 'Sign download URLs for up to 2,000 keys',
        body: signBody,
        response: { 200: signAnswer, ...problemResponses(400, 401, 403, 413, 415, 500, 503) },
      },
    },
    async ({ body }, reply) => {
      const keys = [...new Set(body.keys)];
      const urls = await signObjectUrls(await buckets.current(), keys);
      // zod leaves out a member named `__proto__`, which is a key like any other; fromEntries makes it one.
      const answer = {
        success: true as const,
        data: Object.fromEntries(keys.map((key, index) => [key, urls[index] ?? ''])),
      };
      return reply.serializer(JSON.stringify).type('application/json; charset=utf-8').send(answer);
    },
  );
}
