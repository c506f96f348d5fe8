import { randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  GetBucketLocationCommand,
  HeadBucketCommand,
  ListBucketsCommand,
} from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import { s3Error } from '../../support/s3/errors.ts';
import { test } from '../../support/s3/fixtures.ts';
import { put, read } from '../../support/s3/objects.ts';

test('the server is the one that S3_ENDPOINT names', ({ server }) => {
  const named = process.env.S3_ENDPOINT;
  expect(server.endpoint).toEqual(named || expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/));
});

test('a bucket is there from its creation to its removal', async ({ s3 }) => {
  const Bucket = `suite-${randomUUID()}`;
  const names = async () =>
    (await s3.send(new ListBucketsCommand({}))).Buckets?.map(({ Name }) => Name) ?? [];
  await expect(s3.send(new HeadBucketCommand({ Bucket }))).rejects.toEqual(s3Error('NotFound', 404));
  await s3.send(new CreateBucketCommand({ Bucket }));
  expect(await names()).toContain(Bucket);
  await s3.send(new HeadBucketCommand({ Bucket }));
  await s3.send(new DeleteBucketCommand({ Bucket }));
  expect(await names()).not.toContain(Bucket);
  await expect(s3.send(new DeleteBucketCommand({ Bucket }))).rejects.toEqual(s3Error('NoSuchBucket', 404));
});

test('a bucket that is created again keeps its content', async ({ s3, bucket }) => {
  await put(s3, bucket, 'k', 'text');
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  expect(await read(s3, bucket, 'k')).toBe('text');
});

test('a bucket that is not empty is not removed', async ({ s3, bucket }) => {
  await put(s3, bucket, 'k', 'text');
  await expect(s3.send(new DeleteBucketCommand({ Bucket: bucket }))).rejects.toEqual(
    s3Error('BucketNotEmpty', 409),
  );
  expect(await read(s3, bucket, 'k')).toBe('text');
});

test('a name that is none is refused', async ({ s3 }) => {
  for (const Bucket of ['ab', 'Upper_Case']) {
    const created = s3.send(new CreateBucketCommand({ Bucket }));
    await expect(created).rejects.toEqual(s3Error('InvalidBucketName', 400));
  }
});

test('a bucket is somewhere', async ({ s3, bucket }) => {
  const { $metadata } = await s3.send(new GetBucketLocationCommand({ Bucket: bucket }));
  expect($metadata.httpStatusCode).toBe(200);
});
