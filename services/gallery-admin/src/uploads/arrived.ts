import { ListPartsCommand, type ListPartsCommandOutput, type Part } from '@aws-sdk/client-s3';
import type { Bucket } from '../buckets/bucket.ts';
import { MAX_PARTS } from './parts.ts';
import { noUpload } from './refusals.ts';
import type { MultipartSession, UploadedPart } from './schema.ts';
import { isStrangeUploadId } from './upload-id.ts';

/** Parts in a page of S3's list. */
const PAGE = 1000;

/**
 * A page of the uploaded parts, after the part `marker`. Throws S3's `NoSuchUpload`, and fails as `missing`
 * for an id that no store gives.
 */
export async function someParts(
  { name, s3 }: Bucket,
  { uploadId, key }: MultipartSession,
  max: number,
  marker?: string,
): Promise<ListPartsCommandOutput> {
  if (isStrangeUploadId(uploadId)) throw noUpload();
  return s3.send(
    new ListPartsCommand({
      Bucket: name,
      Key: key,
      UploadId: uploadId,
      MaxParts: max,
      PartNumberMarker: marker,
    }),
  );
}

/** Every uploaded part, by number, over all pages. Throws S3's `NoSuchUpload`. */
export async function listParts(bucket: Bucket, session: MultipartSession): Promise<UploadedPart[]> {
  const parts: UploadedPart[] = [];
  let marker: string | undefined;
  do {
    const page = await someParts(bucket, session, PAGE, marker);
    parts.push(...(page.Parts ?? []).map(partOf));
    const next = page.IsTruncated ? page.NextPartNumberMarker : undefined;
    // Guards against a store that repeats a page endlessly.
    marker = next === marker || parts.length >= MAX_PARTS ? undefined : next;
  } while (marker !== undefined);
  return parts;
}

function partOf({ PartNumber = 0, ETag = '', Size = 0, LastModified = new Date(0) }: Part): UploadedPart {
  return { partNumber: PartNumber, etag: ETag, size: Size, lastModified: LastModified.toISOString() };
}
