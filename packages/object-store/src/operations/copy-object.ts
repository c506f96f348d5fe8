import { writeConditions } from '../conditions.ts';
import { S3Error } from '../errors.ts';
import { type ObjectHeaders, objectHeaders, refuseUnimplemented } from '../object-headers.ts';
import { MAXIMUM_UPLOAD_BYTES } from '../payload.ts';
import type { S3Request } from '../request.ts';
import { xmlResponse } from '../response.ts';
import type { StoredObject } from '../storage/objects.ts';
import type { Operation } from './context.ts';
import { findCopySource } from './copy-source.ts';

/** CopyObject: the copy refers to the same blobs, so that nothing is read or written. */
export const copyObject: Operation = async (context) => {
  const { storage, request, now } = context;
  const { bucket, key } = request;
  refuseUnimplemented(request.headers);
  const isReplaced = replacesMetadata(request);
  const conditions = writeConditions(request.headers);
  const copy = await storage.change((): StoredObject => {
    storage.buckets.require(bucket);
    const source = findCopySource(context);
    if (!isReplaced && source.bucket === bucket && source.key === key) throw copyToItself();
    if (source.object.size > MAXIMUM_UPLOAD_BYTES) throw tooLarge();
    const segments = storage.contents.segments(source.object.content, 0, source.object.size);
    const headers: ObjectHeaders = isReplaced ? objectHeaders(request.headers) : source.object.headers;
    const content = storage.contents.create(segments);
    const copied = { ...source.object, content, headers, modified: now(), upload: undefined };
    storage.objects.put(bucket, key, copied, conditions);
    return copied;
  });
  return xmlResponse('CopyObjectResult', {
    LastModified: new Date(copy.modified).toISOString(),
    ETag: `"${copy.etag}"`,
  });
};

function replacesMetadata({ headers }: S3Request): boolean {
  const directive = headers['x-amz-metadata-directive'] ?? 'COPY';
  if (directive !== 'COPY' && directive !== 'REPLACE') {
    throw new S3Error('InvalidArgument', 'Unknown metadata directive.');
  }
  return directive === 'REPLACE';
}

function copyToItself(): S3Error {
  return new S3Error(
    'InvalidRequest',
    "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata.",
  );
}

function tooLarge(): S3Error {
  return new S3Error(
    'InvalidRequest',
    `The specified copy source is larger than the maximum allowable size for a copy source: ${MAXIMUM_UPLOAD_BYTES}`,
  );
}
