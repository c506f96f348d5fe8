import { checksumHeaders } from '../checksums.ts';
import { checkWrite, writeConditions } from '../conditions.ts';
import { objectHeaders, refuseUnimplemented } from '../object-headers.ts';
import type { Operation } from './context.ts';

/** PutObject: streams the body to disk; the object appears when all of it is there and was right. */
export const putObject: Operation = async ({ storage, request, payload, now }) => {
  const { bucket, key } = request;
  storage.buckets.require(bucket);
  refuseUnimplemented(request.headers);
  payload.checkLength();
  const headers = objectHeaders(request.headers);
  const conditions = writeConditions(request.headers);
  // Checked again when it counts, but so no body is sent in vain.
  checkWrite(conditions, storage.objects.find(bucket, key));
  const object = await storage.receive(payload, ({ id, size }) => {
    storage.buckets.require(bucket);
    const etag = Buffer.from(payload.md5).toString('hex');
    const stored = {
      size,
      etag,
      modified: now(),
      content: id,
      headers,
      checksum: payload.checksum,
      upload: undefined,
    };
    storage.objects.put(bucket, key, stored, conditions);
    return stored;
  });
  return { status: 200, headers: { etag: `"${object.etag}"`, ...checksumHeaders(object.checksum) } };
};
