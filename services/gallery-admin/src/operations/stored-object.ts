import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import type { Bucket } from '../buckets/bucket.ts';
import { isRefusal, isStoreFault } from '../buckets/store-fault.ts';
import { type StoredObject, unquoted } from '../listing/object-page.ts';
import { isKeyLength } from '../names.ts';

/**
 * Looks up the object `key`; undefined if it does not exist. Throws the store's refusal of a name it does not
 * accept.
 */
export async function findObject(bucket: Bucket, key: string): Promise<StoredObject | undefined> {
  // A longer name cannot be a key, and stores reject the request.
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

/** The answer to a HEAD has no body, so a second request finds out what a refusal means. */
export async function explainedHead({ name, s3 }: Bucket, key: string, error: unknown): Promise<unknown> {
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

/** What readers get with an object besides its bytes, and what a copy carries. */
export async function headersOf(bucket: Bucket, { key, etag }: StoredObject) {
  const input = { Bucket: bucket.name, Key: key, IfMatch: `"${etag}"` };
  const head = await bucket.s3.send(new HeadObjectCommand(input));
  return {
    ContentType: head.ContentType,
    CacheControl: head.CacheControl,
    ContentDisposition: head.ContentDisposition,
    ContentEncoding: head.ContentEncoding,
    ContentLanguage: head.ContentLanguage,
    Expires: head.ExpiresString === undefined ? undefined : new Date(head.ExpiresString),
    Metadata: head.Metadata,
  };
}

/**
 * True if two objects have the same bytes, type and metadata, so that nothing is lost with one of them. Equal
 * entity tags and sizes are enough for the bytes. Stores give the same bytes a different tag if they are
 * encrypted or were written in other parts; then the bytes are compared.
 */
export async function isSameObject(bucket: Bucket, a: StoredObject, b: StoredObject): Promise<boolean> {
  if (a.size !== b.size) return false;
  const [headersA, headersB] = await Promise.all([headersOf(bucket, a), headersOf(bucket, b)]);
  if (!isDeepStrictEqual(headersA, headersB)) return false;
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
