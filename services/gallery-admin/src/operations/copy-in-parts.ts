import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type StorageClass,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import type { Bucket } from '../buckets/bucket.ts';
import { slowRequest } from '../buckets/slow-request.ts';
import type { StoredObject } from '../listing/object-page.ts';
import { forEachConcurrently } from './concurrently.ts';
import { type CopyLimits, copySource, copyTimeout, ifFree } from './copy-request.ts';
import { ObjectChanged } from './object-failure.ts';
import { findObject, headersOf } from './stored-object.ts';

/** Parts of one object copied at a time. */
const PARTS_AT_A_TIME = 4;

/** The most parts that S3 accepts for one object. */
const MAX_PARTS = 10_000;

/** One part: its number from 1, and its bytes in the source, the last included. */
interface PartRange {
  number: number;
  first: number;
  last: number;
}

/** Divides `size` bytes into parts of `partBytes`, or larger ones if there would be over 10,000. */
export function partRanges(size: number, partBytes: number): PartRange[] {
  const bytes = Math.max(partBytes, Math.ceil(size / MAX_PARTS));
  return Array.from({ length: Math.ceil(size / bytes) }, (_, index) => ({
    number: index + 1,
    first: index * bytes,
    last: Math.min((index + 1) * bytes, size) - 1,
  }));
}

/**
 * Copies an object that is too large for one request. Resolves to the entity tag of the copy. See
 * `copyObject`.
 */
export async function copyInParts(
  bucket: Bucket,
  source: StoredObject,
  target: string,
  { partBytes }: CopyLimits,
): Promise<string> {
  const uploadId = await begin(bucket, source, target);
  const upload = { Bucket: bucket.name, Key: target, UploadId: uploadId };
  try {
    const parts = await copyParts(bucket, source, upload, partBytes);
    const complete = { ...upload, MultipartUpload: { Parts: parts } };
    await ifFree((condition) =>
      slowRequest(bucket, copyTimeout(source.size), (options) =>
        bucket.s3.send(new CompleteMultipartUploadCommand({ ...complete, ...condition }), options),
      ),
    );
  } catch (error) {
    // Parts cost money until they are removed; if the store is unavailable, its own clean-up rule removes
    // them.
    await bucket.s3.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
    throw error;
  }
  // Not every store returns the entity tag on completion.
  const copy = await findObject(bucket, target);
  if (copy?.size !== source.size) throw new ObjectChanged('the copy has changed since');
  return copy.etag;
}

/** A multipart upload copies no metadata by itself, so the source's is passed on here. */
async function begin(bucket: Bucket, source: StoredObject, target: string): Promise<string> {
  const { UploadId } = await bucket.s3.send(
    new CreateMultipartUploadCommand({
      Bucket: bucket.name,
      Key: target,
      StorageClass: source.storageClass as StorageClass | undefined,
      ...(await headersOf(bucket, source)),
    }),
  );
  if (UploadId === undefined) throw new Error('the object store started an upload without an id');
  return UploadId;
}

async function copyParts(
  bucket: Bucket,
  source: StoredObject,
  upload: { Bucket: string; Key: string; UploadId: string },
  partBytes: number,
): Promise<CompletedPart[]> {
  const parts: CompletedPart[] = [];
  await forEachConcurrently(
    partRanges(source.size, partBytes),
    PARTS_AT_A_TIME,
    async ({ number, first, last }) => {
      const part = new UploadPartCopyCommand({
        ...upload,
        PartNumber: number,
        CopySource: copySource(bucket, source.key),
        CopySourceIfMatch: `"${source.etag}"`,
        CopySourceRange: `bytes=${first}-${last}`,
      });
      const { CopyPartResult } = await slowRequest(bucket, copyTimeout(last - first + 1), (options) =>
        bucket.s3.send(part, options),
      );
      parts[number - 1] = { PartNumber: number, ETag: CopyPartResult?.ETag };
    },
  );
  return parts;
}
