import { createHash, randomBytes } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListPartsCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'vitest';
import { s3Error, s3Status } from '../../support/s3/errors.ts';
import { test } from '../../support/s3/fixtures.ts';
import {
  beginUpload,
  completeUpload,
  listAll,
  MINIMUM_PART_BYTES,
  put,
  read,
  readBytes,
  uploadPart,
} from '../../support/s3/objects.ts';

const UNKNOWN_UPLOAD = '2~AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

function md5(bytes: Uint8Array): Buffer {
  return createHash('md5').update(bytes).digest();
}

test('an upload in parts becomes one object', async ({ s3, bucket }) => {
  const bodies = [randomBytes(MINIMUM_PART_BYTES), randomBytes(MINIMUM_PART_BYTES + 1), randomBytes(100)];
  const create = { Bucket: bucket, Key: 'video.mp4', ContentType: 'video/mp4', Metadata: { author: 'Ada' } };
  const { UploadId = '' } = await s3.send(new CreateMultipartUploadCommand(create));
  const target = { Bucket: bucket, Key: 'video.mp4', UploadId };
  const parts = await Promise.all(bodies.map((body, index) => uploadPart(s3, target, index + 1, body)));
  expect((await listAll(s3, { Bucket: bucket })).keys).toEqual([]);
  await completeUpload(s3, target, parts);

  const whole = Buffer.concat(bodies);
  expect((await readBytes(s3, bucket, 'video.mp4')).equals(whole)).toBe(true);
  expect(await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'video.mp4' }))).toMatchObject({
    ETag: `"${md5(Buffer.concat(bodies.map(md5))).toString('hex')}-3"`,
    ContentLength: whole.length,
    ContentType: 'video/mp4',
    Metadata: { author: 'Ada' },
  });
});

test('a range may span parts', async ({ s3, bucket }) => {
  const target = { Bucket: bucket, Key: 'k', UploadId: await beginUpload(s3, bucket, 'k') };
  const first = await uploadPart(s3, target, 1, Buffer.alloc(MINIMUM_PART_BYTES, 'a'));
  const second = await uploadPart(s3, target, 2, 'bcd');
  await completeUpload(s3, target, [first, second]);
  const range = `bytes=${MINIMUM_PART_BYTES - 2}-${MINIMUM_PART_BYTES + 1}`;
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'k', Range: range }));
  expect(await Body?.transformToString()).toBe('aabc');
});

test('parts go to signed URLs, as browsers send them', async ({ s3, bucket }) => {
  const target = {
    Bucket: bucket,
    Key: 'a b+c/ü.bin',
    UploadId: await beginUpload(s3, bucket, 'a b+c/ü.bin'),
  };
  const url = await getSignedUrl(s3, new UploadPartCommand({ ...target, PartNumber: 1 }));
  const response = await fetch(url, { method: 'PUT', body: 'whole' });
  await completeUpload(s3, target, [{ PartNumber: 1, ETag: response.headers.get('etag') ?? '' }]);
  expect(await read(s3, bucket, 'a b+c/ü.bin')).toBe('whole');
});

test('a part that is sent again takes the place of the first try', async ({ s3, bucket }) => {
  const target = { Bucket: bucket, Key: 'k', UploadId: await beginUpload(s3, bucket, 'k') };
  await uploadPart(s3, target, 1, 'first try');
  const retried = await uploadPart(s3, target, 1, 'second try');
  const { Parts } = await s3.send(new ListPartsCommand(target));
  expect(Parts).toEqual([expect.objectContaining({ PartNumber: 1, ETag: retried.ETag, Size: 10 })]);
  await completeUpload(s3, target, [retried]);
  expect(await read(s3, bucket, 'k')).toBe('second try');
});

