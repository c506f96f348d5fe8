import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DeleteObjectCommand, ListPartsCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { startObjectStore } from '@pressroom/object-store/server';
import { test as base, expect, vi } from 'vitest';
import { clientOf, createBucket, type Server } from '../support/s3/fixtures.ts';
import {
  beginUpload,
  completeUpload,
  listAll,
  MINIMUM_PART_BYTES,
  put,
  read,
  readBytes,
  removeBucket,
  uploadPart,
} from '../support/s3/objects.ts';
import { temporaryHome } from '../support/temporary-home.ts';

const KEYS = { accessKeyId: 'suite-access', secretAccessKey: 'suite-secret' };
const SCRIPT = fileURLToPath(new URL('./process.ts', import.meta.url));
const MEBIBYTE = 1024 * 1024;

interface Running extends Server {
  child: ChildProcess;
  s3: S3Client;
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

const test = base
  .extend('dataDir', async ({ task: _task }, { onCleanup }) => {
    const directory = await temporaryHome();
    onCleanup(() => rm(directory, { recursive: true }));
    return directory;
  })
  .extend('start', ({ dataDir }, { onCleanup }) => {
    const children: ChildProcess[] = [];
    onCleanup(() => {
      for (const child of children) child.kill('SIGKILL');
    });
    return async (): Promise<Running> => {
      const running = await startProcess(dataDir);
      children.push(running.child);
      return running;
    };
  });

async function startProcess(dataDir: string): Promise<Running> {
  const { accessKeyId, secretAccessKey } = KEYS;
  const child = spawn(process.execPath, [SCRIPT, dataDir, accessKeyId, secretAccessKey], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [endpoint] = (await once(createInterface(child.stdout), 'line')) as [string];
  const server = { endpoint, region: 'us-east-1', ...KEYS };
  const kill = async (signal: 'SIGKILL' | 'SIGTERM') => {
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  return { ...server, child, s3: clientOf(server), kill };
}

// Sends the first half of a body and leaves the rest to the caller.
async function beginPut(s3: S3Client, bucket: string, key: string, body: Buffer) {
  const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket: bucket, Key: key }));
  const upload = request(url, { method: 'PUT', headers: { 'content-length': body.length } });
  upload.on('error', () => undefined);
  upload.write(body.subarray(0, body.length / 2));
  await once(upload, 'drain');
  return { finish: () => upload.end(body.subarray(body.length / 2)), response: once(upload, 'response') };
}

function filesBelow(dataDir: string, directory: 'incoming' | 'blobs'): Promise<string[]> {
  return readdir(join(dataDir, directory));
}

test('a store killed in mid-upload has the objects that it had', async ({ dataDir, start }) => {
  const first = await start();
  const bucket = await createBucket(first.s3);
  await put(first.s3, bucket, 'kept', 'old');
  const uploads = [
    await beginPut(first.s3, bucket, 'kept', Buffer.alloc(2 * MEBIBYTE)),
    await beginPut(first.s3, bucket, 'new', Buffer.alloc(2 * MEBIBYTE)),
  ];
  for (const { response } of uploads) response.catch(() => undefined);
  await vi.waitFor(async () => expect(await filesBelow(dataDir, 'incoming')).toHaveLength(2));
  await first.kill('SIGKILL');

  const { s3 } = await start();
  expect((await listAll(s3, { Bucket: bucket })).keys).toEqual(['kept']);
  expect(await read(s3, bucket, 'kept')).toBe('old');
  expect(await filesBelow(dataDir, 'incoming')).toEqual([]);
  expect(await filesBelow(dataDir, 'blobs')).toHaveLength(1);
});

test('a store killed under load has every object that it has acknowledged, and only whole ones', {}, async ({
  dataDir,
  start,
}) => {
  const bodyOf = (key: string) => Buffer.alloc(100_000 + key.length, key);
  const acknowledged = new Map<string, 'put' | 'deleted'>();
  let bucket: string | undefined;
  for (let round = 0; round < 4; round += 1) {
    const running = await start();
    const name = bucket ?? (await createBucket(running.s3));
    bucket = name;
    const enough = Promise.withResolvers<void>();
    const target = acknowledged.size + 20;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let number = 0; ; number += 1) {
        const key = `${round}/${writer}/${number}`;
        await put(running.s3, name, key, bodyOf(key));
        acknowledged.set(key, 'put');
        if (number % 3 === 0) {
          // From here to the answer the object may be there or not.
          acknowledged.delete(key);
          await running.s3.send(new DeleteObjectCommand({ Bucket: name, Key: key }));
          acknowledged.set(key, 'deleted');
        }
        if (acknowledged.size >= target) enough.resolve();
      }
    });
    const stopped = Promise.allSettled(writers);
    await enough.promise;
    await running.kill('SIGKILL');
    await stopped;
  }

  const { s3 } = await start();
  const { keys } = await listAll(s3, { Bucket: bucket });
  for (const key of keys) expect((await readBytes(s3, bucket ?? '', key)).equals(bodyOf(key))).toBe(true);
  const listed = new Set(keys);
  for (const [key, state] of acknowledged) expect([key, listed.has(key)]).toEqual([key, state === 'put']);
  expect(await filesBelow(dataDir, 'blobs')).toHaveLength(keys.length);
});

