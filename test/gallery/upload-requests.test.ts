import { GetObjectCommand, ListPartsCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { send } from '../support/http.ts';
import { put, read } from '../support/s3/objects.ts';

let gallery: GalleryFixture;
beforeAll(async () => {
  gallery = await galleryFixture();
});
afterAll(() => gallery?.close());

const sign = (json: unknown) => gallery.post('/api/upload/sign', json);

/** Signs a request and sends it to the store. */
async function signAndSend(request: { method: string; [member: string]: unknown }, raw?: string) {
  const { status, body } = await sign(request);
  expect([status, body.success]).toEqual([200, true]);
  const { url, headers } = body as { url: string; headers: Record<string, string> };
  return send(url, { method: request.method, headers, ...(raw !== undefined && { raw }) });
}

const key = 'films/a b+ü.mp4';

test('a whole file is PUT with the announced type, and no other', async () => {
  const request = { method: 'PUT', key, contentType: 'video/mp4' };
  const { body } = await sign(request);
  expect(body).toEqual({
    success: true,
    url: expect.stringContaining('X-Amz-Expires=900'),
    key,
    headers: { 'Content-Type': 'video/mp4' },
  });
  const wrong = await send(body.url, { method: 'PUT', raw: 'x', headers: { 'content-type': 'text/html' } });
  expect(wrong.status).toBe(403);
  expect((await signAndSend(request, 'whole')).status).toBe(200);
  expect(await read(gallery.s3, gallery.bucket, key)).toBe('whole');
});

async function begin(name: string): Promise<string> {
  const { text, status } = await signAndSend({ method: 'POST', key: name, contentType: 'video/mp4' });
  expect(status).toBe(200);
  return /<UploadId>([^<]+)</.exec(text)?.[1] ?? '';
}

test('a multipart upload is begun, looked at and completed by the browser', async () => {
  const uploadId = await begin('films/parts.mp4');
  const upload = { key: 'films/parts.mp4', uploadId };
  const part = await signAndSend({ method: 'PUT', ...upload, partNumber: 1 }, 'part');
  expect(part.status).toBe(200);
  const etag = part.headers.get('etag');
  expect((await signAndSend({ method: 'GET', ...upload })).text).toContain('<PartNumber>1</PartNumber>');
  const xml = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`;
  expect((await signAndSend({ method: 'POST', ...upload }, xml)).text).toContain(
    '<Key>films/parts.mp4</Key>',
  );
  const { ContentType } = await gallery.s3.send(
    new GetObjectCommand({ Bucket: gallery.bucket, Key: upload.key }),
  );
  expect(ContentType).toBe('video/mp4');
});

test('a multipart upload is given up by the browser', async () => {
  const uploadId = await begin('films/aborted.mp4');
  const upload = { key: 'films/aborted.mp4', uploadId };
  expect((await signAndSend({ method: 'DELETE', ...upload })).status).toBe(204);
  const target = { Bucket: gallery.bucket, Key: upload.key, UploadId: uploadId };
  await expect(gallery.s3.send(new ListPartsCommand(target))).rejects.toMatchObject({
    $metadata: { httpStatusCode: 404 },
  });
});

test('a key is signed in its composed form, and told so', async () => {
  const { body } = await sign({ method: 'POST', key: 'cafe\u0301/re\u0301sume\u0301.pdf' });
  expect(body.key).toBe('caf\u00e9/r\u00e9sum\u00e9.pdf');
  expect(decodeURIComponent(new URL(body.url).pathname)).toContain(body.key);
});

const upload = { key: 'k', uploadId: 'x' };
test.each<[string, object]>([
  ['reading an object', { method: 'GET', key }],
  ['deleting an object', { method: 'DELETE', key }],
  ['deleting with an empty id', { method: 'DELETE', key, uploadId: '' }],
  ['deleting without an id', { method: 'DELETE', key, uploadId: null }],
  ['deleting with a list of ids', { method: 'DELETE', key, uploadId: ['x'] }],
  ['looking at an object', { method: 'HEAD', key }],
  ['listing the bucket', { method: 'GET', key: '' }],
  ['listing the bucket by an id', { method: 'GET', key: '', uploadId: 'x' }],
  ['deleting many', { method: 'POST', key: '' }],
  ['a key that climbs', { method: 'PUT', key: '../other/k', contentType: 'text/plain' }],
  ['a key that climbs out of a folder', { method: 'DELETE', ...upload, key: 'a/../../b' }],
  ['an absolute key', { method: 'POST', key: '/k' }],
  ['a folder', { method: 'PUT', key: 'a/', contentType: 'text/plain' }],
  ['a key with an empty segment', { method: 'POST', key: 'a//b' }],
  ['a key with a backslash', { method: 'POST', key: 'a\\b' }],
  ['a key with a line break', { method: 'POST', key: 'a\nb' }],
  ['a key with half a surrogate pair', { method: 'POST', key: 'a\ud800' }],
  ['a key that is too long', { method: 'POST', key: `${'ж'.repeat(500)}/${'ж'.repeat(50)}` }],
  ['a file without a type', { method: 'PUT', key }],
  ['a type with a line break', { method: 'PUT', key, contentType: 'image/png\r\nx: y' }],
  ['a part without an upload', { method: 'PUT', key, partNumber: 1 }],
  ['part 0', { method: 'PUT', ...upload, partNumber: 0 }],
  ['part 10,001', { method: 'PUT', ...upload, partNumber: 10_001 }],
  ['a part that is a word', { method: 'PUT', ...upload, partNumber: '1&uploadId=y' }],
  ['an upload without a part', { method: 'PUT', ...upload }],
  ['an id with half a surrogate pair', { method: 'GET', key, uploadId: '\udfff' }],
  ['an additional query', { method: 'PUT', key, contentType: 'text/plain', query: { acl: '' } }],
  [
    'additional headers',
    { method: 'PUT', key, contentType: 'text/plain', headers: { 'x-amz-acl': 'public' } },
  ],
  ['another bucket', { method: 'PUT', key, contentType: 'text/plain', bucket: 'other' }],
  ['a custom expiry', { method: 'PUT', key, contentType: 'text/plain', expiresIn: 604_800 }],
  ['a method in lower case', { method: 'delete', ...upload }],
  ['no method', { key }],
])('%s is not signed', async (_what, request) => {
  await put(gallery.s3, gallery.bucket, 'k', 'kept');
  const { status, body } = await sign(request);
  expect([status, body.code, body.url]).toEqual([400, 'invalid_request', undefined]);
});

test('the id of an upload stays in its place, whatever it contains', async () => {
  await put(gallery.s3, gallery.bucket, 'k', 'kept');
  for (const uploadId of ['&uploads', '%26uploadId', 'x&x-id=DeleteObject', '#', '?', ' ']) {
    const { body } = await sign({ method: 'DELETE', key: 'k', uploadId });
    expect(new URL(body.url).searchParams.get('uploadId')).toBe(uploadId);
    expect((await send(body.url, { method: 'DELETE' })).status).toBeGreaterThanOrEqual(204);
    expect(await read(gallery.s3, gallery.bucket, 'k')).toBe('kept');
  }
});

test.each(['..', '../..', '../../x'])('an id that leads elsewhere is not signed: %j', async (uploadId) => {
  const { status, body } = await sign({ method: 'DELETE', key: 'k', uploadId });
  expect([status, body.code, body.url]).toEqual([400, 'invalid_request', undefined]);
  expect(body.message).toContain('uploadId');
});

test('needs the session', async () => {
  const { status } = await send(`${gallery.url}/api/upload/sign`, {
    method: 'POST',
    json: { method: 'POST', key },
  });
  expect(status).toBe(401);
});
