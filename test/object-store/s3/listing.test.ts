import {
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import { s3Error } from '../../support/s3/errors.ts';
import { test, testEmbedded } from '../../support/s3/fixtures.ts';
import { AWKWARD_KEYS } from '../../support/s3/keys.ts';
import { listAll, put, putAll } from '../../support/s3/objects.ts';

const TREE = ['a', 'a!', 'a/1', 'a/2', 'a/b/3', 'a0', 'b/', 'b/1', 'c', 'd/e/f/1', 'z'];

/** Puts one key after the other: which of them a store refuses may depend on the order. */
async function putTree(s3: S3Client, bucket: string): Promise<void> {
  for (const key of TREE) await put(s3, bucket, key, key);
}

test('keys are ordered by their UTF-8 bytes, regardless of language', async ({ s3, bucket }) => {
  const keys = ['A', 'Z', 'a', 'a\u0301', 'z', '\u00e9', '日', '\uffee', '😀'];
  await putAll(s3, bucket, keys.toReversed());
  expect((await listAll(s3, { Bucket: bucket })).keys).toEqual(keys);
});

test('an entry has size, time and ETag', async ({ s3, bucket }) => {
  const etag = await put(s3, bucket, 'k', 'text');
  const { Contents, KeyCount, IsTruncated } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
  expect(Contents).toEqual([expect.objectContaining({ Key: 'k', Size: 4, ETag: etag })]);
  expect(Contents?.[0]?.LastModified?.getTime()).toBeGreaterThan(Date.now() - 60_000);
  expect([KeyCount, IsTruncated]).toEqual([1, false]);
});

test('a prefix is a prefix of bytes, not a folder', async ({ s3, bucket }) => {
  await putTree(s3, bucket);
  const list = async (Prefix: string) => (await listAll(s3, { Bucket: bucket, Prefix })).keys;
  expect(await list('a')).toEqual(['a', 'a!', 'a/1', 'a/2', 'a/b/3', 'a0']);
  expect(await list('a/')).toEqual(['a/1', 'a/2', 'a/b/3']);
  expect(await list('nothing')).toEqual([]);
});

test('a delimiter folds what follows it', async ({ s3, bucket }) => {
  await putTree(s3, bucket);
  const list = (input: { Prefix?: string; Delimiter: string }) => listAll(s3, { Bucket: bucket, ...input });
  expect(await list({ Delimiter: '/' })).toMatchObject({
    keys: ['a', 'a!', 'a0', 'c', 'z'],
    prefixes: ['a/', 'b/', 'd/'],
  });
  expect(await list({ Prefix: 'a/', Delimiter: '/' })).toMatchObject({
    keys: ['a/1', 'a/2'],
    prefixes: ['a/b/'],
  });
  expect(await list({ Prefix: 'b/', Delimiter: '/' })).toMatchObject({ keys: ['b/', 'b/1'], prefixes: [] });
  expect(await list({ Prefix: 'd', Delimiter: 'f/' })).toMatchObject({ keys: [], prefixes: ['d/e/f/'] });
});

test.for([1, 2, 3, 5])('pages of %i entries add up to the whole', async (MaxKeys, { s3, bucket }) => {
  await putTree(s3, bucket);
  expect(await listAll(s3, { Bucket: bucket, MaxKeys })).toEqual({
    keys: TREE,
    prefixes: [],
    pages: Math.ceil(TREE.length / MaxKeys),
  });
  const folded = await listAll(s3, { Bucket: bucket, MaxKeys, Delimiter: '/' });
  expect(folded).toEqual({
    keys: ['a', 'a!', 'a0', 'c', 'z'],
    prefixes: ['a/', 'b/', 'd/'],
    pages: Math.ceil(8 / MaxKeys),
  });
});

test('a page of common prefixes goes on after the last of them', async ({ s3, bucket }) => {
  const folders = Array.from({ length: 25 }, (_, index) => `folder-${String(index).padStart(2, '0')}/`);
  await putAll(
    s3,
    bucket,
    folders.flatMap((folder) => [folder, `${folder}1`, `${folder}2`]),
  );
  const listing = await listAll(s3, { Bucket: bucket, Delimiter: '/', MaxKeys: 10 });
  expect(listing).toEqual({ keys: [], prefixes: folders, pages: 3 });
});

test('a page counts its entries and says whether there are more', async ({ s3, bucket }) => {
  await putTree(s3, bucket);
  const page = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Delimiter: '/', MaxKeys: 4 }));
  expect(page).toMatchObject({ KeyCount: 4, MaxKeys: 4, IsTruncated: true, Delimiter: '/' });
  const all = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Delimiter: '/', MaxKeys: 8 }));
  expect(all).toMatchObject({ KeyCount: 8, IsTruncated: false });
  expect(all.NextContinuationToken).toBeUndefined();
});

test('a listing begins after a key, be it there or not', async ({ s3, bucket }) => {
  await putTree(s3, bucket);
  const list = (input: { StartAfter: string; Prefix?: string; Delimiter?: string }) =>
    listAll(s3, { Bucket: bucket, ...input });
  expect((await list({ StartAfter: 'a/b/3' })).keys).toEqual(['a0', 'b/', 'b/1', 'c', 'd/e/f/1', 'z']);
  expect((await list({ StartAfter: 'bb' })).keys).toEqual(['c', 'd/e/f/1', 'z']);
  expect((await list({ StartAfter: 'A', Prefix: 'b/' })).keys).toEqual(['b/', 'b/1']);
  expect((await list({ StartAfter: 'zz' })).keys).toEqual([]);
  const folded = await list({ StartAfter: 'a/1', Delimiter: '/' });
  expect(folded).toMatchObject({ keys: ['a0', 'c', 'z'], prefixes: ['b/', 'd/'] });
});

test('no entries may be asked for', async ({ s3, bucket }) => {
  await put(s3, bucket, 'k');
  const page = await s3.send(new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 0 }));
  expect(page).toMatchObject({ KeyCount: 0, IsTruncated: false });
});

test('encoded names decode to what they were', async ({ s3, bucket }) => {
  await putAll(s3, bucket, AWKWARD_KEYS);
  const page = await s3.send(
    new ListObjectsV2Command({ Bucket: bucket, EncodingType: 'url', Delimiter: '/' }),
  );
  expect(page.EncodingType).toBe('url');
  const decode = (name: string | undefined) => decodeURIComponent((name ?? '').replaceAll('+', ' '));
  const keys = page.Contents?.map(({ Key }) => decode(Key));
  expect(keys?.toSorted()).toEqual(AWKWARD_KEYS.filter((key) => !key.includes('/')).toSorted());
  const prefixes = page.CommonPrefixes?.map(({ Prefix }) => decode(Prefix));
  expect(prefixes?.toSorted()).toEqual(['عربي/', '日本語/', '😀/'].toSorted());
});

testEmbedded(
  'features that our clients do not use are reported as not implemented',
  async ({ s3, bucket }) => {
    for (const command of [
      new ListObjectsCommand({ Bucket: bucket }),
      new ListMultipartUploadsCommand({ Bucket: bucket }),
    ]) {
      await expect(s3.send(command as ListObjectsCommand)).rejects.toEqual(s3Error('NotImplemented', 501));
    }
  },
);

test('a bucket that is not there is not listed', async ({ s3, bucket }) => {
  const command = new ListObjectsV2Command({ Bucket: `${bucket}-nowhere` });
  await expect(s3.send(command)).rejects.toEqual(s3Error('NoSuchBucket', 404));
});
