import { PutObjectCommand } from '@aws-sdk/client-s3';
import { Failure } from '@pressroom/common/failures/failure';
import { operation } from '@pressroom/common/http/operation';
import { z } from 'zod';
import { findObject, forEachConcurrently } from './batches/objects.ts';
import { destinationConflict } from './batches/transfer.ts';
import type { Bucket, BucketSource } from './buckets/bucket.ts';
import { isNameRefused, NAME_REFUSED } from './buckets/store-errors.ts';
import { folderPath, folderPrefix, isKeyLength, MAX_KEY_BYTES, objectKey } from './names.ts';
import {
  isFolder,
  type OriginalDates,
  refuseMarkedFolders,
  type StoredObject,
} from './objects/object-page.ts';
import { logWrite, problemResponses } from './problems.ts';

/** The most paths in one look-up. */
const MAX_PATHS = 1000;

/** The body of a request for a new folder. */
const folderBody = z.strictObject({
  path: folderPath
    .refine((value) => value !== '', 'must not be empty: the root always exists')
    .meta({ minLength: 1, maxLength: 1024 })
    .describe('The folder, with or without "/" at its end. Folders around it need not exist.'),
});

/** The response to a request for a new folder. */
const folderAnswer = z.object({
  success: z.literal(true),
  message: z.string(),
  created: z.boolean().describe('False if the folder existed.'),
  path: z.string().describe('The folder as a prefix, ending with "/".'),
});

const lookUpBody = z.strictObject({
  paths: z
    .array(objectKey, `must be a list of 1 to ${MAX_PATHS} paths`)
    .min(1, 'must contain at least one path')
    .max(MAX_PATHS, `must contain at most ${MAX_PATHS} paths`)
    .describe('Keys of files, and folders, such as the keys that an upload is about to have.'),
});

const lookedUp = z.object({
  path: z.string().describe('As sent.'),
  file: z
    .object({
      size: z.int().describe('In bytes.'),
      lastModified: z.string().describe('RFC 3339, UTC: as in the listing.'),
      etag: z.string().describe('Changes with the content; without quotes.'),
    })
    .nullable()
    .describe('The file at the path; null if there is none.'),
  folder: z.boolean().describe('True if a folder with this name exists.'),
});

type LookedUp = z.infer<typeof lookedUp>;

const lookUpAnswer = z.object({
  success: z.literal(true),
  data: z.array(lookedUp).describe('One entry per path, in the order of the request.'),
});

const TAGS = ['gallery'];
const PROBLEMS = problemResponses(400, 401, 403, 413, 415, 500, 503);

/** New folders, and which names are taken: additions to `docs/spec/gallery-admin.md`, "Endpoints". */
export function folderOperations(buckets: BucketSource, dates: OriginalDates) {
  return { create: createOperation(buckets), lookUp: lookUpOperation(buckets, dates) };
}

function createOperation(buckets: BucketSource) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'createFolder',
      summary: 'Create an empty folder',
      description:
        'Stores a folder marker. A folder that exists stays as it is, so the request can be repeated.',
      body: folderBody,
      response: { 200: folderAnswer, ...PROBLEMS },
    },
    handler: async (request) => {
      const { path } = request.body;
      const created = await createFolder(await buckets.current(), path);
      if (created) logWrite(request, 'folder_created', { path });
      const message = created ? 'folder created' : 'the folder existed';
      return { success: true as const, message, created, path };
    },
  });
}

function lookUpOperation(buckets: BucketSource, dates: OriginalDates) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'lookUpPaths',
      summary: 'Find out which of up to 1,000 names are taken',
      description: 'Says for each path whether a file or a folder has it. Nothing is changed or reserved.',
      body: lookUpBody,
      response: { 200: lookUpAnswer, ...PROBLEMS },
    },
    handler: async ({ body: { paths } }) => {
      return { success: true as const, data: await lookUpPaths(await buckets.current(), paths, dates) };
    },
  });
}

const LOOKUPS = 16;

/** The type that S3's own console gives to folder markers. */
const MARKER_TYPE = 'application/x-directory';

/**
 * Makes an empty folder by storing its marker, the empty object `prefix`. Resolves to false if the folder
 * existed. Fails as `refused` if a file has the name, or the store does not accept it.
 */
async function createFolder(bucket: Bucket, prefix: string): Promise<boolean> {
  if (!isKeyLength(prefix)) {
    throw new Failure('refused', `path must be at most ${MAX_KEY_BYTES} bytes of UTF-8`);
  }
  const { file, folder } = await lookUp(bucket, prefix.slice(0, -1));
  if (folder) return false;
  if (file) throw destinationConflict([{ reason: 'a file has this name', paths: [prefix.slice(0, -1)] }]);
  await refuseMarkedFolders(bucket, prefix);
  const marker = new PutObjectCommand({
    Bucket: bucket.name,
    Key: prefix,
    Body: new Uint8Array(0),
    ContentLength: 0,
    ContentType: MARKER_TYPE,
  });
  await bucket.s3.send(marker).catch((error: unknown) => {
    throw isNameRefused(error) ? new Failure('refused', NAME_REFUSED) : error;
  });
  return true;
}

/** Looks up each path, in the order of `paths`. */
async function lookUpPaths(
  bucket: Bucket,
  paths: readonly string[],
  dates: OriginalDates,
): Promise<LookedUp[]> {
  const found = new Map<string, Found>();
  await forEachConcurrently(new Set(paths), LOOKUPS, async (path) => {
    found.set(path, await lookUp(bucket, path));
  });
  const files = [...found.values()].flatMap(({ file }) => file ?? []);
  const modified = await dates.of(bucket, files);
  const written = new Map(files.map(({ key }, index) => [key, modified[index]]));
  return paths.map((path) => {
    const { file, folder } = found.get(path) ?? { file: undefined, folder: false };
    if (file === undefined) return { path, file: null, folder };
    const lastModified = written.get(path) ?? file.lastModified;
    return {
      path,
      file: { size: file.size, lastModified: lastModified.toISOString(), etag: file.etag },
      folder,
    };
  });
}

interface Found {
  file: StoredObject | undefined;
  folder: boolean;
}

async function lookUp(bucket: Bucket, path: string): Promise<Found> {
  // A path with "/" at its end names a folder; its marker is not a file.
  const [file, folder] = await Promise.all([
    path.endsWith('/') ? undefined : findObject(bucket, path).catch(refusedName),
    isFolder(bucket, folderPrefix(path)),
  ]);
  return { file, folder };
}

/** Nothing exists under a name that the store does not accept. */
function refusedName(error: unknown): undefined {
  if (!isNameRefused(error)) throw error;
}
