import { extname } from 'node:path/posix';
import { integerParameter } from '@pressroom/common/fields/fields';
import { operation } from '@pressroom/common/http/operation';
import { invalidRequest, Problem } from '@pressroom/common/problems/problem';
import type { FastifyReply } from 'fastify';
import { lookup } from 'mime-types';
import { z } from 'zod';
import type { Bucket, BucketSource } from './buckets/bucket.ts';
import { isLastingRefusal, isMisconfiguration } from './buckets/store-errors.ts';
import type { PublicPrefixes } from './media/public-prefixes.ts';
import { versionOf } from './media/renditions.ts';
import { existingPath, folderPrefix, objectKey, RENDITIONS, TRASH } from './names.ts';
import { listPage, type ObjectPage, type OriginalDates, type StoredObject } from './objects/object-page.ts';
import { signListUrl, signObjectUrls } from './objects/read-urls.ts';
import type { ThumbHashes } from './objects/thumb-hashes.ts';
import { problemResponses } from './problems.ts';

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

const listingQuery = z
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
type ListingQuery = z.infer<typeof listingQuery>;

export const folderEntry = z
  .object({
    name: z.string(),
    path: z.string().describe('The folder as a prefix, ending with "/".'),
    type: z.literal('folder'),
  })
  .meta({ id: 'GalleryFolder' });

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
    fileEntry
      .extend({
        publicPath: z
          .string()
          .optional()
          .describe('The path of this version for anybody and for good, if the file is public.'),
        thumbhash: z
          .string()
          .optional()
          .describe(
            'With thumbhash=1: what it looks like from afar, known once a thumbnail was made; base64.',
          ),
      })
      .meta({ id: 'GalleryFile', description: 'A file in the list of its folder.' }),
  ),
  currentPath: z.string(),
  continuationToken: z
    .string()
    .nullable()
    .describe('Cursor of the next page. Pages follow the order of the store, by the bytes of the keys.'),
});

/** A folder's content, in natural order within the page. */
type ListedFolder = z.infer<typeof listedFolder>;

