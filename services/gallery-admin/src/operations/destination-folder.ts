import { Failure } from '@pressroom/common/failures/failure';
import type { Bucket } from '../buckets/bucket.ts';
import { listPage } from '../listing/object-page.ts';
import { folderPath } from '../names.ts';
import { isNameRefused } from '../store-names.ts';

/**
 * The folder that `dest`, a prefix, names: an existing one, spelled exactly so, or a new one that follows the
 * rules for new names. Fails as `refused` for a name that no new folder may have.
 */
export async function destinationFolder(bucket: Bucket, dest: string): Promise<string> {
  const { success, data = '', error } = folderPath.safeParse(dest);
  if (data === dest || (await isThere(bucket, dest))) return dest;
  if (success) return data;
  throw new Failure('refused', `dest ${error.issues[0]?.message}`);
}

async function isThere(bucket: Bucket, prefix: string): Promise<boolean> {
  try {
    return (await listPage(bucket, { prefix, maxKeys: 1 })).objects.length > 0;
  } catch (error) {
    if (isNameRefused(error)) return false;
    throw error;
  }
}
