import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  ChecksumAlgorithm,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'vitest';
import { s3Error } from '../support/s3/errors.ts';
import { clientOf, testEmbedded } from '../support/s3/fixtures.ts';
import { put, read } from '../support/s3/objects.ts';
import { afterSigning } from '../support/s3/tampering.ts';

// The SDK as it is without configuration: it sends a checksum with every upload and checks every download.
const test = testEmbedded.extend('checking', { scope: 'file' }, ({ server }) =>
  clientOf(server, {
    requestChecksumCalculation: 'WHEN_SUPPORTED',
    responseChecksumValidation: 'WHEN_SUPPORTED',
  }),
);

const WRONG_CRC32 = 'AAAAAA==';

function streamed(text: string) {
  return { Body: Readable.from([text.slice(0, 3), text.slice(3)]), ContentLength: text.length };
}

test('CRC32 is checked on the way in and out, before the body or after it', async ({ checking, bucket }) => {
  const uploads = { before: { Body: 'some text' }, after: streamed('some text') };
  for (const [Key, body] of Object.entries(uploads)) {
    await checking.send(new PutObjectCommand({ Bucket: bucket, Key, ...body }));
    const got = await checking.send(new GetObjectCommand({ Bucket: bucket, Key, ChecksumMode: 'ENABLED' }));
    expect(got.ChecksumCRC32).toMatch(/^[A-Za-z\d+/]+=*$/);
    expect(await got.Body?.transformToString()).toBe('some text');
    expect(got.ContentEncoding).toBeUndefined();
  }
});

test.for(['CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const)(
  '%s is refused, before the body or after it: it must not look as if it were checked',
  async (ChecksumAlgorithm, { checking, bucket }) => {
    for (const body of [{ Body: 'some text' }, streamed('some text')]) {
      const command = new PutObjectCommand({ Bucket: bucket, Key: 'k', ...body, ChecksumAlgorithm });
      await expect(checking.send(command)).rejects.toEqual(s3Error('NotImplemented', 501));
    }
    await expect(read(checking, bucket, 'k')).rejects.toEqual(s3Error('NoSuchKey', 404));
  },
);

test('a stream keeps its own encoding, and not that of its way here', async ({ checking, bucket }) => {
  const input = { Bucket: bucket, Key: 'k', ContentEncoding: 'gzip', ...streamed('not really gzip') };
  await checking.send(new PutObjectCommand(input));
  const head = await checking.send(new HeadObjectCommand({ Bucket: bucket, Key: 'k' }));
  expect(head).toMatchObject({ ContentEncoding: 'gzip', ContentLength: 15 });
});

test('a stream of megabytes arrives whole', async ({ checking, bucket }) => {
  const bytes = Buffer.from(Array.from({ length: 3_000_017 }, (_, index) => index % 251));
  const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 70_000), bytes.subarray(70_000)];
  const input = { Bucket: bucket, Key: 'k', Body: Readable.from(pieces), ContentLength: bytes.length };
  const { ETag } = await checking.send(new PutObjectCommand(input));
  expect(ETag).toBe(`"${createHash('md5').update(bytes).digest('hex')}"`);
});

test('a checksum before the body that does not match it is refused', async ({ s3, bucket }) => {
  const input = { Bucket: bucket, Key: 'k', Body: 'text', ChecksumCRC32: WRONG_CRC32 };
  await expect(s3.send(new PutObjectCommand(input))).rejects.toEqual(s3Error('BadDigest', 400));
  await expect(read(s3, bucket, 'k')).rejects.toEqual(s3Error('NoSuchKey', 404));
});

