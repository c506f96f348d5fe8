import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import type { Bucket } from '../buckets/bucket.ts';
import { isRefusal, isStoreFault } from '../buckets/store-fault.ts';
import { type StoredObject, unquoted } from '../listing/object-page.ts';
import { isKeyLength } from '../names.ts';

/**
 * Looks at the object `key`; undefined when there is none. Throws the store's refusal of a name that it does
 * not take.
 */
export async function findObject(bucket: Bucket, key: string): Promise<StoredObject | undefined> {
  // What is longer than a key names none, and stores refuse to look.
  if (!isKeyLength(key)) return undefined;
  try {
    const head = await bucket.s3.send(new HeadObjectCommand({ Bucket: bucket.name, Key: key }));
    return {
      key,
      size: head.ContentLength ?? 0,
      etag: unquoted(head.ETag ?? ''),
      lastModified: head.LastModified ?? new Date(0),
      storageClass: head.StorageClass,
    };
  } catch (error) {
    if (isRefusal(error, 'NotFound') || isRefusal(error, 'NoSuchKey')) return undefined;
    throw await explainedHead(bucket, key, error);
  }
}

/** The answer to a HEAD has no body: what a refusal means is asked once more. */
async function explainedHead({ name, s3 }: Bucket, key: string, error: unknown): Promise<unknown> {
  if (!isStoreFault(error) || error.$metadata.httpStatusCode !== 400) return error;
  const get = new GetObjectCommand({ Bucket: name, Key: key, Range: 'bytes=0-0' });
  return s3.send(get).then(
    ({ Body }) => {
      (Body as Readable | undefined)?.destroy();
      return error;
    },
    (explained: unknown) => explained,
  );
}

/**
 * True when two objects hold the same bytes. Equal entity tags and sizes tell it at once; stores give another
 * tag to the same bytes when they are encrypted or were written in other parts, and then the bytes are read.
 */
export async function isSameContent(bucket: Bucket, a: StoredObject, b: StoredObject): Promise<boolean> {
  if (a.size !== b.size) return false;
  if (a.etag === b.etag) return true;
  const [hashA, hashB] = await Promise.all([contentHash(bucket, a), contentHash(bucket, b)]);
  return hashA.equals(hashB);
}

async function contentHash(bucket: Bucket, { key, etag }: StoredObject): Promise<Buffer> {
  const input = { Bucket: bucket.name, Key: key, IfMatch: `"${etag}"` };
  const { Body } = await bucket.s3.send(new GetObjectCommand(input));
  const hash = createHash('sha256');
  await pipeline(Body as Readable, hash);
  return hash.digest();
}