test('an upload is resumed from the list of its parts', async ({ s3, bucket }) => {
  const target = { Bucket: bucket, Key: 'k', UploadId: await beginUpload(s3, bucket, 'k') };
  await uploadPart(s3, target, 1, Buffer.alloc(MINIMUM_PART_BYTES, 'a'));
  const { Parts = [] } = await s3.send(new ListPartsCommand(target));
  const resumed = Parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }));
  const last = await uploadPart(s3, target, 2, 'end');
  await completeUpload(s3, target, [...resumed, last]);
  expect((await readBytes(s3, bucket, 'k')).subarray(-4).toString()).toBe('aend');
});

test('parts are listed by number, a page at a time', async ({ s3, bucket }) => {
  const target = { Bucket: bucket, Key: 'k', UploadId: await beginUpload(s3, bucket, 'k') };
  const numbers = [1, 2, 3, 9, 10, 11, 100];
  for (const number of numbers.toReversed()) await uploadPart(s3, target, number, `part ${number}`);
  const listed: number[] = [];
  let marker: string | undefined;
  for (let pages = 1; pages <= 3; pages += 1) {
    const page = await s3.send(new ListPartsCommand({ ...target, MaxParts: 3, PartNumberMarker: marker }));
    listed.push(...(page.Parts ?? []).map(({ PartNumber }) => PartNumber ?? 0));
    expect(page.IsTruncated).toBe(pages < 3);
    marker = page.NextPartNumberMarker;
  }
  expect(listed).toEqual(numbers);
});

test('an aborted upload leaves nothing', async ({ s3, bucket }) => {
  const target = { Bucket: bucket, Key: 'k', UploadId: await beginUpload(s3, bucket, 'k') };
  const part = await uploadPart(s3, target, 1, 'part');
  await s3.send(new AbortMultipartUploadCommand(target));
  await expect(uploadPart(s3, target, 2, 'part')).rejects.toEqual(s3Error('NoSuchUpload', 404));
  await expect(completeUpload(s3, target, [part])).rejects.toThrow();
  await expect(s3.send(new ListPartsCommand(target))).rejects.toEqual(s3Status(404));
  await expect(read(s3, bucket, 'k')).rejects.toEqual(s3Error('NoSuchKey', 404));
});

test('an upload that never was is not found', async ({ s3, bucket }) => {
  const target = { Bucket: bucket, Key: 'k', UploadId: UNKNOWN_UPLOAD };
  await expect(uploadPart(s3, target, 1, 'x')).rejects.toEqual(s3Error('NoSuchUpload', 404));
  await expect(s3.send(new AbortMultipartUploadCommand(target))).rejects.toEqual(
    s3Error('NoSuchUpload', 404),
  );
  await expect(s3.send(new ListPartsCommand(target))).rejects.toEqual(s3Status(404));
  const parts = [{ PartNumber: 1, ETag: '"00000000000000000000000000000000"' }];
  await expect(completeUpload(s3, target, parts)).rejects.toThrow();
});

test('parts that are not the uploaded ones are refused, and the upload goes on', async ({ s3, bucket }) => {
  const target = { Bucket: bucket, Key: 'k', UploadId: await beginUpload(s3, bucket, 'k') };
  const part = await uploadPart(s3, target, 1, 'part');
  const wrong = [
    [{ PartNumber: 1, ETag: '"00000000000000000000000000000000"' }],
    [{ PartNumber: 2, ETag: part.ETag }],
  ];
  for (const parts of wrong) {
    await expect(completeUpload(s3, target, parts)).rejects.toEqual(s3Error('InvalidPart', 400));
  }
  await expect(completeUpload(s3, target, [])).rejects.toEqual(s3Error('MalformedXML', 400));
  await expect(read(s3, bucket, 'k')).rejects.toEqual(s3Error('NoSuchKey', 404));
  await completeUpload(s3, target, [part]);
  expect(await read(s3, bucket, 'k')).toBe('part');
});

test('all parts but the last have 5 MiB at least', async ({ s3, bucket }) => {
  const target = { Bucket: bucket, Key: 'k', UploadId: await beginUpload(s3, bucket, 'k') };
  const parts = [await uploadPart(s3, target, 1, 'small'), await uploadPart(s3, target, 2, 'small, too')];
  await expect(completeUpload(s3, target, parts)).rejects.toEqual(s3Error('EntityTooSmall', 400));
});

