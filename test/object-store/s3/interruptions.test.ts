import { once } from 'node:events';
import { connect } from 'node:net';
import { GetObjectCommand, PutObjectCommand, type S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'vitest';
import { s3Error } from '../../support/s3/errors.ts';
import { test } from '../../support/s3/fixtures.ts';
import {
  beginUpload,
  completeUpload,
  listAll,
  put,
  read,
  readBytes,
  uploadPart,
} from '../../support/s3/objects.ts';

const MEBIBYTE = 1024 * 1024;

// Sends half of what it announces and ends its side of the connection. The store ends the other one when it
// has done what it does about that.
async function hangUpHalfway(url: string): Promise<void> {
  const { hostname, port, host, pathname, search } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  const head = [`PUT ${pathname}${search} HTTP/1.1`, `Host: ${host}`, `Content-Length: ${2 * MEBIBYTE}`];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.end(Buffer.alloc(MEBIBYTE, 'x'));
  socket.resume();
  await closed;
}

function signedPut(s3: S3Client, bucket: string, key: string): Promise<string> {
  return getSignedUrl(s3, new PutObjectCommand({ Bucket: bucket, Key: key }));
}

test('an upload that breaks off leaves no object', async ({ s3, bucket }) => {
  await hangUpHalfway(await signedPut(s3, bucket, 'new'));
  await put(s3, bucket, 'later');
  await expect(read(s3, bucket, 'new')).rejects.toEqual(s3Error('NoSuchKey', 404));
  expect((await listAll(s3, { Bucket: bucket })).keys).toEqual(['later']);
});

test('an upload that breaks off leaves the object that was there', async ({ s3, bucket }) => {
  await put(s3, bucket, 'k', 'old');
  await hangUpHalfway(await signedPut(s3, bucket, 'k'));
  await put(s3, bucket, 'later');
  expect(await read(s3, bucket, 'k')).toBe('old');
});

test('a part that breaks off can be sent again', async ({ s3, bucket }) => {
  const target = { Bucket: bucket, Key: 'k', UploadId: await beginUpload(s3, bucket, 'k') };
  await hangUpHalfway(await getSignedUrl(s3, new UploadPartCommand({ ...target, PartNumber: 1 })));
  const part = await uploadPart(s3, target, 1, 'whole');
  await completeUpload(s3, target, [part]);
  expect(await read(s3, bucket, 'k')).toBe('whole');
});

test('concurrent puts of one key leave one of them, whole', async ({ s3, bucket }) => {
  const bodies = Array.from({ length: 8 }, (_, index) => Buffer.alloc(MEBIBYTE, index));
  await Promise.all(bodies.map((body) => put(s3, bucket, 'k', body)));
  const left = await readBytes(s3, bucket, 'k');
  expect(bodies.some((body) => body.equals(left))).toBe(true);
  expect((await listAll(s3, { Bucket: bucket })).keys).toEqual(['k']);
});

test('of concurrent puts that must create, one does', async ({ s3, bucket }) => {
  const create = (body: string) =>
    s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'k', Body: body, IfNoneMatch: '*' }));
  const results = await Promise.allSettled(['a', 'b', 'c', 'd'].map((body) => create(body)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a reader gets the object that it began to read', async ({ s3, bucket }) => {
  const old = Buffer.alloc(32 * MEBIBYTE, 'o');
  await put(s3, bucket, 'k', old);
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'k' }));
  await put(s3, bucket, 'k', 'new');
  const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
  expect(bytes.equals(old)).toBe(true);
  expect(await read(s3, bucket, 'k')).toBe('new');
});
