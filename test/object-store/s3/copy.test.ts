import { CopyObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import { s3Error } from '../../support/s3/errors.ts';
import { createBucket, test } from '../../support/s3/fixtures.ts';
import { AWKWARD_KEYS } from '../../support/s3/keys.ts';
import { put, putAll, read, removeBucket } from '../../support/s3/objects.ts';

function sourceOf(bucket: string, key: string): string {
  return encodeURIComponent(`${bucket}/${key}`);
}

test('a copy has the bytes and the description of its source', async ({ s3, bucket }) => {
  const description = { ContentType: 'image/png', CacheControl: 'no-cache', Metadata: { author: 'Ada' } };
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'source', Body: 'bytes', ...description }));
  const copy = new CopyObjectCommand({ Bucket: bucket, Key: 'copy', CopySource: sourceOf(bucket, 'source') });
  const { CopyObjectResult } = await s3.send(copy);
  expect(CopyObjectResult?.ETag?.replaceAll('"', '')).toBe('4b3a6218bb3e3a7303e8a171a60fcf92');
  expect(await read(s3, bucket, 'copy')).toBe('bytes');
  expect(await read(s3, bucket, 'source')).toBe('bytes');
  expect(await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'copy' }))).toMatchObject(description);
});

test('a copy may get new metadata', async ({ s3, bucket }) => {
  await s3.send(
    new PutObjectCommand({
      Bucket: bucket,
      Key: 'source',
      Body: 'x',
      ContentType: 'a/b',
      Metadata: { old: '1' },
    }),
  );
  await s3.send(
    new CopyObjectCommand({
      Bucket: bucket,
      Key: 'copy',
      CopySource: sourceOf(bucket, 'source'),
      MetadataDirective: 'REPLACE',
      ContentType: 'c/d',
      Metadata: { new: '2' },
    }),
  );
  const head = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'copy' }));
  expect(head).toMatchObject({ ContentType: 'c/d', Metadata: { new: '2' } });
});

test('an object is copied onto itself only with new metadata', async ({ s3, bucket }) => {
  await put(s3, bucket, 'k', 'text');
  const target = { Bucket: bucket, Key: 'k', CopySource: sourceOf(bucket, 'k') };
  await expect(s3.send(new CopyObjectCommand(target))).rejects.toEqual(s3Error('InvalidRequest', 400));
  await s3.send(new CopyObjectCommand({ ...target, MetadataDirective: 'REPLACE', ContentType: 'c/d' }));
  const head = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'k' }));
  expect(head.ContentType).toBe('c/d');
  expect(await read(s3, bucket, 'k')).toBe('text');
});

test('a copy outlives its source and its replacement', async ({ s3, bucket }) => {
  await put(s3, bucket, 'source', 'first');
  await s3.send(
    new CopyObjectCommand({ Bucket: bucket, Key: 'copy', CopySource: sourceOf(bucket, 'source') }),
  );
  await put(s3, bucket, 'source', 'second');
  expect(await read(s3, bucket, 'copy')).toBe('first');
  await s3.send(
    new CopyObjectCommand({ Bucket: bucket, Key: 'source', CopySource: sourceOf(bucket, 'copy') }),
  );
  await put(s3, bucket, 'copy', 'third');
  expect(await read(s3, bucket, 'source')).toBe('first');
});

test('keys in any script are copied, to and fro', async ({ s3, bucket }) => {
  await putAll(s3, bucket, AWKWARD_KEYS);
  for (const key of AWKWARD_KEYS) {
    const copy = { Bucket: bucket, Key: `copies/${key}`, CopySource: sourceOf(bucket, key) };
    await s3.send(new CopyObjectCommand(copy));
    expect(await read(s3, bucket, `copies/${key}`)).toBe(key);
  }
});

test('slashes of a source may stand unencoded, and before it', async ({ s3, bucket }) => {
  await put(s3, bucket, 'a folder/k', 'text');
  for (const source of [`${bucket}/a%20folder/k`, `/${bucket}/a%20folder/k`]) {
    await s3.send(new CopyObjectCommand({ Bucket: bucket, Key: 'copy', CopySource: source }));
    expect(await read(s3, bucket, 'copy')).toBe('text');
  }
});

test('a copy goes from bucket to bucket', async ({ s3, bucket, onTestFinished }) => {
  const other = await createBucket(s3);
  onTestFinished(() => removeBucket(s3, other));
  await put(s3, other, 'source', 'text');
  await s3.send(
    new CopyObjectCommand({ Bucket: bucket, Key: 'copy', CopySource: sourceOf(other, 'source') }),
  );
  expect(await read(s3, bucket, 'copy')).toBe('text');
});

test('a missing object is not copied', async ({ s3, bucket }) => {
  const copy = (source: string) =>
    s3.send(new CopyObjectCommand({ Bucket: bucket, Key: 'copy', CopySource: source }));
  await expect(copy(sourceOf(bucket, 'missing'))).rejects.toEqual(s3Error('NoSuchKey', 404));
  await expect(copy(sourceOf(`${bucket}-nowhere`, 'k'))).rejects.toEqual(s3Error('NoSuchBucket', 404));
  await expect(read(s3, bucket, 'copy')).rejects.toEqual(s3Error('NoSuchKey', 404));
});