test.for([
  ['another checksum', `4\r\ntext\r\n0\r\nx-amz-checksum-crc32:${WRONG_CRC32}\r\n\r\n`, 'BadDigest'],
  ['no checksum', '4\r\ntext\r\n0\r\n\r\n', 'BadDigest'],
  ['a body too short', '3\r\ntex\r\n0\r\nx-amz-checksum-crc32:O0TQ1w==\r\n\r\n', 'IncompleteBody'],
  ['a body too long', '5\r\ntexts\r\n0\r\nx-amz-checksum-crc32:O0TQ1w==\r\n\r\n', 'IncompleteBody'],
  ['a chunk that is cut', '4\r\nte', 'IncompleteBody'],
  ['nothing of the kind', 'text\r\n', 'InvalidRequest'],
] as const)('a stream that ends with %s is refused', async ([, body, code], { checking, bucket }) => {
  await put(checking, bucket, 'k', 'old');
  const command = new PutObjectCommand({ Bucket: bucket, Key: 'k', ...streamed('text') });
  afterSigning((request) => {
    request.body = body;
  })(command);
  await expect(checking.send(command)).rejects.toMatchObject({ name: expect.stringMatching(`^${code}$`) });
  expect(await read(checking, bucket, 'k')).toBe('old');
});

test('a Content-MD5 is checked', async ({ s3, bucket }) => {
  const md5 = createHash('md5').update('text').digest('base64');
  const upload = (ContentMD5: string) =>
    s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'k', Body: 'text', ContentMD5 }));
  await upload(md5);
  await expect(upload('AAAAAAAAAAAAAAAAAAAAAA==')).rejects.toEqual(s3Error('BadDigest', 400));
  await expect(upload('zzz')).rejects.toEqual(s3Error('InvalidDigest', 400));
});

test('a delete is checked, and must be', async ({ s3, bucket }) => {
  await put(s3, bucket, 'k', 'text');
  const input = { Bucket: bucket, Delete: { Objects: [{ Key: 'k' }] } };
  const forged = new DeleteObjectsCommand(input);
  forged.middlewareStack.add(
    (next) => (args) => {
      const request = args.request as { headers: Record<string, string> };
      request.headers['x-amz-checksum-crc32'] = WRONG_CRC32;
      return next(args);
    },
    { step: 'build', priority: 'low' },
  );
  await expect(s3.send(forged)).rejects.toEqual(s3Error('BadDigest', 400));
  expect(await read(s3, bucket, 'k')).toBe('text');
});

test('a URL that was signed without a body takes any body', async ({ checking, bucket }) => {
  const url = await getSignedUrl(checking, new PutObjectCommand({ Bucket: bucket, Key: 'k' }));
  expect((await fetch(url, { method: 'PUT', body: 'text' })).status).toBe(200);
  expect(await read(checking, bucket, 'k')).toBe('text');
});

test('parts are checked, one by one and when they are put together', async ({ checking, bucket }) => {
  const key = { Bucket: bucket, Key: 'k' };
  const begun = await checking.send(
    new CreateMultipartUploadCommand({ ...key, ChecksumAlgorithm: ChecksumAlgorithm.CRC32 }),
  );
  expect(begun.ChecksumAlgorithm).toBe('CRC32');
  const target = { ...key, UploadId: begun.UploadId };
  const body = { Body: 'text', ChecksumAlgorithm: ChecksumAlgorithm.CRC32 };
  const part = await checking.send(new UploadPartCommand({ ...target, PartNumber: 1, ...body }));
  const { Parts } = await checking.send(new ListPartsCommand(target));
  expect(Parts).toEqual([expect.objectContaining({ ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32 })]);
  const complete = (ChecksumCRC32: string | undefined) => {
    const Parts = [{ PartNumber: 1, ETag: part.ETag, ChecksumCRC32 }];
    return checking.send(new CompleteMultipartUploadCommand({ ...target, MultipartUpload: { Parts } }));
  };
  await expect(complete(WRONG_CRC32)).rejects.toEqual(s3Error('InvalidPart', 400));
  await complete(part.ChecksumCRC32);
  expect(await read(checking, bucket, 'k')).toBe('text');
});
