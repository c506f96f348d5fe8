import { DeleteObjectsCommand } from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import { test } from '../../support/s3/fixtures.ts';
import { AWKWARD_KEYS } from '../../support/s3/keys.ts';
import { listAll, putAll } from '../../support/s3/objects.ts';

test('thousands of objects go in batches of a thousand', async ({ s3, bucket }) => {
  const keys = Array.from({ length: 2500 }, (_, index) => `folder/${String(index).padStart(4, '0')}`);
  await putAll(s3, bucket, [...keys, 'kept']);
  for (let start = 0; start < keys.length; start += 1000) {
    const batch = keys.slice(start, start + 1000).map((Key) => ({ Key }));
    const result = await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: batch } }));
    expect(result.Deleted?.map(({ Key }) => Key).toSorted()).toEqual(batch.map(({ Key }) => Key));
    expect(result.Errors).toBeUndefined();
  }
  expect((await listAll(s3, { Bucket: bucket })).keys).toEqual(['kept']);
});

test('keys in any script are deleted by their exact name', async ({ s3, bucket }) => {
  await putAll(s3, bucket, [...AWKWARD_KEYS, 'leading and trailing', 'per cent']);
  const objects = AWKWARD_KEYS.map((Key) => ({ Key }));
  await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: objects } }));
  const { keys } = await listAll(s3, { Bucket: bucket });
  expect(keys).toEqual(['leading and trailing', 'per cent']);
});

test('a key that is not there counts as deleted', async ({ s3, bucket }) => {
  const command = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: [{ Key: 'missing' }] } });
  expect((await s3.send(command)).Deleted).toEqual([expect.objectContaining({ Key: 'missing' })]);
});

test('a quiet delete reports only errors', async ({ s3, bucket }) => {
  await putAll(s3, bucket, ['a', 'b']);
  const objects = [{ Key: 'a' }, { Key: 'b' }];
  const result = await s3.send(
    new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: objects, Quiet: true } }),
  );
  expect(result.Deleted).toBeUndefined();
  expect((await listAll(s3, { Bucket: bucket })).keys).toEqual([]);
});

test('more than a thousand keys are refused', async ({ s3, bucket }) => {
  const objects = Array.from({ length: 1001 }, (_, index) => ({ Key: `k${index}` }));
  const command = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: objects } });
  await expect(s3.send(command)).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
});
