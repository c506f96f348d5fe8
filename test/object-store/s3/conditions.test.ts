import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import { s3Error, s3Status } from '../../support/s3/errors.ts';
import { test } from '../../support/s3/fixtures.ts';
import { put, read } from '../../support/s3/objects.ts';

const OTHER_ETAG = '"00000000000000000000000000000000"';
const HOUR_MS = 3_600_000;

test('a read goes through when its conditions hold', async ({ s3, bucket }) => {
  const etag = await put(s3, bucket, 'k', 'text');
  const conditions = [
    { IfMatch: etag },
    { IfNoneMatch: OTHER_ETAG },
    { IfModifiedSince: new Date(Date.now() - HOUR_MS) },
    { IfUnmodifiedSince: new Date(Date.now() + HOUR_MS) },
  ];
  for (const condition of conditions) {
    const got = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'k', ...condition }));
    expect(await got.Body?.transformToString()).toBe('text');
  }
});

test('a reader that already has the object gets 304', async ({ s3, bucket }) => {
  const etag = await put(s3, bucket, 'k', 'text');
  for (const condition of [{ IfNoneMatch: etag }, { IfModifiedSince: new Date(Date.now() + HOUR_MS) }]) {
    const target = { Bucket: bucket, Key: 'k', ...condition };
    await expect(s3.send(new GetObjectCommand(target))).rejects.toEqual(s3Status(304));
    await expect(s3.send(new HeadObjectCommand(target))).rejects.toEqual(s3Status(304));
  }
});

test('a reader that wants another object is refused', async ({ s3, bucket }) => {
  await put(s3, bucket, 'k', 'text');
  for (const condition of [{ IfMatch: OTHER_ETAG }, { IfUnmodifiedSince: new Date(Date.now() - HOUR_MS) }]) {
    const command = new GetObjectCommand({ Bucket: bucket, Key: 'k', ...condition });
    await expect(s3.send(command)).rejects.toEqual(s3Error('PreconditionFailed', 412));
  }
});

test('a put may be for a new object alone', async ({ s3, bucket }) => {
  const create = (body: string) =>
    s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'k', Body: body, IfNoneMatch: '*' }));
  await create('first');
  await expect(create('second')).rejects.toEqual(s3Error('PreconditionFailed', 412));
  expect(await read(s3, bucket, 'k')).toBe('first');
});

test('a put that must replace something does not create it', async ({ s3, bucket }) => {
  const command = new PutObjectCommand({ Bucket: bucket, Key: 'k', Body: 'x', IfMatch: OTHER_ETAG });
  await expect(s3.send(command)).rejects.toEqual(s3Status(412));
  await expect(read(s3, bucket, 'k')).rejects.toEqual(s3Error('NoSuchKey', 404));
});
