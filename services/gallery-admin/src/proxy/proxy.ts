import { isNamed, isNotModified } from '@pressroom/common/caching/conditional';
import { Failure } from '@pressroom/common/failures/failure';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { notFound, Problem } from '@pressroom/common/problems/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Bucket, BucketSource } from '../buckets/bucket.ts';
import { objectKey } from '../names.ts';
import type { ThumbHashes } from '../objects/thumb-hashes.ts';
import { problemResponses } from '../problems.ts';
import { type BucketObject, fetchObject, isMissing, objectOf, objectTag } from './bucket-media.ts';
import { type HostRule, parseHostRule } from './host-rules.ts';
import { THUMBNAIL_FORMATS, type ThumbnailSize } from './image.ts';
import {
  type ForwardedHeaders,
  isMedia,
  type Media,
  type MediaFetcher,
  type MediaRequest,
  RangeOutside,
  readTarget,
  readUrl,
} from './media-fetcher.ts';
import { acceptedFormat, mayBeDrawn, type ThumbnailSource, type Thumbnails } from './thumbnails.ts';

const MAX_URL_LENGTH = 8192;

const proxyQuery = z.strictObject({
  url: z
    .string('must be given once')
    .min(1, 'must not be empty')
    .max(MAX_URL_LENGTH, `must be at most ${MAX_URL_LENGTH} characters long`)
    .meta({ pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' })
    .describe('An https URL without credentials, on an allowed host.'),
  thumbnail: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((value) => value === 'true')
    .describe('true: a thumbnail of the image, at most 480 px on its longer side.'),
});

/** The query string of the bucket's own media. */
const mediaQuery = z.strictObject({
  key: objectKey.describe('The key of a file in the active bucket.'),
  thumbnail: proxyQuery.shape.thumbnail,
  size: z
    .enum(['small', 'large'], 'must be small or large')
    .default('small')
    .describe('Of a thumbnail: at most 480 px on its longer side, or 2,048.'),
  version: z
    .string('must be given once')
    .min(1, 'must not be empty')
    .max(100, 'must be at most 100 characters long')
    .optional()
    .describe(
      'Any text that changes with the file, such as its lastModified: the answer may then be cached like that of the proxy.',
    ),
});

const bytes = z.string().meta({ format: 'binary' });

const content = { 'image/*': { schema: bytes }, 'video/*': { schema: bytes }, 'audio/*': { schema: bytes } };

const proxyAnswer = { description: 'The media.', content };

/** The response of the proxy to a `Range`. */
const proxyPartAnswer = { description: 'The part of the media requested by `Range`.', content };

interface ProxyParts {
  buckets: BucketSource;
  fetcher: MediaFetcher;
  thumbnails: Thumbnails;
  thumbHashes: Pick<ThumbHashes, 'keep'>;
  /** `PROXY_ALLOWED_HOSTS`; the endpoint of the active bucket is also allowed. */
  allowedHosts: readonly HostRule[];
  /** `PROXY_PRIVATE_HOSTS` */
  privateHosts: readonly HostRule[];
}

const MEDIA_CACHE = 'private, max-age=3600';
const THUMBNAIL_CACHE = 'private, max-age=604800, immutable';

/** A key names different bytes when its file is replaced. */
const REVALIDATED = 'private, no-cache';

/** Foreign content, such as an SVG with a script, must not run as a page of this origin. */
const HARMLESS = { 'content-security-policy': 'sandbox', 'x-content-type-options': 'nosniff' };

/**
 * Media from allowed hosts (`docs/spec/gallery-admin.md`, "GET /api/proxy"), and that of the active bucket by
 * key.
 */
export function proxyOperations(parts: ProxyParts) {
  return { fetch: fetchOperation(parts), media: mediaOperation(parts) };
}

const MEDIA =
  'Images, videos and audio of at most 50 MiB. A Range is passed on. Thumbnails are WebP, or AVIF if' +
  ' Accept names it; an animation is reduced to its first frame, a PDF to its first' +
  ' page, a raw file of a camera to its largest preview. Of an image that cannot be decoded, a thumbnail is the image itself if that is small and browsers draw it (SVG, BMP, ICO), else a small placeholder.';

function fetchOperation(parts: ProxyParts) {
  return operation({
    config: { secretQuery: true },
    schema: {
      tags: ['gallery'],
      operationId: 'fetchMedia',
      summary: 'Fetch media from another host, or a thumbnail of it',
      description: MEDIA,
      querystring: proxyQuery,
      requestHeaders: ['Range'],
      responseHeaders: { 200: ['X-Thumbnail', 'X-Thumbnail-Reason'], 206: ['Content-Range'] },
      response: {
        200: proxyAnswer,
        206: proxyPartAnswer,
        ...NOT_MODIFIED,
        ...problemResponses(400, 401, 403, 412, 416, 500, 503, 504),
      },
    },
    handler: async (request, reply) => {
      const signal = goneSignal(reply);
      const source = await findSource(request.query.url, parts);
      if (request.query.thumbnail) {
        return replyThumbnail(request, reply, parts.thumbnails, {
          source: await source.tagged(signal),
          size: 'small',
          signal,
          cacheControl: THUMBNAIL_CACHE,
        });
      }
      return replyMedia(request, reply, { source, signal, cacheControl: MEDIA_CACHE }).catch(explainRange);
    },
  });
}

function mediaOperation(parts: ProxyParts) {
  const { buckets, thumbnails } = parts;
  return operation({
    schema: {
      tags: ['gallery'],
      operationId: 'readMedia',
      summary: 'Read media of the active bucket by its key, or a thumbnail of it',
      description: MEDIA,
      querystring: mediaQuery,
      requestHeaders: ['Range'],
      responseHeaders: { 200: ['X-Thumbnail', 'X-Thumbnail-Reason'], 206: ['Content-Range'] },
      response: {
        200: proxyAnswer,
        206: proxyPartAnswer,
        ...NOT_MODIFIED,
        ...problemResponses(400, 401, 403, 404, 412, 416, 500, 503),
      },
    },
    handler: async (request, reply) => {
      const { key, thumbnail, size, version } = request.query;
      const signal = goneSignal(reply);
      const source = bucketSource(await buckets.current(), { key, versionId: undefined }, parts);
      try {
        if (!thumbnail) {
          const cacheControl = version === undefined ? REVALIDATED : MEDIA_CACHE;
          return await replyMedia(request, reply, { source, signal, cacheControl });
        }
        const cacheControl = version === undefined ? REVALIDATED : THUMBNAIL_CACHE;
        const tagged = await source.tagged(signal);
        return await replyThumbnail(request, reply, thumbnails, {
          source: tagged,
          size,
          signal,
          cacheControl,
        });
      } catch (error) {
        throw isMissing(error) ? notFound('no file has this key') : explainRange(error);
      }
    },
  });
}

/** The active bucket, or an allowed host. */
interface MediaSource {
  fetch: (request: MediaRequest) => Promise<Media>;
  /** The same for a thumbnail, with an id of its source. */
  tagged: (signal: AbortSignal) => Promise<ThumbnailSource>;
}

/** Objects of the active bucket are read by their key; any other URL must point to an allowed host. */
async function findSource(text: string, parts: ProxyParts): Promise<MediaSource> {
  const { fetcher, allowedHosts, privateHosts } = parts;
  const bucket = await parts.buckets.current();
  const url = readUrl(text);
  const object = objectOf(url, bucket);
  if (object !== undefined) return bucketSource(bucket, object, parts);
  const endpoint = parseHostRule(bucket.endpointHost);
  const allowed = endpoint ? [endpoint, ...allowedHosts] : allowedHosts;
  const hosts = { allowed, private: privateHosts };
  const target = readTarget(url, hosts);
  const fetch = (request: MediaRequest) => fetcher.fetch(target, hosts, request);
  return {
    fetch,
    tagged: async () => ({
      id: target.url.href,
      fetch: (signal) => fetch({ method: 'GET', headers: {}, signal }),
      host: { name: target.url.host, wholeMs: fetcher.wholeMs },
    }),
  };
}

function bucketSource(
  bucket: Bucket,
  object: BucketObject,
  { fetcher: { maxBytes }, thumbHashes }: Pick<ProxyParts, 'fetcher' | 'thumbHashes'>,
): MediaSource {
  return {
    fetch: (request) => fetchObject(bucket, object, request, { maxBytes, accepts: isMedia }),
    // Each listing signs a new URL; the entity tag shows whether the bytes are the same.
    tagged: async (asked) => {
      const accepts = (type: string | undefined) => isMedia(type) || mayBeDrawn(type);
      const ifMatch = await objectTag(bucket, object, asked);
      return {
        id: JSON.stringify([bucket.id, ...bucket.baseUrls, object.key, object.versionId, ifMatch]),
        fetch: (signal) =>
          fetchObject(bucket, object, { method: 'GET', headers: {}, signal }, { maxBytes, ifMatch, accepts }),
        look: (pixels) => thumbHashes.keep(bucket, { key: object.key, etag: ifMatch }, pixels),
      };
    },
  };
}

/** Answers a range outside of the media with 416; rethrows any other error. */
export function explainRange(error: unknown): never {
  if (!(error instanceof RangeOutside)) throw error;
  const { message, contentRange } = error;
  const headers: Record<string, string> = contentRange === undefined ? {} : { 'content-range': contentRange };
  throw new Problem(416, 'range_not_satisfiable', message, { headers });
}

/** The client has gone away: this answer is never read, and it is not our failure (499, as in proxy logs). */
function clientGone(): Problem {
  return new Problem(499, 'client_gone', 'the client closed the connection before the answer was complete');
}

/** Aborted when the client goes away before the answer is complete. */
export function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const leave = () => {
    if (!raw.writableFinished) gone.abort(clientGone());
  };
  // It may have left while its session was looked up.
  if (raw.destroyed) leave();
  raw.once('close', leave);
  return gone.signal;
}

/** A request that has been resolved to its source. */
interface Asked<Source> {
  source: Source;
  signal: AbortSignal;
  cacheControl: string;
}

/** Answers with media: whole, the range that is asked for, or 304. */
export async function replyMedia(
  request: FastifyRequest,
  reply: FastifyReply,
  { source, signal, cacheControl }: Asked<Pick<MediaSource, 'fetch'>>,
) {
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
  const media = await source.fetch({ method, headers: forwarded(request), signal });
  if (isOutdated(request.headers, media)) {
    media.body.on('error', () => undefined).destroy();
    throw new Failure('outdated', 'this is another version than the one that the request names');
  }
  reply.code(media.status).headers({ ...media.headers, ...HARMLESS, 'cache-control': cacheControl });
  return media.status === 304 ? reply.send() : reply.send(media.body);
}

/** True if the client has named another version, or an earlier one (RFC 9110, section 13.2.2). */
function isOutdated(request: FastifyRequest['headers'], { headers }: Media): boolean {
  const ifMatch = request['if-match'];
  if (ifMatch !== undefined) return !isNamed(ifMatch, headers.etag);
  const since = Date.parse(request['if-unmodified-since'] ?? '');
  return Date.parse(headers['last-modified'] ?? '') > since;
}

/** A single range and the client's conditions; multiple ranges are answered with the whole media. */
function forwarded({ headers }: FastifyRequest): ForwardedHeaders {
  // The name of the unit has no case (RFC 9110, section 14.1).
  const [, asked] = /^bytes=(\d+-\d*|-\d+)$/i.exec(headers.range ?? '') ?? [];
  const range = asked && `bytes=${asked}`;
  const { 'if-range': ifRange, 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince } = headers;
  return {
    ...(range && { range }),
    ...(range && typeof ifRange === 'string' && { 'if-range': ifRange }),
    ...(ifNoneMatch && { 'if-none-match': ifNoneMatch }),
    ...(ifModifiedSince && { 'if-modified-since': ifModifiedSince }),
  };
}

async function replyThumbnail(
  request: FastifyRequest,
  reply: FastifyReply,
  thumbnails: Thumbnails,
  { cacheControl, ...asked }: Asked<ThumbnailSource> & { size: ThumbnailSize },
) {
  const format = acceptedFormat(request.headers.accept, THUMBNAIL_FORMATS);
  const { body, contentType, etag, unseen } = await thumbnails.get({ ...asked, format });
  reply.headers({ ...HARMLESS, 'cache-control': cacheControl, vary: 'Accept', etag });
  if (unseen !== undefined) {
    const shows = unseen === 'incomplete' ? 'incomplete' : 'placeholder';
    reply.headers({ 'x-thumbnail': shows, 'x-thumbnail-reason': unseen });
  }
  if (isNotModified(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(contentType).send(body);
}