/** The response of a listing, in both modes. */
const listingAnswer = z.discriminatedUnion('mode', [
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

type ListingAnswer = z.infer<typeof listingAnswer>;

/** The body of a request for signed URLs. */
const signBody = z.strictObject({
  action: z.literal('sign-get-objects', 'must be sign-get-objects'),
  keys: z
    .array(objectKey, `must be a list of 1 to ${MAX_KEYS} keys`)
    .min(1, 'must contain at least one key')
    .max(MAX_KEYS, `must contain at most ${MAX_KEYS} keys`),
  download: z
    .boolean('must be true or false')
    .default(false)
    .describe('True to have browsers save the files under their names instead of showing them.'),
});

/** The response to a request for signed URLs. */
const signAnswer = z.object({
  success: z.literal(true),
  data: z
    .record(z.string(), z.string())
    .describe('The presigned URL of each key, under the key exactly as sent.'),
});

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
      description:
        'With `json=1`, a page of folders and files in natural order; `continuationToken` leads to' +
        ' the next. Otherwise a URL, good for 900 s, at which the store answers itself.',
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
      description: 'Each is good for an hour. Members of `data` are the keys as they were sent.',
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
    description: 'Always 410; ask `GET /api/gallery` instead.',
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

type FileEntry = ListedFolder['files'][number];
type FolderEntry = ListedFolder['folders'][number];

/** Pages that one folders-only request may read before it returns what it has found. */
const MAX_PAGES = 50;

/** The part of a listing's query that identifies the page, and what it shows. */
type FolderPage = Pick<ListingQuery, 'path' | 'continuationToken' | 'maxKeys' | 'foldersOnly' | 'thumbhash'>;

/** Facts about files that the store does not know. */
interface FileFacts {
  dates: OriginalDates;
  thumbHashes: Pick<ThumbHashes, 'of'>;
  /** The part that anybody may read, as the settings are now. */
  published: () => Promise<PublicPrefixes>;
}

/**
 * Reads a page of the folder `path`: its folders and files, each in natural order. The markers that some
 * tools create for empty folders (keys ending with `/`) are not files, and the trash is not a folder. A
 * folders-only request searches up to 50 pages, so that folders are found among a hundred thousand files.
 */
async function readFolder(
  bucket: Bucket,
  query: FolderPage,
  { dates, thumbHashes, published }: FileFacts,
): Promise<ListedFolder> {
  const page = query.foldersOnly ? await findFolders(bucket, query) : await listPage(bucket, request(query));
  const compare = naturalOrder();
  const byName = (a: { name: string }, b: { name: string }) => compare(a.name, b.name);
  const objects = query.foldersOnly ? [] : page.objects.filter(({ key }) => !key.endsWith('/'));
  const keys = objects.map(({ key }) => key);
  const [prefixes, urls, modified, seen] = await Promise.all([
    published(),
    signObjectUrls(bucket, keys),
    dates.of(bucket, objects),
    query.thumbhash ? thumbHashes.of(bucket, objects) : [],
  ]);
  const files = objects.map((object, index) => {
    const lastModified = modified[index] ?? object.lastModified;
    const entry = toFileEntry({ ...object, lastModified }, urls[index] ?? '', query.path);
    const publicPath = prefixes.pathOf(object.key, versionOf(object.etag));
    return { ...entry, publicPath, thumbhash: seen[index] };
  });
  return {
    folders: page.prefixes
      .filter((prefix) => prefix !== TRASH && prefix !== RENDITIONS)
      .map((prefix) => toFolderEntry(prefix, query.path))
      .sort(byName),
    files: files.sort(byName),
    currentPath: query.path,
    continuationToken: page.continuationToken,
  };
}

function request({ path, maxKeys, continuationToken }: FolderPage) {
  return { prefix: path, delimiter: '/', maxKeys, continuationToken };
}

async function findFolders(bucket: Bucket, query: FolderPage): Promise<ObjectPage> {
  let found = await listPage(bucket, request(query));
  for (let pages = 1; pages < MAX_PAGES; pages += 1) {
    const maxKeys = query.maxKeys - found.prefixes.length;
    if (found.continuationToken === null || maxKeys === 0) break;
    const { continuationToken } = found;
    const page = await listPage(bucket, request({ ...query, maxKeys, continuationToken }));
    found = { ...page, prefixes: [...found.prefixes, ...page.prefixes] };
  }
  return found;
}

/** A folder as listings show it, in the folder `parent`. */
export function toFolderEntry(prefix: string, parent: string): FolderEntry {
  return { name: prefix.slice(parent.length, -1), path: prefix, type: 'folder' };
}

/** A file as listings show it, in the folder `parent`. */
export function toFileEntry(object: StoredObject, url: string, parent: string): FileEntry {
  const contentType = mediaTypeOf(object.key);
  return {
    name: object.key.slice(parent.length),
    path: object.key,
    url,
    size: object.size,
    lastModified: object.lastModified.toISOString(),
    contentType,
    type: mediaKindOf(contentType),
  };
}

type MediaKind = 'image' | 'video' | 'audio' | 'file';

/**
 * The media type for a key's extension. A listing does not include the stored one, and a request for each of
 * a thousand files would take longer than the listing itself.
 */
export function mediaTypeOf(key: string): string {
  return lookup(extname(key)) || 'application/octet-stream';
}

export function mediaKindOf(mediaType: string): MediaKind {
  const [kind] = mediaType.split('/', 1);
  return kind === 'image' || kind === 'video' || kind === 'audio' ? kind : 'file';
}

/**
 * Compares names in the order people expect: numbers by value (`a2` before `a10`), letters regardless of case
 * and accents, in any script (CLDR root collation). Ties are broken by code units.
 */
export function naturalOrder(): (a: string, b: string) => number {
  const collator = new Intl.Collator('und', { numeric: true });
  return (a, b) => collator.compare(a, b) || (a < b ? -1 : Number(a > b));
}
