import {
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'vitest';
import { errorCode, s3Error } from '../../support/s3/errors.ts';
import { clientOf, test } from '../../support/s3/fixtures.ts';
import { AWKWARD_KEYS } from '../../support/s3/keys.ts';
import { put, putAll, read } from '../../support/s3/objects.ts';
import { afterSigning } from '../../support/s3/tampering.ts';

const OTHER_KEY = { accessKeyId: 'nobody', secretAccessKey: 'whatever' };

test('a wrong secret is refused, in the header and in a URL', async ({ server, s3, bucket }) => {
  await put(s3, bucket, 'k', 'text');
  const { accessKeyId } = server;
  const other = clientOf(server, { credentials: { accessKeyId, secretAccessKey: 'wrong' } });
  const command = new GetObjectCommand({ Bucket: bucket, Key: 'k' });
  await expect(other.send(command)).rejects.toEqual(s3Error('SignatureDoesNotMatch', 403));
  const response = await fetch(await getSignedUrl(other, command));
  expect([response.status, await errorCode(response)]).toEqual([403, 'SignatureDoesNotMatch']);
});

test('an unknown key is refused, in the header and in a URL', async ({ server, bucket }) => {
  const other = clientOf(server, { credentials: OTHER_KEY });
  const command = new ListObjectsV2Command({ Bucket: bucket });
  await expect(other.send(command)).rejects.toEqual(s3Error('InvalidAccessKeyId', 403));
  const response = await fetch(await getSignedUrl(other, command));
  expect([response.status, await errorCode(response)]).toEqual([403, 'InvalidAccessKeyId']);
});

test('an unsigned request is refused', async ({ server, s3, bucket }) => {
  await put(s3, bucket, 'k', 'text');
  const url = `${server.endpoint}/${bucket}/k`;
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const response = await fetch(url, { method, ...(method === 'PUT' ? { body: 'x' } : {}) });
    expect([response.status, await errorCode(response)]).toEqual([403, 'AccessDenied']);
  }
  expect(await read(s3, bucket, 'k')).toBe('text');
});

test('what was signed may not be changed on the way', async ({ s3, bucket }) => {
  await putAll(s3, bucket, ['k', 'other']);
  const tampering = [
    afterSigning((request) => {
      request.path = request.path.replace(/\/k$/, '/other');
    }),
    afterSigning((request) => {
      request.query = { ...request.query, 'response-content-type': 'text/html' };
    }),
    afterSigning((request) => {
      request.method = 'DELETE';
    }),
    afterSigning((request) => {
      request.headers['x-amz-date'] =
        request.headers['x-amz-date']?.replace(/.Z$/, '?Z').replace('?', '9') ?? '';
      request.headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
    }),
  ];
  for (const tamper of tampering) {
    const command = new GetObjectCommand({ Bucket: bucket, Key: 'k' });
    tamper(command);
    await expect(s3.send(command)).rejects.toEqual(s3Error('SignatureDoesNotMatch', 403));
  }
  expect(await read(s3, bucket, 'k')).toBe('k');
});

test('a signed header may not be changed on the way', async ({ s3, bucket }) => {
  const command = new PutObjectCommand({ Bucket: bucket, Key: 'k', Body: 'x', Metadata: { role: 'reader' } });
  afterSigning((request) => {
    request.headers['x-amz-meta-role'] = 'admin';
  })(command);
  await expect(s3.send(command)).rejects.toEqual(s3Error('SignatureDoesNotMatch', 403));
  await expect(read(s3, bucket, 'k')).rejects.toEqual(s3Error('NoSuchKey', 404));
});

test('a body that is not the signed one is refused', async ({ s3, bucket }) => {
  const command = new PutObjectCommand({ Bucket: bucket, Key: 'k', Body: 'signed' });
  afterSigning((request) => {
    request.body = 'forged';
  })(command);
  await expect(s3.send(command)).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
  await expect(read(s3, bucket, 'k')).rejects.toEqual(s3Error('NoSuchKey', 404));
});

