import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type FaultyGallery, faultyGallery } from '../support/faulty-gallery.ts';
import type { FaultyProxy, PassingRequest } from '../support/faulty-proxy.ts';
import type { GalleryFixture } from '../support/gallery.ts';
import { completeUpload, read, uploadPart } from '../support/s3/objects.ts';

/** Another replica than the one before the proxy. */
let direct: GalleryFixture;
let proxy: FaultyProxy;
let service: FaultyGallery;

beforeAll(async () => {
  service = await faultyGallery();
  ({ direct, proxy } = service);
});

afterAll(() => service?.close());

afterEach(() => {
  proxy.choose = () => undefined;
});

function ask(json: unknown) {
  return service.ask('/api/upload/multipart', { method: 'POST', json });
}

const askReplica = (json: unknown) => direct.post('/api/upload/multipart', json);

/** An upload of one part that has arrived, as `complete` wants it. */
async function uploaded(filename: string, content = filename) {
  const size = content.length;
  const contentType = 'text/plain';
  const { body } = await askReplica({ action: 'create', filename, path: 'd', contentType, size });
  const { uploadId, key } = body.data as { uploadId: string; key: string };
  const target = { Bucket: direct.bucket, Key: key, UploadId: uploadId };
  const { ETag = '' } = await uploadPart(direct.s3, target, 1, content);
  return { action: 'complete', uploadId, key, parts: [{ partNumber: 1, etag: ETag }] };
}

const isCompletion = ({ method, path }: PassingRequest) => method === 'POST' && path.includes('uploadId=');

test('a completion that is asked for again has the same answer, on every replica', async () => {
  const completion = await uploaded('again.txt');
  const first = await ask(completion);
  expect([first.status, first.body.data]).toEqual([
    200,
    { key: 'd/again.txt', etag: expect.any(String), size: 9 },
  ]);
  const [part = { partNumber: 1, etag: '' }] = completion.parts;
  const unquoted = { ...completion, parts: [{ ...part, etag: part.etag.replaceAll('"', '') }] };
  for (const repeat of [ask(completion), askReplica(completion), ask(unquoted)]) {
    const { status, body } = await repeat;
    expect([status, body]).toEqual([200, first.body]);
  }
});

test('a completion whose answer from the store is lost is a success when it is asked for again', async () => {
  const completion = await uploaded('lost.txt');
  proxy.choose = (request) => (isCompletion(request) ? 'cut-answer' : undefined);
  const first = await ask(completion);
  // Some stores answer what the SDK sends again; the others are found out by the object.
  expect([200, 503]).toContain(first.status);
  proxy.choose = () => undefined;
  expect(await read(direct.s3, direct.bucket, 'd/lost.txt')).toBe('lost.txt');
  const { status, body } = await askReplica(completion);
  expect([status, body.data]).toEqual([200, { key: 'd/lost.txt', etag: expect.any(String), size: 8 }]);
});

test('a store that hangs while it completes is 503, and the completion can be asked for again', async () => {
  const completion = await uploaded('hung.txt');
  const hanging = Promise.withResolvers<void>();
  let completing = false;
  proxy.choose = (request) => {
    completing ||= isCompletion(request);
    return completing ? hanging.promise : undefined;
  };
  const { status, body } = await ask(completion);
  expect([status, body.code]).toEqual([503, 'temporarily_unavailable']);
  hanging.resolve();
  proxy.choose = () => undefined;
  expect((await ask(completion)).body.data).toMatchObject({ key: 'd/hung.txt', size: 8 });
});

test('a store that has put the parts together, but still lists the upload without them, changes no answer', async () => {
  const completion = await uploaded('assembled.txt');
  const first = await askReplica(completion);
  proxy.choose = ({ method, path }) =>
    method === 'GET' && path.includes('uploadId=')
      ? { xml: '<ListPartsResult><UploadId>u</UploadId><IsTruncated>false</IsTruncated></ListPartsResult>' }
      : undefined;
  const again = await ask(completion);
  expect([again.status, again.body]).toEqual([200, first.body]);
});

test('ten completions at once all succeed', async () => {
  const completion = await uploaded('at once.txt');
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => (i % 2 ? ask : askReplica)(completion)),
  );
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.data?.size ?? body.detail}`))).toEqual(
    new Set(['200 11']),
  );
});

test('an upload that another one has since replaced is no longer known', async () => {
  const [older, newer] = [await uploaded('same.txt', 'older'), await uploaded('same.txt', 'newer')];
  expect((await ask(older)).status).toBe(200);
  expect((await ask(newer)).status).toBe(200);
  const { status, body } = await ask(older);
  expect([status, body.code]).toEqual([404, 'upload_not_found']);
  expect((await ask(newer)).status).toBe(200);
});

test('an upload whose object was overwritten or removed is no longer known', async () => {
  const completion = await uploaded('overwritten.txt');
  expect((await ask(completion)).status).toBe(200);
  const target = { Bucket: direct.bucket, Key: completion.key };
  await direct.s3.send(new PutObjectCommand({ ...target, Body: 'by somebody else' }));
  expect((await ask(completion)).status).toBe(404);
  await direct.post('/api/gallery/delete', { path: completion.key, type: 'image' });
  expect((await ask(completion)).status).toBe(404);
});

test('another list of parts, or another id, is not the completion that was', async () => {
  const completion = await uploaded('other.txt');
  expect((await ask(completion)).status).toBe(200);
  const etag = '"0123456789abcdef0123456789abcdef"';
  expect((await ask({ ...completion, parts: [{ partNumber: 1, etag }] })).status).toBe(404);
  expect((await ask({ ...completion, uploadId: `${completion.uploadId}x` })).status).toBe(404);
});

test('what others have completed is not claimed', async () => {
  const completion = await uploaded('others.txt');
  const { key, uploadId, parts } = completion;
  const target = { Bucket: direct.bucket, Key: key, UploadId: uploadId };
  await completeUpload(direct.s3, target, [{ PartNumber: 1, ETag: parts[0]?.etag }]);
  expect((await ask(completion)).status).toBe(404);
});

test('completions are forgotten after a week', async () => {
  const { pool } = direct.database;
  const old = await uploaded('old.txt');
  expect((await ask(old)).status).toBe(200);
  await pool.query(`update gallery.completed_upload set begun_at = now() - interval '8 days'`);
  expect((await ask(await uploaded('young.txt'))).status).toBe(200);
  const { rows } = await pool.query('select count(*)::int as kept from gallery.completed_upload');
  expect(rows).toEqual([{ kept: 1 }]);
});
