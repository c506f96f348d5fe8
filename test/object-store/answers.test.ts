import { randomUUID } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'vitest';
import { s3Error } from '../support/s3/errors.ts';
import { testEmbedded as test } from '../support/s3/fixtures.ts';
import {
  beginUpload,
  completeUpload,
  MINIMUM_PART_BYTES,
  put,
  putAll,
  read,
  uploadPart,
} from '../support/s3/objects.ts';

// Answers that AWS documents and in which other servers differ.

const OTHER_ETAG = '"00000000000000000000000000000000"';
const HOUR_MS = 3_600_000;

test('parts are put together in the order of their numbers, and may be left out', async ({ s3, bucket }) => {
  const target = { Bucket: bucket, Key: 'k', UploadId: await beginUpload(s3, bucket, 'k') };
  const first = await uploadPart(s3, target, 1, Buffer.alloc(MINIMUM_PART_BYTES, 'a'));
  await uploadPart(s3, target, 2, 'left out');
  const third = await uploadPart(s3, target, 3, 'end');
  for (const parts of [
    [third, first],
    [first, first],
  ]) {
    await expect(completeUpload(s3, target, parts)).rejects.toEqual(s3Error('InvalidPartOrder', 400));
  }
  await completeUpload(s3, target, [first, third]);
  const { ContentLength } = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'k' }));
  expect(ContentLength).toBe(MINIMUM_PART_BYTES + 3);
});

test.for([0, 10_001])('there is no part %i', async (PartNumber, { s3, bucket }) => {
  const target = { Bucket: bucket, Key: 'k', UploadId: await beginUpload(s3, bucket, 'k') };
  const command = new UploadPartCommand({ ...target, PartNumber, Body: 'x' });
  await expect(s3.send(command)).rejects.toEqual(s3Error('InvalidArgument', 400));
});

test('a put may be for the object that its writer knows', async ({ s3, bucket }) => {
  const known = await put(s3, bucket, 'k', 'first');
  const replace = (body: string, etag: string) =>
    s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'k', Body: body, IfMatch: etag }));
  await replace('second', known);
  await expect(replace('third', known)).rejects.toEqual(s3Error('PreconditionFailed', 412));
  expect(await read(s3, bucket, 'k')).toBe('second');
});

test('an upload that is over is not found when it is completed', async ({ s3, bucket }) => {
  const target = { Bucket: bucket, Key: 'k', UploadId: await beginUpload(s3, bucket, 'k') };
  const part = await uploadPart(s3, target, 1, 'part');
  await s3.send(new AbortMultipartUploadCommand(target));
  await expect(completeUpload(s3, target, [part])).rejects.toEqual(s3Error('NoSuchUpload', 404));
  await expect(s3.send(new ListPartsCommand(target))).rejects.toEqual(s3Error('NoSuchUpload', 404));
});

test('an upload may be completed for a new object alone', async ({ s3, bucket }) => {
  const target = { Bucket: bucket, Key: 'k', UploadId: await beginUpload(s3, bucket, 'k') };
  const part = await uploadPart(s3, target, 1, 'part');
  await put(s3, bucket, 'k', 'there before');
  const command = new CompleteMultipartUploadCommand({
    ...target,
    MultipartUpload: { Parts: [part] },
    IfNoneMatch: '*',
  });
  await expect(s3.send(command)).rejects.toEqual(s3Error('PreconditionFailed', 412));
  expect(await read(s3, bucket, 'k')).toBe('there before');
});

test('a copy may depend on its source', async ({ s3, bucket }) => {
  const etag = await put(s3, bucket, 'source', 'text');
  const copy = (conditions: object) =>
    s3.send(
      new CopyObjectCommand({ Bucket: bucket, Key: 'copy', CopySource: `${bucket}/source`, ...conditions }),
    );
  for (const conditions of [
    { CopySourceIfMatch: OTHER_ETAG },
    { CopySourceIfNoneMatch: etag },
    { CopySourceIfModifiedSince: new Date(Date.now() + HOUR_MS) },
    { CopySourceIfUnmodifiedSince: new Date(Date.now() - HOUR_MS) },
  ]) {
    await expect(copy(conditions)).rejects.toEqual(s3Error('PreconditionFailed', 412));
  }
  await copy({ CopySourceIfMatch: etag, CopySourceIfUnmodifiedSince: new Date(Date.now() - HOUR_MS) });
  expect(await read(s3, bucket, 'copy')).toBe('text');
});