test('a store killed while it completes an upload has the object or still the upload', {}, async ({
  dataDir,
  start,
}) => {
  const bodies = [Buffer.alloc(MINIMUM_PART_BYTES, 'a'), Buffer.from('end')];
  const md5s = bodies.map((body) => createHash('md5').update(body).digest());
  const etag = `"${createHash('md5').update(Buffer.concat(md5s)).digest('hex')}-2"`;
  let running = await start();
  const bucket = await createBucket(running.s3);
  for (let round = 0; round < 6; round += 1) {
    const target = {
      Bucket: bucket,
      Key: `k${round}`,
      UploadId: await beginUpload(running.s3, bucket, `k${round}`),
    };
    const parts = await Promise.all(
      bodies.map((body, index) => uploadPart(running.s3, target, index + 1, body)),
    );
    const completion = Promise.allSettled([completeUpload(running.s3, target, parts)]);
    // A little later each time: before the request has left, on its way, in the middle, after the answer.
    for (let turn = 0; turn < round * 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await running.kill('SIGKILL');
    await completion;

    running = await start();
    const { keys } = await listAll(running.s3, { Bucket: bucket, Prefix: target.Key });
    if (keys.length === 0) {
      expect((await running.s3.send(new ListPartsCommand(target))).Parts).toHaveLength(2);
    }
    expect((await completeUpload(running.s3, target, parts)).ETag).toBe(etag);
    expect((await readBytes(running.s3, bucket, target.Key)).equals(Buffer.concat(bodies))).toBe(true);
    await removeBucketContents(running.s3, bucket);
  }
  await vi.waitFor(async () => expect(await filesBelow(dataDir, 'blobs')).toEqual([]));
});

test('an upload goes on after a restart', async ({ start }) => {
  const first = await start();
  const bucket = await createBucket(first.s3);
  const target = { Bucket: bucket, Key: 'k', UploadId: await beginUpload(first.s3, bucket, 'k') };
  const parts = [await uploadPart(first.s3, target, 1, Buffer.alloc(MINIMUM_PART_BYTES, 'a'))];
  await first.kill('SIGKILL');
  const { s3 } = await start();
  parts.push(await uploadPart(s3, target, 2, 'end'));
  await completeUpload(s3, target, parts);
  expect((await readBytes(s3, bucket, 'k')).length).toBe(MINIMUM_PART_BYTES + 3);
});

test('after SIGTERM a store finishes its running requests', async ({ dataDir, start }) => {
  const first = await start();
  const bucket = await createBucket(first.s3);
  const { finish, response } = await beginPut(first.s3, bucket, 'k', Buffer.alloc(2 * MEBIBYTE, 'x'));
  // It may leave requests that it has not begun: the bytes are sent, not yet read.
  await vi.waitFor(async () => expect(await filesBelow(dataDir, 'incoming')).toHaveLength(1));
  const exited = once(first.child, 'exit');
  first.child.kill('SIGTERM');
  await vi.waitFor(() => expect(fetch(first.endpoint)).rejects.toThrow());
  finish();
  const [answer] = (await response) as [{ statusCode: number }];
  expect(answer.statusCode).toBe(200);
  expect(await exited).toEqual([0, null]);
  const { s3 } = await start();
  expect((await readBytes(s3, bucket, 'k')).equals(Buffer.alloc(2 * MEBIBYTE, 'x'))).toBe(true);
});

test('a directory has one store', async ({ dataDir, start }) => {
  const first = await start();
  const second = startObjectStore({ dataDir, port: 0, ...KEYS, log: () => undefined });
  await expect(second).rejects.toThrow(/in use by another process/);
  const bucket = await createBucket(first.s3);
  await put(first.s3, bucket, 'k', 'text');
  expect(await read(first.s3, bucket, 'k')).toBe('text');
  await first.kill('SIGTERM');
  const { s3 } = await start();
  expect(await read(s3, bucket, 'k')).toBe('text');
});

test('a store leaves its directory free when its port is taken', async ({ dataDir, start }) => {
  const { endpoint } = await start();
  const other = join(dataDir, 'other');
  const open = (port: number) => startObjectStore({ dataDir: other, port, ...KEYS, log: () => undefined });
  await expect(open(Number(new URL(endpoint).port))).rejects.toMatchObject({ code: 'EADDRINUSE' });
  const store = await open(0);
  await store.close();
});

test('a replaced or deleted object leaves no file, and a copied one keeps its file', async ({
  dataDir,
  start,
}) => {
  const { s3 } = await start();
  const bucket = await createBucket(s3);
  for (const text of ['first', 'second', 'third']) await put(s3, bucket, 'k', text);
  await vi.waitFor(async () => expect(await filesBelow(dataDir, 'blobs')).toHaveLength(1));
  await removeBucket(s3, bucket);
  await vi.waitFor(async () => expect(await filesBelow(dataDir, 'blobs')).toEqual([]));
});

test('it says what it is, and keeps its secret to itself', async ({ dataDir }) => {
  const lines: string[] = [];
  const store = await startObjectStore({ dataDir, port: 0, ...KEYS, log: (line) => lines.push(line) });
  await fetch(store.endpoint);
  await store.close();
  expect(lines).toEqual([expect.stringContaining('never for production')]);
  expect(lines.join()).not.toContain(KEYS.secretAccessKey);
});

async function removeBucketContents(s3: S3Client, bucket: string): Promise<void> {
  const { keys } = await listAll(s3, { Bucket: bucket });
  for (const Key of keys) await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
}
