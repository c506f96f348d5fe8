import { z } from 'zod';

/** Longer than any signed URL. */
const MAX_URL_LENGTH = 8192;

/** The query string of the proxy. */
export const proxyQuery = z.strictObject({
  url: z
    .string('must be given once')
    .min(1, 'must not be empty')
    .max(MAX_URL_LENGTH, `must be at most ${MAX_URL_LENGTH} characters long`)
    .meta({ pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' })
    .describe('https, without credentials, of a host that may be asked.'),
  thumbnail: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((value) => value === 'true')
    .describe('true: the image made small, at most 480 px on its long side.'),
});

const bytes = z.string().meta({ format: 'binary' });

const content = { 'image/*': { schema: bytes }, 'video/*': { schema: bytes }, 'audio/*': { schema: bytes } };

/** What the proxy answers. */
export const proxyAnswer = { description: 'The media.', content };

/** What the proxy answers to a `Range`. */
export const proxyPartAnswer = { description: 'The part of the media that `Range` asks for.', content };
