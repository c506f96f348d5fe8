import { createHash, randomBytes } from 'node:crypto';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'vitest';
import { s3Error } from '../../support/s3/errors.ts';
import { test } from '../../support/s3/fixtures.ts';
import { AWKWARD_KEYS } from '../../support/s3/keys.ts';
import { listAll, put, putAll, read, readBytes } from '../../support/s3/objects.ts';

test('an object is read as it was put', async ({ s3, bucket }) => {
  const body = randomBytes(3 * 1024 * 1024 + 17);
  const etag = await put(s3, bucket, 'photo.jpg', body);
  expect(etag).toBe(`"${createHash('md5').update(body).digest('hex')}"`);
  expect((await readBytes(s3, bucket, 'photo.jpg')).equals(body)).toBe(true);
});

test('an object without bytes is an object', async ({ s3, bucket }) => {
  expect(await put(s3, bucket, 'empty', Buffer.alloc(0))).toBe('"d41d8cd98f00b204e9800998ecf8427e"');
  expect(await read(s3, bucket, 'empty')).toBe('');
  const head = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'empty' }));
  expect(head.ContentLength).toBe(0);
});

test('what describes an object comes with it', async ({ s3, bucket }) => {
  const description = {
    ContentType: 'image/svg+xml',
    CacheControl: 'public, max-age=60',
    ContentDisposition: 'attachment; filename="a b.svg"',
    ContentEncoding: 'gzip',
    ContentLanguage: 'de',
    Metadata: { author: 'Ada', 'with-dash': 'a, b' },
  };
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'described', Body: 'x', ...description }));
  expect(await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'described' }))).toMatchObject(
    description,
  );
  const got = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'described' }));
  expect(got).toMatchObject(description);
  expect(got.LastModified?.getTime()).toBeGreaterThan(Date.now() - 60_000);
});

test('a signed URL may want other headers', async ({ s3, bucket }) => {
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'page', Body: 'x', ContentType: 'text/html' }));
  const command = new GetObjectCommand({
    Bucket: bucket,
    Key: 'page',
    ResponseContentType: 'text/plain',
    ResponseContentDisposition: 'attachment; filename="page.txt"',
    ResponseCacheControl: 'no-store',
  });
  const { headers } = await fetch(await getSignedUrl(s3, command));
  expect(headers.get('content-type')).toBe('text/plain');
  expect(headers.get('content-disposition')).toBe('attachment; filename="page.txt"');
  expect(headers.get('cache-control')).toBe('no-store');
});

test('a put replaces the object and all that describes it', async ({ s3, bucket }) => {
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'k', Body: 'first', Metadata: { a: '1' } }));
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'k', Body: 'second, longer' }));
  const { Metadata, Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'k' }));
  expect(Metadata).toEqual({});
  expect(await Body?.transformToString()).toBe('second, longer');
});

test('a missing object is not found', async ({ s3, bucket }) => {
  const missing = { Bucket: bucket, Key: 'missing' };
  await expect(s3.send(new GetObjectCommand(missing))).rejects.toEqual(s3Error('NoSuchKey', 404));
  await expect(s3.send(new HeadObjectCommand(missing))).rejects.toEqual(s3Error('NotFound', 404));
  const nowhere = { Bucket: `${bucket}-nowhere`, Key: 'k' };
  await expect(s3.send(new GetObjectCommand(nowhere))).rejects.toEqual(s3Error('NoSuchBucket', 404));
  await expect(s3.send(new PutObjectCommand({ ...nowhere, Body: 'x' }))).rejects.toEqual(
    s3Error('NoSuchBucket', 404),
  );
});

test('a deleted object is gone, and deleting it again is not an error', async ({ s3, bucket }) => {
  await put(s3, bucket, 'k');
  const target = { Bucket: bucket, Key: 'k' };
  await s3.send(new DeleteObjectCommand(target));
  await expect(s3.send(new GetObjectCommand(target))).rejects.toEqual(s3Error('NoSuchKey', 404));
  expect((await s3.send(new DeleteObjectCommand(target))).$metadata.httpStatusCode).toBe(204);
});

test('keys in any script, with any signs, are kept to the letter', async ({ s3, bucket }) => {
  await putAll(s3, bucket, AWKWARD_KEYS);
  for (const key of AWKWARD_KEYS) expect(await read(s3, bucket, key)).toBe(key);
  const { keys } = await listAll(s3, { Bucket: bucket });
  expect(keys.toSorted()).toEqual(AWKWARD_KEYS.toSorted());
});

test('a name, a folder with that name and its content exist side by side', async ({ s3, bucket }) => {
  const keys = ['a', 'a/', 'a/b', 'a/b/', 'a//b', '.', '..', './a', '../a', 'a/../b'];
  await putAll(s3, bucket, keys);
  for (const key of keys) expect(await read(s3, bucket, key)).toBe(key);
  await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'a' }));
  expect(await read(s3, bucket, 'a/')).toBe('a/');
  expect(await read(s3, bucket, 'a/b')).toBe('a/b');
});

test('a key has 1024 bytes at most', async ({ s3, bucket }) => {
  const longest = `${'日'.repeat(341)}x`;
  await put(s3, bucket, longest, 'long');
  expect(await read(s3, bucket, longest)).toBe('long');
  const tooLong = new PutObjectCommand({ Bucket: bucket, Key: `${longest}y`, Body: 'x' });
  await expect(s3.send(tooLong)).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
});
