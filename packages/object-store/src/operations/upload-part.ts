import { checksumHeaders, hashDigest } from '../checksums.ts';
import { parseCopyRange } from '../ranges.ts';
import { xmlResponse } from '../response.ts';
import type { Contents, Segment } from '../storage/contents.ts';
import type { Operation } from './context.ts';
import { findCopySource } from './copy-source.ts';
import { partNumber } from './multipart.ts';

/** UploadPart: a part with the number of an earlier one takes its place. */
export const uploadPart: Operation = async ({ storage, request, payload, now }) => {
  const { bucket, key, query } = request;
  const number = partNumber(query);
  const uploadId = query.get('uploadId') ?? '';
  storage.buckets.require(bucket);
  storage.uploads.require(bucket, key, uploadId);
  payload.checkLength();
  const part = await storage.receive(payload, ({ id, size }) => {
    const upload = storage.uploads.require(bucket, key, uploadId);
    const etag = Buffer.from(payload.md5).toString('hex');
    const received = { number, size, etag, modified: now(), content: id, checksum: payload.checksum };
    storage.uploads.putPart(upload.id, received);
    return received;
  });
  return { status: 200, headers: { etag: `"${part.etag}"`, ...checksumHeaders(part.checksum) } };
};

/** UploadPartCopy: the part refers to the blobs of the source, which are read once for the ETag. */
export const uploadPartCopy: Operation = async (context) => {
  const { storage, request, now } = context;
  const { bucket, key, query } = request;
  const number = partNumber(query);
  const uploadId = query.get('uploadId') ?? '';
  storage.buckets.require(bucket);
  storage.uploads.require(bucket, key, uploadId);
  const { object } = findCopySource(context);
  const { start, length } = parseCopyRange(request.headers['x-amz-copy-source-range'], object.size);
  const segments = storage.contents.segments(object.content, start, length);
  const release = storage.contents.hold(segments);
  try {
    const etag = await md5(storage.contents, segments);
    const modified = now();
    await storage.change(() => {
      const upload = storage.uploads.require(bucket, key, uploadId);
      const content = storage.contents.create(segments);
      storage.uploads.putPart(upload.id, {
        number,
        size: length,
        etag,
        modified,
        content,
        checksum: undefined,
      });
    });
    return xmlResponse('CopyPartResult', {
      LastModified: new Date(modified).toISOString(),
      ETag: `"${etag}"`,
    });
  } finally {
    release();
  }
};

async function md5(contents: Contents, segments: Segment[]): Promise<string> {
  const digest = hashDigest('md5');
  for await (const chunk of contents.read(segments)) digest.update(chunk);
  return Buffer.from(await digest.digest()).toString('hex');
}
