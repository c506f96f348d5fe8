import { integerParameter } from '@pressroom/common/fields/parameters';
import { z } from 'zod';
import { existingPath, folderPrefix, objectKey } from '../names.ts';

/** The most keys per signing request. */
const MAX_KEYS = 2000;

/** Longer than any continuation token of a known store. */
const MAX_TOKEN_LENGTH = 4096;

function flag() {
  return z
    .enum(['0', '1'], 'must be 0 or 1')
    .default('0')
    .transform((value) => value === '1');
}

/** The query string of a listing. */
export const listingQuery = z
  .strictObject({
    path: existingPath.transform(folderPrefix).default('').describe('The folder; empty for the root.'),
    json: flag().describe('1: return the listing itself; otherwise a URL from which the browser reads it.'),
    foldersOnly: flag().describe('1, together with json=1: only folders, no files.'),
    thumbhash: flag().describe(
      '1, together with json=1: the ThumbHash of each picture that one is known of.',
    ),
    continuationToken: z
      .string('must be given once')
      .min(1, 'must not be empty')
      .max(MAX_TOKEN_LENGTH, `must be at most ${MAX_TOKEN_LENGTH} characters long`)
      .optional()
      .describe('The continuationToken of the previous page.'),
    maxKeys: integerParameter(1, 1000)
      .default(1000)
      .describe('The most folders and files in a page, combined.'),
  })
  .refine(({ json, foldersOnly }) => json || !foldersOnly, {
    path: ['foldersOnly'],
    message: 'requires json=1',
  })
  .refine(({ json, thumbhash }) => json || !thumbhash, {
    path: ['thumbhash'],
    message: 'requires json=1',
  });

/** A listing's query string, read. */
export type ListingQuery = z.infer<typeof listingQuery>;

/** A folder as listings show it. */
export const folderEntry = z.object({
  name: z.string(),
  path: z.string().describe('The folder as a prefix, ending with "/".'),
  type: z.literal('folder'),
});

/** A file as listings show it. */
export const fileEntry = z.object({
  name: z.string(),
  path: z.string().describe('The key of the object.'),
  url: z.string().describe('Presigned, valid for an hour.'),
  size: z.int().describe('In bytes.'),
  lastModified: z
    .string()
    .describe('RFC 3339, UTC: when the file was written. A move or a new name through this API keeps it.'),
  contentType: z
    .string()
    .describe('Derived from the file extension; the stored one comes with the object itself.'),
  type: z.enum(['image', 'video', 'audio', 'file']),
});

const listedFolder = z.object({
  folders: z.array(folderEntry),
  files: z.array(
    fileEntry.extend({
      publicPath: z
        .string()
        .optional()
        .describe('The path of this version for anybody and for good, if the file is public.'),
      thumbhash: z
        .string()
        .optional()
        .describe('With thumbhash=1: what it looks like from afar, known once a thumbnail was made; base64.'),
    }),
  ),
  currentPath: z.string(),
  continuationToken: z
    .string()
    .nullable()
    .describe('Cursor of the next page. Pages follow the order of the store, by the bytes of the keys.'),
});

/** A folder's content, in natural order within the page. */
export type ListedFolder = z.infer<typeof listedFolder>;

/** The response of a listing, in both modes. */
export const listingAnswer = z.discriminatedUnion('mode', [
  z.object({ success: z.literal(true), mode: z.literal('json'), data: listedFolder }),
  z.object({
    success: z.literal(true),
    mode: z.literal('signer'),
    data: z.object({
      currentPath: z.string(),
      listUrl: z.string().describe('Returns ListObjectsV2 XML; presigned, valid for 15 minutes.'),
    }),
  }),
]);

/** The answer of a listing. */
export type ListingAnswer = z.infer<typeof listingAnswer>;

/** The body of a request for signed URLs. */
export const signBody = z.strictObject({
  action: z.literal('sign-get-objects', 'must be sign-get-objects'),
  keys: z
    .array(objectKey, `must be a list of 1 to ${MAX_KEYS} keys`)
    .min(1, 'must contain at least one key')
    .max(MAX_KEYS, `must contain at most ${MAX_KEYS} keys`),
  download: z
    .boolean('must be true or false')
    .default(false)
    .describe('Whether browsers save what the URLs lead to, under its name, instead of showing it.'),
});

/** The response to a request for signed URLs. */
export const signAnswer = z.object({
  success: z.literal(true),
  data: z
    .record(z.string(), z.string())
    .describe('The presigned URL of each key, under the key exactly as sent.'),
});
