import { integerParameter } from '@pressroom/common/fields/fields';
import { bodiless, NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { addressKey } from '@pressroom/common/http/rate-limit';
import { notFound, type Problem } from '@pressroom/common/problems/problem';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { BucketSource } from '../buckets/bucket.ts';
import { unquoted } from '../objects/object-page.ts';
import { problemResponses } from '../problems.ts';
import { isMissing, objectTag, readObject } from '../proxy/bucket-media.ts';
import type { Media, MediaRequest } from '../proxy/media-fetcher.ts';
import { explainRange, goneSignal, replyMedia } from '../proxy/proxy.ts';
import { acceptedFormat } from '../proxy/thumbnails.ts';
import type { PublicPrefixes } from './public-prefixes.ts';
import {
  FITS,
  FORMATS,
  type Picture,
  type Rendition,
  type Renditions,
  renditionOf,
  versionedPath,
  versionOf,
} from './renditions.ts';

/** A number from 0 to 1 with at most 4 decimals. */
const SHARE = String.raw`(?:0(?:\.[0-9]{1,4})?|1(?:\.0{1,4})?)`;

const FOCUS = new RegExp(`^(?:auto|${SHARE},${SHARE})$`);

/** The path below `/media/`. */
const mediaPath = z.object({
  '*': z
    .string()
    .describe('The path of the file, `/` between its parts.')
    .meta({ minLength: 1, maxLength: 4096 }),
});

/** The rendition that is asked for. Without any member, the answer is the file itself. */
export const renditionQuery = z.strictObject({
  w: integerParameter(1, 10_000)
    .optional()
    .describe('The width in pixels: raised to the next one of the ladder. A picture is never enlarged.'),
  h: integerParameter(1, 10_000)
    .optional()
    .describe(
      'The height of a box, as wide as `w`, else as high. Its proportions are the nearest usual ones.',
    ),
  fit: z
    .enum(FITS, `must be one of ${FITS.join(', ')}`)
    .optional()
    .describe('The way to put the picture into the box: as large as fits, cropped to it, or with margins.'),
  focus: z
    .string('must be given once')
    .regex(FOCUS, 'must be auto, or two numbers from 0 to 1 such as 0.5,0.2')
    .optional()
    .describe('The part that a crop keeps: from the left and the top, or the one that draws the eye.'),
  format: z
    .enum(['auto', ...FORMATS], `must be one of auto, ${FORMATS.join(', ')}`)
    .optional()
    .describe('auto, the default: the smallest that Accept names, else JPEG.'),
  q: integerParameter(1, 100).optional().describe('The quality: 50, 75 or 90, whichever is nearest.'),
});

export const pictureDescription = z
  .object({
    width: z.int().positive().describe('In pixels, as it is seen.'),
    height: z.int().positive(),
    url: z.string().describe('The path of this version for good.'),
    srcset: z.string().describe('The widths of the ladder that the picture has, as `srcset` takes them.'),
    thumbhash: z.string().describe('A ThumbHash in base64: what to show until it is there.'),
    color: z
      .string()
      .regex(/^#[0-9a-f]{6}$/)
      .describe('The dominant colour.'),
    alt: z.string().nullable().describe('The alternative text in its metadata.'),
    credit: z.string().nullable().describe('Whom its metadata name: the credit line, else the creator.'),
    rights: z.string().nullable().describe('The notice of its rights, from its metadata.'),
  })
  .meta({ id: 'Picture' });

export type PictureDescription = z.infer<typeof pictureDescription>;

const bytes = { schema: z.string().meta({ format: 'binary' }) };

/** The response with media, or with the description of a picture. */
const mediaAnswer = {
  description: 'The file, a rendition of it, or with `.json` its description.',
  content: { '*/*': bytes, 'application/json': { schema: pictureDescription } },
};

/** The response to a `Range`. */
const mediaPartAnswer = {
  description: 'The part of the file requested by `Range`.',
  content: { '*/*': bytes },
};

/** The file of a key may be replaced or deleted: caches ask after a second, browsers after a minute. */
const REVALIDATED = 'public, max-age=60, s-maxage=1, must-revalidate';

const FOR_GOOD = 'public, max-age=31536000, immutable';

interface MediaParts {
  buckets: BucketSource;
  /** The public part, as the settings are now. */
  published: () => Promise<PublicPrefixes>;
  renditions: Renditions;
}

/** The public part of the active bucket (`docs/gallery-media.md`, "Public media"). */
export function mediaOperation({ buckets, published, renditions }: MediaParts) {
  return operation({
    config: { secretQuery: true },
    schema: {
      tags: ['media'],
      operationId: 'readPublicMedia',
      summary: 'Read a published file, a rendition of a picture, or its description',
      description:
        'Files in public folders, without a session. `v` and the version before the key, as in' +
        ' `Content-Location`, make an address whose answer never changes; an outdated one leads to the current.' +
        ' With `.json` after the key, a picture is described.',
      params: mediaPath,
      querystring: renditionQuery,
      requestHeaders: ['Range'],
      responseHeaders: { 206: ['Content-Range'] },
      response: {
        200: mediaAnswer,
        206: mediaPartAnswer,
        301: bodiless('`Location` is the address without parameters that say nothing here.'),
        302: bodiless('Another version is current: `Location` is its address.'),
        ...NOT_MODIFIED,
        ...problemResponses(400, 404, 412, 416, 429, 500, 503),
      },
    },
    handler: async (request, reply) => {
      const address = (await published()).read(request.params['*']);
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

/** One answer for private, deleted and missing files, so that nobody learns which it is. */
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

/** Types that a browser shows without ever running any of it; no SVG, HTML, PDF or other documents. */
const TRUSTED = /^(?:image\/(?:jpeg|png|gif|webp|avif|apng|bmp)|(?:video|audio)\/[\w.+-]+)$/;

/**
 * The headers of a file that anybody may read: anything but pictures, video and audio is for saving, whatever
 * type it was stored with.
 */
function trustedHeaders(headers: Record<string, string>): Record<string, string> {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (TRUSTED.test(type)) return { ...headers, 'content-type': type };
  return { ...headers, 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' };
}
