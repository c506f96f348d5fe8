import { checksumHeaders } from '../checksums.ts';
import { isNotModified, isRangeValid } from '../conditions.ts';
import { S3Error } from '../errors.ts';
import { responseHeaders } from '../object-headers.ts';
import { parseRange } from '../ranges.ts';
import type { S3Request } from '../request.ts';
import type { StoredObject } from '../storage/objects.ts';
import type { Operation } from './context.ts';

/** GetObject and HeadObject: conditions first, then the range. */
export const getObject: Operation = async ({ storage, request }) => {
  const { bucket, key, query, headers, method } = request;
  if (query.has('partNumber')) throw new S3Error('NotImplemented', 'Objects are not read by part number.');
  storage.buckets.require(bucket);
  const object = storage.objects.require(bucket, key);
  if (isNotModified(headers, object)) return { status: 304, headers: notModifiedHeaders(object) };

  const requested = isRangeValid(headers['if-range'], object) ? headers.range : undefined;
  const range = parseRange(requested, object.size);
  const { start, length } = range ?? { start: 0, length: object.size };
  return {
    status: range ? 206 : 200,
    headers: {
      ...validatorHeaders(object),
      ...responseHeaders(object.headers, query),
      ...(range ? {} : storedChecksum(request, object)),
      ...(range ? { 'content-range': `bytes ${start}-${start + length - 1}/${object.size}` } : {}),
      'accept-ranges': 'bytes',
      'content-length': String(length),
    },
    ...(method === 'HEAD'
      ? {}
      : { body: storage.contents.read(storage.contents.segments(object.content, start, length)) }),
  };
};

function validatorHeaders({ etag, modified }: StoredObject): Record<string, string> {
  return { etag: `"${etag}"`, 'last-modified': new Date(modified).toUTCString() };
}

function notModifiedHeaders(object: StoredObject): Record<string, string> {
  const { 'cache-control': cacheControl } = object.headers;
  return { ...validatorHeaders(object), ...(cacheControl ? { 'cache-control': cacheControl } : {}) };
}

// With these the SDK checks what it receives.
function storedChecksum({ headers }: S3Request, { checksum }: StoredObject): Record<string, string> {
  return headers['x-amz-checksum-mode']?.toUpperCase() === 'ENABLED' ? checksumHeaders(checksum) : {};
}
