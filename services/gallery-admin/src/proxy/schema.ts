import { z } from 'zod';
import { objectKey } from '../names.ts';

/** Longer than any signed URL. */
const MAX_URL_LENGTH = 8192;

/** The query string of the proxy. */
export const proxyQuery = z.strictObject({
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
export const mediaQuery = z.strictObject({
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

/** The response of the proxy. */
export const proxyAnswer = { description: 'The media.', content };

/** The response of the proxy to a `Range`. */
export const proxyPartAnswer = { description: 'The part of the media requested by `Range`.', content };
