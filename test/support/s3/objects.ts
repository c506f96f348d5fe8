import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';

/** The least that a part may have, the last one excepted. */
export const MINIMUM_PART_BYTES = 5 * 1024 * 1024;

/** Puts an object. */
export async function put(
  s3: S3Client,
  bucket: string,
  key: string,
  body: string | Uint8Array = 'x',
): Promise<string> {
  const { ETag } = await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
  return ETag ?? '';
}

/** Puts objects, each holding its own key. */
export async function putAll(s3: S3Client, bucket: string, keys: string[]): Promise<void> {
  const concurrency = 16;
  for (let start = 0; start < keys.length; start += concurrency) {
    await Promise.all(keys.slice(start, start + concurrency).map((key) => put(s3, bucket, key, key)));
  }
}

/** Reads an object as text. */
export async function read(s3: S3Client, bucket: string, key: string): Promise<string> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  return (await Body?.transformToString()) ?? '';
}

/** Reads an object. */
export async function readBytes(s3: S3Client, bucket: string, key: string): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

/** All keys of a listing, and its common prefixes, page after page. */
export async function listAll(
  s3: S3Client,
  input: ListObjectsV2CommandInput,
): Promise<{ keys: string[]; prefixes: string[]; pages: number }> {
  const listing = { keys: [] as string[], prefixes: [] as string[], pages: 0 };
  let token: string | undefined;
  do {
    const page = await s3.send(new ListObjectsV2Command({ ...input, ContinuationToken: token }));
    listing.keys.push(...(page.Contents ?? []).map(({ Key }) => Key ?? ''));
    listing.prefixes.push(...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix ?? ''));
    listing.pages += 1;
    token = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
  return listing;
}

/** Begins a multipart upload and returns its id. */
export async function beginUpload(s3: S3Client, bucket: string, key: string): Promise<string> {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: key }));
  return UploadId ?? '';
}

/** Destination of an upload's parts. */
export interface UploadTarget {
  Bucket: string;
  Key: string;
  UploadId: string;
}

/** Uploads a part, and gives it as CompleteMultipartUpload wants it. */
export async function uploadPart(
  s3: S3Client,
  target: UploadTarget,
  number: number,
  body: string | Uint8Array,
): Promise<CompletedPart> {
  const { ETag } = await s3.send(new UploadPartCommand({ ...target, PartNumber: number, Body: body }));
  return { PartNumber: number, ETag };
}

/** Completes an upload. */
export async function completeUpload(s3: S3Client, target: UploadTarget, parts: CompletedPart[]) {
  return s3.send(new CompleteMultipartUploadCommand({ ...target, MultipartUpload: { Parts: parts } }));
}

/**
 * Removes a bucket and all that is in it. It stays if the store cannot delete an object: versitygw lists
 * `a\u0001` as `a\ufffd`.
 */
export async function removeBucket(s3: S3Client, bucket: string): Promise<void> {
  // The embedded store does not list them, and removes them with the bucket.
  const listing = s3.send(new ListMultipartUploadsCommand({ Bucket: bucket })).catch(() => ({ Uploads: [] }));
  for (const { Key, UploadId } of (await listing).Uploads ?? []) {
    await s3.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
  }
  const { keys } = await listAll(s3, { Bucket: bucket });
  // XML has no control characters.
  const alone = keys.filter((key) => /\p{Cc}/u.test(key));
  const together = keys.filter((key) => !alone.includes(key));
  for (const Key of alone) await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
  for (let start = 0; start < together.length; start += 1000) {
    const batch = together.slice(start, start + 1000).map((Key) => ({ Key }));
    await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: batch, Quiet: true } }));
  }
  await s3.send(new DeleteBucketCommand({ Bucket: bucket })).catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== 'BucketNotEmpty') throw error;
  });
}
