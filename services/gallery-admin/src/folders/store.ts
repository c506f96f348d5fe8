import { PutObjectCommand } from '@aws-sdk/client-s3';
import { Failure } from '@pressroom/common/failures/failure';
import type { Bucket } from '../buckets/bucket.ts';
import { isFolder, refuseMarkedFolders } from '../listing/marked-folders.ts';
import type { StoredObject } from '../listing/object-page.ts';
import type { OriginalDates } from '../listing/original-dates.ts';
import { folderPrefix, isKeyLength, MAX_KEY_BYTES } from '../names.ts';
import { forEachConcurrently } from '../operations/concurrently.ts';
import { destinationConflict } from '../operations/destination.ts';
import { findObject } from '../operations/stored-object.ts';
import { isNameRefused, NAME_REFUSED } from '../store-names.ts';
import type { LookedUp } from './schema.ts';

/** Paths looked up at a time. */
const LOOKUPS = 16;

/** The type that S3's own console gives to folder markers. */
const MARKER_TYPE = 'application/x-directory';

/**
 * Makes an empty folder by storing its marker, the empty object `prefix`. Resolves to false if the folder
 * existed. Fails as `refused` if a file has the name, or the store does not accept it.
 */
export async function createFolder(bucket: Bucket, prefix: string): Promise<boolean> {
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

/** What each path names at the moment, in the order of `paths`. */
export async function lookUpPaths(
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

/** What is at a path. */
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
