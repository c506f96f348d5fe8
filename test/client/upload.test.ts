import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import {
  type BegunUpload,
  type GalleryClient,
  galleryClient,
  StoreError,
  type UploadOptions,
  uploadFile,
  withCookies,
} from '@pressroom/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN, type GalleryFixture, galleryFixture } from '../support/gallery.ts';

const MIB = 2 ** 20;
const PART = 5 * MIB;

let gallery: GalleryFixture;
let client: GalleryClient;
beforeAll(async () => {
  gallery = await galleryFixture();
  client = galleryClient({ baseUrl: gallery.url, fetch: withCookies() });
  await client.post('/api/login', { body: ADMIN });
});
afterAll(() => gallery?.close());

/** Bytes that differ from place to place, so that parts in the wrong order are noticed. */
function fileOf(size: number): Blob {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 1000) new DataView(bytes.buffer).setUint32(Math.min(at, size - 4), at);
  return new Blob([bytes], { type: 'image/png' });
}

async function stored(Key: string): Promise<Buffer> {
  const { Body } = await gallery.s3.send(new GetObjectCommand({ Bucket: gallery.bucket, Key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

const quick = { wait: async () => undefined };
const inParts = (filename: string, more: Partial<UploadOptions> = {}): UploadOptions => ({
  path: 'client/',
  filename,
  partsFrom: 1,
  partSize: PART,
  retry: quick,
  ...more,
});

test('a small file goes whole, with its type, and again when the connection breaks', async () => {
  const file = fileOf(2000);
  let puts = 0;
  const send = (url: string, init: RequestInit) => {
    puts += 1;
    return puts === 1 ? Promise.reject(new TypeError('fetch failed')) : fetch(url, init);
  };
  const key = await uploadFile(client, file, {
    path: 'client/',
    filename: 'ü +.png',
    retry: quick,
    fetch: send,
  });
  expect([key, puts]).toEqual(['client/ü +.png', 2]);
  expect((await stored(key)).equals(Buffer.from(await file.arrayBuffer()))).toBe(true);
  const head = await gallery.s3.send(new HeadObjectCommand({ Bucket: gallery.bucket, Key: key }));
  expect(head.ContentType).toBe('image/png');
});

test('a program that ended resumes: only what is missing is sent', async () => {
  const file = fileOf(3 * PART + 7);
  const memory = new Map<string, BegunUpload>();
  let sent = 0;
  const failing = (url: string, init: RequestInit) => {
    if (sent === 2) return Promise.reject(new TypeError('fetch failed'));
    sent += 1;
    return fetch(url, init);
  };
  const options = inParts('large.png', { memory, concurrency: 1 });
  await expect(uploadFile(client, file, { ...options, fetch: failing })).rejects.toThrow('broke');
  expect(memory.size).toBe(1);

  let resumed = 0;
  const counting = (url: string, init: RequestInit) => {
    resumed += 1;
    return fetch(url, init);
  };
  const arrived: number[] = [];
  const onProgress = (bytes: number) => arrived.push(bytes);
  const key = await uploadFile(client, file, { ...options, fetch: counting, onProgress });
  expect([resumed, memory.size]).toEqual([2, 0]);
  expect([arrived[0], arrived.at(-1)]).toEqual([2 * PART, file.size]);
  expect((await stored(key)).equals(Buffer.from(await file.arrayBuffer()))).toBe(true);
});

test('an upload that was cancelled elsewhere begins again', async () => {
  const file = fileOf(PART + 1);
  const memory = new Map<string, BegunUpload>();
  const stop = new AbortController();
  const options = inParts('again.png', { memory });
  const stopping = () => {
    stop.abort(new Error('the tab is closed'));
    return Promise.reject(new TypeError('aborted'));
  };
  await expect(
    uploadFile(client, file, { ...options, signal: stop.signal, fetch: stopping }),
  ).rejects.toThrow('the tab is closed');
  const [begun] = memory.values();
  if (!begun) throw new Error('not remembered');
  await client.post('/api/upload/multipart', {
    body: { action: 'abort', uploadId: begun.uploadId, key: begun.key },
  });
  const key = await uploadFile(client, file, options);
  expect((await stored(key)).length).toBe(file.size);
});

test('a refusal of the store that stays is reported with its status', async () => {
  const server: Server = createServer((_, response) => response.writeHead(400).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const send = (_: string, init: RequestInit) => fetch(`http://127.0.0.1:${port}`, init);
  const failed = uploadFile(client, fileOf(10), { path: '', filename: 'x', fetch: send, retry: quick });
  await expect(failed).rejects.toMatchObject({ name: 'StoreError', status: 400 });
  await expect(failed).rejects.toBeInstanceOf(StoreError);
  server.closeAllConnections();
  server.close();
});
