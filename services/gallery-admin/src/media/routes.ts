import { bodiless, NOT_MODIFIED } from '@pressroom/common/http/bodiless';
import { operation } from '@pressroom/common/http/operation';
import { addressKey } from '@pressroom/common/http/rate-limit';
import { notFound, type Problem } from '@pressroom/common/problems/problem';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import type { BucketSource } from '../buckets/bucket.ts';
import { unquoted } from '../listing/object-page.ts';
import { problemResponses } from '../problems.ts';
import { acceptedFormat } from '../proxy/accepted-format.ts';
import { isMissing, objectTag, readObject } from '../proxy/bucket-media.ts';
import type { Media, MediaRequest } from '../proxy/media-request.ts';
import { explainRange, goneSignal, replyMedia } from '../proxy/routes.ts';
import { FORMATS, type Rendition, renditionOf } from './ladder.ts';
import type { PublicPrefixes } from './public-prefixes.ts';
import type { Picture, Renditions } from './renditions.ts';
import { mediaAnswer, mediaPartAnswer, mediaPath, renditionQuery } from './schema.ts';
import { trustedHeaders } from './trusted-type.ts';
import { versionedPath, versionOf } from './version.ts';

/** The file of a key may be replaced or deleted: caches ask after a second, browsers after a minute. */
const REVALIDATED = 'public, max-age=60, s-maxage=1, must-revalidate';

const FOR_GOOD = 'public, max-age=31536000, immutable';

/** What public media are answered from. */
export interface MediaParts {
  buckets: BucketSource;
  prefixes: PublicPrefixes;
  renditions: Renditions;
}

/** The public part of the active bucket (`docs/gallery-media.md`, "Public media"). */
export function mediaOperation({ buckets, prefixes, renditions }: MediaParts) {
  return operation({
    config: { secretQuery: true },
    schema: {
      tags: ['media'],
      operationId: 'readPublicMedia',
      summary: 'Read a published file, a rendition of a picture, or its description',
      description:
        'Files below `MEDIA_PUBLIC`, without a session. `v` and the version before the key, as in' +
        ' `Content-Location`, make an address whose answer never changes; an outdated one leads to the current.' +
        ' With `.json` after the key, a picture is described.',
      params: mediaPath,
      querystring: renditionQuery,
      requestHeaders: ['Range'],
      responseHeaders: { 206: ['Content-Range'] },
      response: {
        200: mediaAnswer,
        206: mediaPartAnswer,
        302: bodiless('Another version is current: `Location` is its address.'),
        ...NOT_MODIFIED,
        ...problemResponses(400, 404, 412, 416, 429, 500, 503),
      },
    },
    handler: async (request, reply) => {
      const address = prefixes.read(request.params['*']);
      if (address === undefined) throw notPublished();
      const { key, isDescription } = address;
      const signal = goneSignal(reply);
      const bucket = await buckets.current();
      try {
        const etag = await objectTag(bucket, { key, versionId: undefined }, signal);
        const version = versionOf(etag);
        const path = versionedPath(key, version) + (isDescription ? '.json' : '');
        const asksForRendition = Object.keys(request.query).length > 0;
        const query = asksForRendition ? request.url.slice(request.url.indexOf('?')) : '';
        if (address.version !== undefined && address.version !== version) {
          return reply.header('cache-control', REVALIDATED).redirect(path + query, 302);
        }
        reply.header('content-location', path + query);
        const cacheControl = address.version === undefined ? REVALIDATED : FOR_GOOD;
        const picture = { bucket, key, version, etag };
        if (!isDescription && !asksForRendition) {
          const source = { fetch: (asked: MediaRequest) => readFile(picture, asked) };
          return await replyMedia(request, reply, { source, signal, cacheControl });
        }
        const wanted = isDescription
          ? 'description'
          : renditionFor(request.query, reply, request.headers.accept);
        const owner = addressKey(request);
        const source = { fetch: (asked: MediaRequest) => renditions.read(picture, wanted, asked, owner) };
        return await replyMedia(request, reply, { source, signal, cacheControl });
      } catch (error) {
        throw isMissing(error) ? notPublished() : explainRange(error);
      }
    },
  });
}

/** What is private, deleted or was never there: the answer does not say which. */
function notPublished(): Problem {
  return notFound('nothing is published at this address');
}

/** Reads this version of a file as it is. */
async function readFile({ bucket, key, etag }: Picture, asked: MediaRequest): Promise<Media> {
  const { range, 'if-range': ifRange, ...conditions } = asked.headers;
  const isOfThis = ifRange === undefined || unquoted(ifRange) === unquoted(etag);
  const headers = { ...conditions, ...(range !== undefined && isOfThis && { range }) };
  const limits = { maxBytes: Number.POSITIVE_INFINITY, ifMatch: etag };
  const media = await readObject(bucket, { key, versionId: undefined }, { ...asked, headers }, limits);
  return { ...media, headers: trustedHeaders(media.headers) };
}

/** The rendition that is asked for, in the best format that `accept` names unless one is asked for. */
function renditionFor(
  { format = 'auto', ...query }: z.output<typeof renditionQuery>,
  reply: Pick<FastifyReply, 'header'>,
  accept: string | undefined,
): Rendition {
  if (format !== 'auto') return renditionOf(query, format);
  reply.header('vary', 'Accept');
  return renditionOf(query, acceptedFormat(accept, FORMATS));
}
