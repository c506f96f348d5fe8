import { Failure } from '@pressroom/common/failures/failure';
import type { Bucket } from '../buckets/bucket.ts';
import { hiddenMark, markInWords } from '../names.ts';
import { listPage } from './object-page.ts';

/**
 * Fails as `refused` if a folder of `prefix` that does not exist yet has a name with a hidden mark. One that
 * exists is used as it is, whatever its name.
 */
export async function refuseMarkedFolders(bucket: Bucket, prefix: string): Promise<void> {
  const mark = hiddenMark(prefix);
  if (mark === undefined) return;
  // If the folder with the last mark exists, so do those around it.
  const marked = prefix.slice(0, prefix.indexOf('/', mark.last) + 1);
  if (await isFolder(bucket, marked)) return;
  throw new Failure('refused', `the folder ${JSON.stringify(marked)} ${markInWords(mark.character)}`);
}

/** Whether the folder with this prefix, spelled exactly so, exists. */
export async function isFolder(bucket: Bucket, prefix: string): Promise<boolean> {
  return (await listPage(bucket, { prefix, maxKeys: 1 })).objects.length > 0;
}
