import { checksumAlgorithm, checksumElements } from '../checksums.ts';
import { S3Error } from '../errors.ts';
import { objectHeaders, refuseUnimplemented } from '../object-headers.ts';
import { integerParameter } from '../request.ts';
import { xmlResponse } from '../response.ts';
import type { Operation } from './context.ts';
import { nameEncoder } from './name-encoding.ts';

const PAGE = { fallback: 1000, minimum: 0, maximum: 2 ** 31 - 1 };
const MAXIMUM_PAGE = 1000;

/** CreateMultipartUpload: what the object will carry is said here. */
export const createMultipartUpload: Operation = async ({ storage, request, payload, now }) => {
  const { bucket, key } = request;
  storage.buckets.require(bucket);
  refuseUnimplemented(request.headers);
  await payload.text();
  const headers = objectHeaders(request.headers);
  const requested = request.headers['x-amz-checksum-algorithm'];
  const algorithm = requested === undefined ? undefined : checksumAlgorithm(requested);
  const uploadId = await storage.change(() => {
    storage.buckets.require(bucket);
    return storage.uploads.create(bucket, key, { headers, checksumAlgorithm: algorithm }, now());
  });
  return xmlResponse(
    'InitiateMultipartUploadResult',
    { Bucket: bucket, Key: key, UploadId: uploadId },
    algorithm ? { 'x-amz-checksum-algorithm': algorithm } : {},
  );
};

/** AbortMultipartUpload: what was uploaded is removed. */
export const abortMultipartUpload: Operation = async ({ storage, request }) => {
  const { bucket, key, query } = request;
  storage.buckets.require(bucket);
  await storage.change(() => {
    const { id } = storage.uploads.require(bucket, key, query.get('uploadId') ?? '');
    storage.uploads.delete(id);
  });
  return { status: 204 };
};

/** ListParts: by number, a page at a time. */
export const listParts: Operation = async ({ storage, request }) => {
  const { bucket, key, query } = request;
  storage.buckets.require(bucket);
  const upload = storage.uploads.require(bucket, key, query.get('uploadId') ?? '');
  const limit = Math.min(integerParameter(query, 'max-parts', PAGE), MAXIMUM_PAGE);
  const after = integerParameter(query, 'part-number-marker', { ...PAGE, fallback: 0 });
  const found = storage.uploads.parts(upload.id, after, limit + 1);
  const parts = found.slice(0, limit);
  return xmlResponse('ListPartsResult', {
    Bucket: bucket,
    Key: nameEncoder(query)(key),
    UploadId: upload.id,
    StorageClass: 'STANDARD',
    ChecksumAlgorithm: upload.checksumAlgorithm,
    PartNumberMarker: after,
    NextPartNumberMarker: parts.at(-1)?.number ?? after,
    MaxParts: limit,
    IsTruncated: limit > 0 && found.length > limit,
    Part: parts.map((part) => ({
      PartNumber: part.number,
      LastModified: new Date(part.modified).toISOString(),
      ETag: `"${part.etag}"`,
      Size: part.size,
      ...checksumElements(part.checksum),
    })),
  });
};

/** The number of a part. @throws S3Error InvalidArgument unless it is 1 to 10,000 */
export function partNumber(query: URLSearchParams): number {
  const number = integerParameter(query, 'partNumber', { fallback: 0, minimum: 1, maximum: 10_000 });
  if (number === 0) throw new S3Error('InvalidArgument', 'partNumber must be an integer from 1 to 10000.');
  return number;
}
