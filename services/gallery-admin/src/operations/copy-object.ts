import { CopyObjectCommand, type CopyObjectCommandInput } from '@aws-sdk/client-s3';
import type { Bucket } from '../buckets/bucket.ts';
import { slowRequest } from '../buckets/slow-request.ts';
import { isStoreFault } from '../buckets/store-fault.ts';
import { type StoredObject, unquoted } from '../listing/object-page.ts';
import { copyInParts } from './copy-in-parts.ts';
import { type CopyLimits, copySource, copyTimeout, ifFree } from './copy-request.ts';
import { ObjectChanged } from './object-failure.ts';
import { findObject, isSameObject } from './stored-object.ts';

/**
 * Copies `source`, with its metadata, to the key `target`, which must be free. Resolves to the entity tag of
 * the copy once it is complete. If the store supports conditional copies, an object that another writer
 * creates at `target` during the copy is not overwritten. Throws {@link ObjectChanged} if the source has
 * changed or the target is taken by another object.
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

/** A store that ignores conditions on the source may have copied a different version. */
async function assertUnchanged(bucket: Bucket, source: StoredObject): Promise<void> {
  const current = await findObject(bucket, source.key);
  if (current?.etag !== source.etag) throw new ObjectChanged('the source has changed since');
}

/** True for an answer caused by the state of the bucket: the source is gone or a condition is not met. */
function isRefused(error: unknown): boolean {
  if (!isStoreFault(error) || error.name === 'NoSuchBucket') return false;
  return [404, 409, 412].includes(error.$metadata.httpStatusCode ?? 0);
}

/** A request repeated after a lost answer finds its own copy in place, which means it succeeded. */
async function explainRefusal(
  bucket: Bucket,
  source: StoredObject,
  target: string,
  error: unknown,
): Promise<string> {
  const [current, existing] = await Promise.all([findObject(bucket, source.key), findObject(bucket, target)]);
  if (current?.etag !== source.etag) throw new ObjectChanged('the source has changed since');
  if (existing === undefined) throw error;
  if (await isSameObject(bucket, current, existing)) return existing.etag;
  throw new ObjectChanged('the destination has been taken since');
}
