import { randomUUID } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutBucketCorsCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'vitest';
import { errorCode, s3Error } from './s3/errors.ts';
import { testEmbedded as test } from './s3/fixtures.ts';
import {
  beginUpload,
  completeUpload,
  MINIMUM_PART_BYTES,
  put,
  putAll,
  read,
  uploadPart,
} from './s3/objects.ts';
import { afterSigning } from './s3/tampering.ts';

// What AWS documents and other servers differ in.

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

test('a delete of many tells which it did not do', async ({ s3, bucket }) => {
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

test('metadata has 2 KB at most', async ({ s3, bucket }) => {
  const command = new PutObjectCommand({
    Bucket: bucket,
    Key: 'k',
    Body: 'x',
    Metadata: { a: 'x'.repeat(2048) },
  });
  await expect(s3.send(command)).rejects.toEqual(s3Error('MetadataTooLarge', 400));
});

test('a key of 1025 bytes is too long', async ({ s3, bucket }) => {
  const command = new PutObjectCommand({ Bucket: bucket, Key: 'x'.repeat(1025), Body: 'x' });
  await expect(s3.send(command)).rejects.toEqual(s3Error('KeyTooLongError', 400));
});

test('a header that was not signed is refused', async ({ s3, bucket }) => {
  const command = new PutObjectCommand({ Bucket: bucket, Key: 'k', Body: 'x' });
  afterSigning((request) => {
    request.headers['x-amz-meta-role'] = 'admin';
  })(command);
  await expect(s3.send(command)).rejects.toEqual(s3Error('AccessDenied', 403));
});

test('a URL is not valid before its time', async ({ s3, bucket }) => {
  const command = new GetObjectCommand({ Bucket: bucket, Key: 'k' });
  const response = await fetch(
    await getSignedUrl(s3, command, { signingDate: new Date(Date.now() + HOUR_MS) }),
  );
  expect([response.status, await errorCode(response)]).toEqual([403, 'AccessDenied']);
});

test('what is not implemented is refused, not overlooked', async ({ s3, bucket }) => {
  await put(s3, bucket, 'k', 'text');
  const target = { Bucket: bucket, Key: 'k' };
  const refused = s3Error('NotImplemented', 501);
  await expect(s3.send(new PutObjectAclCommand({ ...target, ACL: 'public-read' }))).rejects.toEqual(refused);
  await expect(s3.send(new GetObjectAclCommand(target))).rejects.toEqual(refused);
  await expect(s3.send(new GetObjectTaggingCommand(target))).rejects.toEqual(refused);
  for (const wish of [
    { ACL: 'public-read' as const },
    { ServerSideEncryption: 'AES256' as const },
    { Tagging: 'a=b' },
    { StorageClass: 'GLACIER' as const },
  ]) {
    await expect(s3.send(new PutObjectCommand({ ...target, Body: 'x', ...wish }))).rejects.toEqual(refused);
    await expect(s3.send(new CreateMultipartUploadCommand({ ...target, ...wish }))).rejects.toEqual(refused);
  }
  expect(await read(s3, bucket, 'k')).toBe('text');
});

test('a method that means nothing is refused', async ({ s3, bucket }) => {
  const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key: 'k' }));
  const command = new GetObjectCommand({ Bucket: bucket, Key: 'k' });
  command.middlewareStack.add(
    (next) => (args) => {
      (args.request as { method: string }).method = 'PATCH';
      return next(args);
    },
    { step: 'build' },
  );
  await expect(s3.send(command)).rejects.toEqual(s3Error('MethodNotAllowed', 405));
  expect((await fetch(url, { method: 'PATCH' })).status).toBe(403);
});

test('an answer that no header can hold is refused', async ({ s3, bucket }) => {
  await put(s3, bucket, 'k', 'text');
  const command = new GetObjectCommand({
    Bucket: bucket,
    Key: 'k',
    ResponseContentType: 'text/html\r\nx-evil: 1',
  });
  const response = await fetch(await getSignedUrl(s3, command));
  expect([response.status, response.headers.has('x-evil')]).toEqual([400, false]);
});

test('parameters that are none are refused', async ({ s3, bucket }) => {
  const refused = s3Error('InvalidArgument', 400);
  for (const input of [{ ContinuationToken: '!' }, { MaxKeys: -1 }, { EncodingType: 'base64' as 'url' }]) {
    await expect(s3.send(new ListObjectsV2Command({ Bucket: bucket, ...input }))).rejects.toEqual(refused);
  }
  const path = `${bucket}/%FF`;
  const copy = new CopyObjectCommand({ Bucket: bucket, Key: 'k', CopySource: path });
  await expect(s3.send(copy)).rejects.toEqual(refused);
});

test('an empty delete is malformed', async ({ s3, bucket }) => {
  const command = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: [] } });
  await expect(s3.send(command)).rejects.toEqual(s3Error('MalformedXML', 400));
});

test('CORS rules that mean nothing are refused', async ({ s3, bucket }) => {
  for (const rule of [
    { AllowedOrigins: ['*'], AllowedMethods: ['PATCH'] },
    { AllowedOrigins: ['http://*.a.*'], AllowedMethods: ['GET'] },
  ]) {
    const command = new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules: [rule] } });
    await expect(s3.send(command)).rejects.toEqual(s3Error('InvalidRequest', 400));
  }
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
