import { Failure } from '@pressroom/common/failures/failure';
import type { Bucket } from '../buckets/bucket.ts';
import { isFolder, refuseMarkedFolders } from '../listing/marked-folders.ts';
import { folderPath } from '../names.ts';

/**
 * The folder that `dest`, a prefix, names: an existing one, spelled exactly so, or a new one that follows the
 * rules for new names. Fails as `refused` for a name that no new folder may have.
 */
export async function destinationFolder(bucket: Bucket, dest: string): Promise<string> {
  const { success, data = '', error } = folderPath.safeParse(dest);
  if (data !== dest && (await isFolder(bucket, dest))) return dest;
  if (!success) throw new Failure('refused', `dest ${error.issues[0]?.message}`);
  await refuseMarkedFolders(bucket, data);
  return data;
}
