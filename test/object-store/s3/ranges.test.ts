import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import { s3Error } from '../../support/s3/errors.ts';
import { test } from '../../support/s3/fixtures.ts';
import { put } from '../../support/s3/objects.ts';

const DIGITS = '0123456789';

test.for([
  ['bytes=0-0', '0', 'bytes 0-0/10'],
  ['bytes=2-4', '234', 'bytes 2-4/10'],
  ['bytes=7-', '789', 'bytes 7-9/10'],
  ['bytes=-3', '789', 'bytes 7-9/10'],
  ['bytes=5-99', '56789', 'bytes 5-9/10'],
  ['bytes=-99', DIGITS, 'bytes 0-9/10'],
] as const)('%s of ten bytes is %s', async ([range, text, contentRange], { s3, bucket }) => {
  await put(s3, bucket, 'digits', DIGITS);
  const target = { Bucket: bucket, Key: 'digits', Range: range };
  const got = await s3.send(new GetObjectCommand(target));
  expect(got.$metadata.httpStatusCode).toBe(206);
  expect(got.ContentRange).toBe(contentRange);
  expect(got.ContentLength).toBe(text.length);
  expect(await got.Body?.transformToString()).toBe(text);
  expect(await s3.send(new HeadObjectCommand(target))).toMatchObject({ ContentLength: text.length });
});

test.for(['bytes=10-', 'bytes=10-11', 'bytes=4-2'])(
  '%s of ten bytes is nothing',
  async (range, { s3, bucket }) => {
    await put(s3, bucket, 'digits', DIGITS);
    const command = new GetObjectCommand({ Bucket: bucket, Key: 'digits', Range: range });
    await expect(s3.send(command)).rejects.toEqual(s3Error('InvalidRange', 416));
  },
);

test('a range of another unit is the whole', async ({ s3, bucket }) => {
  await put(s3, bucket, 'digits', DIGITS);
  const got = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'digits', Range: 'lines=1-2' }));
  expect(got.$metadata.httpStatusCode).toBe(200);
  expect(await got.Body?.transformToString()).toBe(DIGITS);
});
