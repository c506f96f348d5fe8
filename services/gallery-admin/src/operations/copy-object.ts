import { CopyObjectCommand, type CopyObjectCommandInput } from '@aws-sdk/client-s3';
import type { Bucket } from '../buckets/bucket.ts';
import { slowRequest } from '../buckets/slow-request.ts';
import { isStoreFault } from '../buckets/store-fault.ts';
import { type StoredObject, unquoted } from '../listing/object-page.ts';
import { copyInParts } from './copy-in-parts.ts';
import { type CopyLimits, copySource, copyTimeout, ifFree } from './copy-request.ts';
import { ObjectChanged } from './object-failure.ts';
import { findObject, isSameContent } from './stored-object.ts';

/**
 * Copies `source` to the key `target`, which must be free, with its metadata. Resolves to the entity tag of
 * the copy once the store has it whole. Where the store knows conditional copies, nothing that another writer
 * puts to `target` in the meantime is overwritten. Throws {@link ObjectChanged} when the source is not what it was,
 * or the target is taken by something else.
 */
export async function copyObject(
  bucket: Bucket,
  source: StoredObject,
  target: string,
  limits: CopyLimits,
): Promise<string> {
  const copy = source.size > limits.singleCopyBytes ? copyInParts : copyWhole;
  try {
    const etag = await copy(bucket, source, target, limits);
    if (etag !== source.etag) await assertUnchanged(bucket, source);
    return etag;
  } catch (error) {
    if (!isRefused(error)) throw error;
    return explainRefusal(bucket, source, target, error);
  }
}

async function copyWhole(bucket: Bucket, source: StoredObject, target: string): Promise<string> {
  const input: CopyObjectCommandInput = {
    Bucket: bucket.name,
    Key: target,
    CopySource: copySource(bucket, source.key),
    CopySourceIfMatch: `"${source.etag}"`,
    StorageClass: source.storageClass as CopyObjectCommandInput['StorageClass'],
  };
  const { CopyObjectResult } = await ifFree((condition) =>
    slowRequest(bucket, copyTimeout(source.size), (options) =>
      bucket.s3.send(new CopyObjectCommand({ ...input, ...condition }), options),
    ),
  );
  return unquoted(CopyObjectResult?.ETag ?? '');
}

/** A store that ignores conditions on the source may have copied another version of it. */
async function assertUnchanged(bucket: Bucket, source: StoredObject): Promise<void> {
  const current = await findObject(bucket, source.key);
  if (current?.etag !== source.etag) throw new ObjectChanged('the source has changed in the meantime');
}

/** True for an answer that depends on what is in the bucket: source gone, or a condition not met. */
function isRefused(error: unknown): boolean {
  if (!isStoreFault(error) || error.name === 'NoSuchBucket') return false;
  return [404, 409, 412].includes(error.$metadata.httpStatusCode ?? 0);
}

/**
 * A request that was sent again after a lost answer finds its own copy in place: that is the success it
 * looked for.
 */
async function explainRefusal(
  bucket: Bucket,
  source: StoredObject,
  target: string,
  error: unknown,
): Promise<string> {
  const [current, existing] = await Promise.all([findObject(bucket, source.key), findObject(bucket, target)]);
  if (existing !== undefined && existing.size === source.size) {
    if (existing.etag === source.etag) return existing.etag;
    if (current?.etag === source.etag && (await isSameContent(bucket, current, existing))) {
      return existing.etag;
    }
  }
  if (current?.etag !== source.etag) throw new ObjectChanged('the source has changed in the meantime');
  if (existing !== undefined) throw new ObjectChanged('the destination was taken in the meantime');
  throw error;
}