test('a request of another hour is refused', async ({ server, bucket }) => {
  const late = clientOf(server, { systemClockOffset: -3_600_000 });
  const command = new ListObjectsV2Command({ Bucket: bucket });
  await expect(late.send(command)).rejects.toEqual(s3Error('RequestTimeTooSkewed', 403));
});

test('a signed URL serves until it expires', async ({ s3, bucket }) => {
  await put(s3, bucket, 'k', 'text');
  const signed = (signedAt: number) =>
    getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key: 'k' }), {
      expiresIn: 60,
      signingDate: new Date(signedAt),
    });
  const valid = await fetch(await signed(Date.now() - 30_000));
  expect([valid.status, await valid.text()]).toEqual([200, 'text']);
  const expired = await fetch(await signed(Date.now() - 90_000));
  expect([expired.status, await errorCode(expired)]).toEqual([403, 'AccessDenied']);
});

test('a signed URL may not be changed', async ({ s3, bucket }) => {
  await putAll(s3, bucket, ['k', 'other']);
  const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key: 'k' }), { expiresIn: 60 });
  const changed = [
    url.replace('/k?', '/other?'),
    url.replace('X-Amz-Expires=60', 'X-Amz-Expires=600'),
    `${url}&response-content-type=text%2Fhtml`,
    url.replace(/X-Amz-Signature=./, (match) =>
      match.endsWith('0') ? 'X-Amz-Signature=1' : 'X-Amz-Signature=0',
    ),
  ];
  for (const forged of changed) {
    const response = await fetch(forged);
    expect([response.status, await errorCode(response)]).toEqual([403, 'SignatureDoesNotMatch']);
  }
  expect((await fetch(url, { method: 'DELETE' })).status).toBe(403);
  expect(await (await fetch(url)).text()).toBe('k');
});

test('a signed URL takes an upload of the type that was signed', async ({ s3, bucket }) => {
  const url = await signedUpload(s3, bucket, 'image/png');
  const upload = (type: string) =>
    fetch(url, { method: 'PUT', body: 'bytes', headers: { 'content-type': type } });
  const refused = await upload('text/html');
  expect([refused.status, await errorCode(refused)]).toEqual([403, 'SignatureDoesNotMatch']);
  const accepted = await upload('image/png');
  expect([accepted.status, accepted.headers.get('etag')]).toEqual([
    200,
    '"4b3a6218bb3e3a7303e8a171a60fcf92"',
  ]);
  const got = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'upload.png' }));
  expect([got.ContentType, await got.Body?.transformToString()]).toEqual(['image/png', 'bytes']);
});

test('a signed URL carries metadata', async ({ s3, bucket }) => {
  const command = new PutObjectCommand({ Bucket: bucket, Key: 'k', Metadata: { author: 'Ada' } });
  await fetch(await getSignedUrl(s3, command), { method: 'PUT', body: 'x' });
  const { Metadata } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'k' }));
  expect(Metadata).toEqual({ author: 'Ada' });
});

test('keys in any script are read through signed URLs', async ({ s3, bucket }) => {
  await putAll(s3, bucket, AWKWARD_KEYS);
  for (const key of AWKWARD_KEYS) {
    const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key: key }));
    expect(await (await fetch(url)).text()).toBe(key);
  }
});

test('a key with a plus is found whether its URL encodes it or not', async ({ s3, bucket }) => {
  await put(s3, bucket, 'a+b', 'text');
  const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key: 'a+b' }));
  expect(await (await fetch(url.replace('a%2Bb', 'a+b'))).text()).toBe('text');
});

test('a wrong signature reveals nothing about existing objects', async ({ server, bucket }) => {
  const other = clientOf(server, { credentials: OTHER_KEY });
  for (const Bucket of [bucket, `${bucket}-nowhere`]) {
    await expect(other.send(new HeadBucketCommand({ Bucket }))).rejects.toMatchObject({
      $metadata: { httpStatusCode: 403 },
    });
  }
});

function signedUpload(s3: S3Client, bucket: string, type: string): Promise<string> {
  return getSignedUrl(s3, new PutObjectCommand({ Bucket: bucket, Key: 'upload.png', ContentType: type }), {
    signableHeaders: new Set(['content-type']),
  });
}
