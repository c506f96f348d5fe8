import type { Bucket } from '../buckets/bucket.ts';
import { listObjects } from '../listing/object-page.ts';
import { folderPrefix, RENDITIONS } from '../names.ts';
import { forEachConcurrently } from '../operations/concurrently.ts';
import { deleteObjects } from '../operations/delete-objects.ts';
import type { PublicPrefixes } from './public-prefixes.ts';

/** Paths looked up at a time. */
const LOOKUPS = 16;

/**
 * Deletes what was made from the pictures at some paths, keys and folders, once these have been deleted or
 * moved. What cannot be deleted does no harm: without its picture it is not reached.
 */
export function discardRenditions(prefixes: PublicPrefixes) {
  return async (bucket: Bucket, paths: readonly string[]): Promise<void> => {
    const published = paths.filter((path) => prefixes.touches(path));
    await forEachConcurrently(published, LOOKUPS, async (path) => {
      await deleteObjects(bucket, listObjects(bucket, `${RENDITIONS}${folderPrefix(path)}`));
    });
  };
}
