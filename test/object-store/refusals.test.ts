import {
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
  PutObjectAclCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'vitest';
import { errorCode, s3Error } from '../support/s3/errors.ts';
import { testEmbedded as test } from '../support/s3/fixtures.ts';
import { put, read } from '../support/s3/objects.ts';
import { afterSigning } from '../support/s3/tampering.ts';

// Requests that AWS says it refuses, and other servers let through.

const HOUR_MS = 3_600_000;

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

test('unsupported features are refused, not ignored', async ({ s3, bucket }) => {
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

test('a value that a header cannot contain is refused', async ({ s3, bucket }) => {
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

test('a continuation token continues the listing that gave it, and no other', async ({ s3, bucket }) => {
  for (const Key of ['a/1', 'a/2', 'a/3', 'b/1', 'b/2']) {
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key }));
  }
  const list = (input: object) => s3.send(new ListObjectsV2Command({ Bucket: bucket, ...input }));
  const { NextContinuationToken: ContinuationToken = '' } = await list({ Prefix: 'a/', MaxKeys: 1 });
  const { Contents } = await list({ Prefix: 'a/', MaxKeys: 5, ContinuationToken });
  expect(Contents?.map(({ Key }) => Key)).toEqual(['a/2', 'a/3']);
  const last = ContinuationToken.at(-1) === 'A' ? 'B' : 'A';
  for (const foreign of [
    { Prefix: 'b/', ContinuationToken },
    { ContinuationToken },
    { Prefix: 'a/', Delimiter: '/', ContinuationToken },
    { Prefix: 'a/', ContinuationToken: ContinuationToken.slice(0, -1) + last },
    { Prefix: 'a/', ContinuationToken: Buffer.from('a/1').toString('base64url') },
    { Prefix: 'a/', ContinuationToken: 'made-up' },
    { Prefix: 'a/', ContinuationToken: '' },
  ]) {
    await expect(list(foreign), JSON.stringify(foreign)).rejects.toEqual(s3Error('InvalidArgument', 400));
  }
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