test('completing once more answers as the first time', async ({ s3, bucket }) => {
  const target = { Bucket: bucket, Key: 'k', UploadId: await beginUpload(s3, bucket, 'k') };
  const parts = [await uploadPart(s3, target, 1, 'part')];
  await completeUpload(s3, target, parts);
  const { $metadata } = await completeUpload(s3, target, parts);
  expect($metadata.httpStatusCode).toBe(200);
  expect(await read(s3, bucket, 'k')).toBe('part');
});

test('the object that an upload will replace stays until it is completed', async ({ s3, bucket }) => {
  await put(s3, bucket, 'k', 'old');
  const target = { Bucket: bucket, Key: 'k', UploadId: await beginUpload(s3, bucket, 'k') };
  const part = await uploadPart(s3, target, 1, 'new');
  expect(await read(s3, bucket, 'k')).toBe('old');
  await completeUpload(s3, target, [part]);
  expect(await read(s3, bucket, 'k')).toBe('new');
});

test('two uploads of one key do not meet', async ({ s3, bucket }) => {
  const [one, two] = await Promise.all([beginUpload(s3, bucket, 'k'), beginUpload(s3, bucket, 'k')]);
  const first = { Bucket: bucket, Key: 'k', UploadId: one };
  const second = { Bucket: bucket, Key: 'k', UploadId: two };
  const parts = [await uploadPart(s3, first, 1, 'first'), await uploadPart(s3, second, 1, 'second')];
  await completeUpload(s3, second, parts.slice(1));
  await completeUpload(s3, first, parts.slice(0, 1));
  expect(await read(s3, bucket, 'k')).toBe('first');
});

test('a part is copied from an object, or from a range of it', async ({ s3, bucket }) => {
  const source = randomBytes(MINIMUM_PART_BYTES + 1000);
  await put(s3, bucket, 'source + ü', source);
  const target = { Bucket: bucket, Key: 'k', UploadId: await beginUpload(s3, bucket, 'k') };
  const copyPart = async (PartNumber: number, CopySourceRange?: string) => {
    const CopySource = encodeURIComponent(`${bucket}/source + ü`);
    const copy = new UploadPartCopyCommand({ ...target, PartNumber, CopySource, CopySourceRange });
    const { CopyPartResult } = await s3.send(copy);
    return { PartNumber, ETag: CopyPartResult?.ETag };
  };
  const range = source.subarray(10, MINIMUM_PART_BYTES + 10);
  const parts = [
    await copyPart(1),
    await copyPart(2, `bytes=10-${MINIMUM_PART_BYTES + 9}`),
    await uploadPart(s3, target, 3, 'end'),
  ];
  expect(parts[1]?.ETag?.replaceAll('"', '')).toBe(md5(range).toString('hex'));
  await completeUpload(s3, target, parts);
  const expected = Buffer.concat([source, range, Buffer.from('end')]);
  expect((await readBytes(s3, bucket, 'k')).equals(expected)).toBe(true);
});

test('a part is not copied from beyond its source', async ({ s3, bucket }) => {
  await put(s3, bucket, 'source', '0123456789');
  const target = { Bucket: bucket, Key: 'k', UploadId: await beginUpload(s3, bucket, 'k') };
  const copy = (key: string, CopySourceRange: string) =>
    s3.send(
      new UploadPartCopyCommand({
        ...target,
        PartNumber: 1,
        CopySource: `${bucket}/${key}`,
        CopySourceRange,
      }),
    );
  await expect(copy('source', 'bytes=5-10')).rejects.toEqual(s3Error('InvalidRange', 416));
  await expect(copy('source', 'five to nine')).rejects.toEqual(s3Error('InvalidArgument', 400));
  await expect(copy('missing', 'bytes=0-1')).rejects.toEqual(s3Error('NoSuchKey', 404));
});
