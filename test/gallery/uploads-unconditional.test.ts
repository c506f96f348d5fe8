import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type FaultyGallery, faultyGallery } from '../support/faulty-gallery.ts';
import type { PassingRequest } from '../support/faulty-proxy.ts';
import type { Answer } from '../support/http.ts';
import { completeUpload, listAll, read, uploadPart } from '../support/s3/objects.ts';

/** Its store refuses conditions on completions, as other stores ignore them. */
let service: FaultyGallery;

beforeAll(async () => {
  service = await faultyGallery();
  service.proxy.choose = honouringNone;
});

afterEach(() => {
  service.proxy.choose = honouringNone;
});

afterAll(() => service?.close());

const isCompletion = ({ method, path }: PassingRequest) => method === 'POST' && path.includes('uploadId=');

const REFUSAL = '<Error><Code>InvalidRequest</Code></Error>';
const honouringNone = (request: PassingRequest) =>
  isCompletion(request) && request.path.includes('pressroom-test')
    ? {
        answer: `HTTP/1.1 400 Bad Request\r\nContent-Type: application/xml\r\nContent-Length: ${REFUSAL.length}\r\n\r\n${REFUSAL}`,
      }
    : undefined;

const post = (path: string, json: unknown) => service.ask(path, { method: 'POST', json });

/** An upload of one part that has arrived. */
async function uploaded(filename: string, content: string) {
  const file = { filename, path: 'd', contentType: 'text/plain', size: content.length };
  const { uploadId, key } = (await post('/api/upload/multipart', { action: 'create', ...file })).body.data;
  const target = { Bucket: service.direct.bucket, Key: key, UploadId: uploadId };
  const { ETag = '' } = await uploadPart(service.direct.s3, target, 1, content);
  const complete = () =>
    post('/api/upload/multipart', {
      action: 'complete',
      uploadId,
      key,
      parts: [{ partNumber: 1, etag: ETag }],
      trash: true,
    });
  /** Signs the completion that a browser sends to the store. */
  const sign = () => post('/api/upload/sign', { method: 'POST', uploadId, key, trash: true });
  const completeAtStore = () => completeUpload(service.direct.s3, target, [{ PartNumber: 1, ETag }]);
  const abort = () => post('/api/upload/multipart', { action: 'abort', uploadId, key });
  return { complete, sign, completeAtStore, abort };
}

/** The contents in the bucket under a name, in its place and in the trash. */
async function contents(filename: string): Promise<string[]> {
  const { s3, bucket } = service.direct;
  const { keys } = await listAll(s3, { Bucket: bucket });
  const found = keys.filter((key) => key.endsWith(filename));
  return (await Promise.all(found.map((key) => read(s3, bucket, key)))).sort();
}

const WAITS = expect.stringContaining('another upload of this name is being completed');

test('of two uploads that the service completes at once, both are kept', async () => {
  const [first, second] = [await uploaded('one.txt', 'first'), await uploaded('one.txt', 'second')];
  const looked = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  service.proxy.choose = (request) => {
    if (request.method !== 'HEAD' || !request.path.includes('one.txt')) return honouringNone(request);
    service.proxy.choose = honouringNone;
    looked.resolve();
    return goOn.promise;
  };
  const done = first.complete();
  await looked.promise;
  const meanwhile = await second.complete();
  goOn.resolve();
  expect((await done).status).toBe(200);
  expect([meanwhile.status, meanwhile.body.detail]).toEqual([503, WAITS]);
  expect((await second.complete()).status).toBe(200);
  expect(await contents('one.txt')).toEqual(['first', 'second']);
});

test('of two uploads that browsers complete at once, both are kept', async () => {
  const [first, second] = [await uploaded('two.txt', 'first'), await uploaded('two.txt', 'second')];
  expect((await first.sign()).status).toBe(200);
  expect((await first.sign()).status).toBe(200);
  for (const meanwhile of [await second.sign(), await second.complete()])
    expect([meanwhile.status, meanwhile.body.detail]).toEqual([503, WAITS]);
  await first.completeAtStore();
  expect((await second.sign()).status).toBe(200);
  await second.completeAtStore();
  expect(await contents('two.txt')).toEqual(['first', 'second']);
});

const WHOLE = { path: 'd', contentType: 'text/plain', trash: true };

test('a whole file waits for the upload that a browser completes, and both are kept', async () => {
  const upload = await uploaded('four.txt', 'parts');
  expect((await upload.sign()).status).toBe(200);
  const sign = () => post('/api/upload', { filename: 'four.txt', ...WHOLE });
  const signRequest = () =>
    post('/api/upload/sign', { method: 'PUT', key: 'd/four.txt', contentType: 'text/plain', trash: true });
  for (const meanwhile of [await sign(), await signRequest()])
    expect([meanwhile.status, meanwhile.body.detail]).toEqual([503, WAITS]);
  await upload.completeAtStore();
  const { url, headers } = (await sign()).body;
  expect((await fetch(url, { method: 'PUT', body: 'whole', headers })).status).toBe(200);
  expect(await contents('four.txt')).toEqual(['parts', 'whole']);
});

test('a whole file that comes while a completion keeps what it replaces is kept, too', async () => {
  const sent = async (body: string, signed: Promise<Answer>) => {
    const { url, headers } = (await signed).body;
    return (await fetch(url, { method: 'PUT', body, headers })).status;
  };
  const sign = () => post('/api/upload', { filename: 'five.txt', ...WHOLE });
  expect(await sent('old', sign())).toBe(200);
  const [upload, signed] = [await uploaded('five.txt', 'parts'), await sign()];
  const copied = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  service.proxy.choose = (request) => {
    if (request.method !== 'PUT' || !request.path.includes('trash')) return honouringNone(request);
    service.proxy.choose = honouringNone;
    copied.resolve();
    return goOn.promise;
  };
  const done = upload.complete();
  await copied.promise;
  expect(await sent('whole', Promise.resolve(signed))).toBe(200);
  goOn.resolve();
  expect((await done).status).toBe(503);
  expect((await upload.complete()).status).toBe(200);
  expect(new Set(await contents('five.txt'))).toEqual(new Set(['old', 'parts', 'whole']));
});

test('an upload waits for none that was aborted, and not for ever for one that was left', async () => {
  const [aborted, left] = [await uploaded('three.txt', 'first'), await uploaded('three.txt', 'second')];
  const last = await uploaded('three.txt', 'third');
  expect((await aborted.sign()).status).toBe(200);
  expect((await aborted.abort()).status).toBe(200);
  expect((await left.sign()).status).toBe(200);
  await service.direct.database.pool.query('update gallery.completing_upload set leased_until = now()');
  expect((await last.complete()).status).toBe(200);
  expect(await contents('three.txt')).toEqual(['third']);
});