test('a copy and a delete may depend on what they replace', async ({ s3, bucket }) => {
  await putAll(s3, bucket, ['source', 'k']);
  const copy = { Bucket: bucket, Key: 'k', CopySource: `${bucket}/source` };
  const refused = s3Error('PreconditionFailed', 412);
  await expect(s3.send(new CopyObjectCommand({ ...copy, IfNoneMatch: '*' }))).rejects.toEqual(refused);
  const target = { Bucket: bucket, Key: 'k', IfMatch: OTHER_ETAG };
  await expect(s3.send(new DeleteObjectCommand(target))).rejects.toEqual(refused);
  expect(await read(s3, bucket, 'k')).toBe('k');
});

test('a delete of many reports which ones failed', async ({ s3, bucket }) => {
  await putAll(s3, bucket, ['a', 'b']);
  const Objects = [{ Key: 'a', ETag: OTHER_ETAG }, { Key: 'b' }];
  const result = await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }));
  expect(result.Deleted).toEqual([{ Key: 'b' }]);
  expect(result.Errors).toEqual([expect.objectContaining({ Key: 'a', Code: 'PreconditionFailed' })]);
});

test('a range may depend on the object', async ({ s3, bucket }) => {
  const etag = await put(s3, bucket, 'k', '0123456789');
  const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key: 'k' }));
  const get = async (headers: Record<string, string>) => {
    const response = await fetch(url, { headers });
    return [response.status, await response.text()];
  };
  expect(await get({ range: 'bytes=1-2', 'if-range': etag })).toEqual([206, '12']);
  expect(await get({ range: 'bytes=1-2', 'if-range': OTHER_ETAG })).toEqual([200, '0123456789']);
  expect(await get({ range: 'bytes=0-1,4-5' })).toEqual([200, '0123456789']);
  expect((await get({ range: 'bytes=-0' }))[0]).toBe(416);
});

test('text beyond ASCII is kept in what describes an object', async ({ s3, bucket }) => {
  const author = 'Zoë 日本';
  const upload = new PutObjectCommand({ Bucket: bucket, Key: 'k', Metadata: { author } });
  await fetch(await getSignedUrl(s3, upload), { method: 'PUT', body: 'x' });
  const disposition = 'attachment; filename="写真.jpg"';
  const download = new GetObjectCommand({
    Bucket: bucket,
    Key: 'k',
    ResponseContentDisposition: disposition,
  });
  const { headers } = await fetch(await getSignedUrl(s3, download));
  const utf8 = (name: string) => Buffer.from(headers.get(name) ?? '', 'latin1').toString('utf8');
  expect(utf8('x-amz-meta-author')).toBe(author);
  expect(utf8('content-disposition')).toBe(disposition);
});

test('a bucket goes with the uploads that were going on in it', async ({ s3 }) => {
  const Bucket = `suite-${randomUUID()}`;
  await s3.send(new CreateBucketCommand({ Bucket }));
  const target = { Bucket, Key: 'k', UploadId: await beginUpload(s3, Bucket, 'k') };
  await uploadPart(s3, target, 1, 'part');
  await s3.send(new DeleteBucketCommand({ Bucket }));
  await expect(s3.send(new HeadBucketCommand({ Bucket }))).rejects.toEqual(s3Error('NotFound', 404));
  await s3.send(new CreateBucketCommand({ Bucket }));
  await expect(uploadPart(s3, target, 2, 'part')).rejects.toEqual(s3Error('NoSuchUpload', 404));
  await s3.send(new DeleteBucketCommand({ Bucket }));
});
