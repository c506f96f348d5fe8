import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { type Bucket, StoreConnections } from '@pressroom/gallery-admin/buckets/bucket';
import { isMisconfiguration } from '@pressroom/gallery-admin/buckets/store-errors';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { Program } from '../faults/program.ts';
import { put, removeBucket } from '../support/s3/objects.ts';
import { clientOf, createBucket, namedServer, type Server } from '../support/s3/servers.ts';

const HOUR_MS = 3_600_000;

let directory: string;
let store: Program | undefined;
let server: Server;
/** By the clock of the store. */
let right: S3Client;
let name: string;
const connections = new StoreConnections();

// Its own process, so that it keeps the right time.
beforeAll(async () => {
  const named = namedServer(process.env);
  if (named) server = named;
  else {
    const port = await findFreePort();
    const keys = { accessKeyId: 'clock-access', secretAccessKey: 'clock-secret' };
    server = { endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', ...keys };
    directory = await mkdtemp(join(tmpdir(), 'pressroom-store-'));
    store = new Program({
      name: 'the store',
      port,
      command: process.execPath,
      args: ['packages/object-store/src/main.ts', directory, String(port)],
      env: { S3_ACCESS_KEY_ID: keys.accessKeyId, S3_SECRET_ACCESS_KEY: keys.secretAccessKey },
    });
    await store.start();
  }
  right = clientOf(server);
  name = await createBucket(right);
  await put(right, name, 'there', 'content');
});

afterAll(async () => {
  connections.close();
  if (right) await removeBucket(right, name);
  right?.destroy();
  await store?.end();
  if (directory) await rm(directory, { recursive: true, force: true });
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Sets the clock of this process so many ms from the right time. */
function stepClock(ms: number): void {
  vi.useRealTimers();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
}

function openBucket(secretAccessKey = server.secretAccessKey): Bucket {
  const { endpoint, region, accessKeyId } = server;
  const credentials = { accessKeyId, secretAccessKey };
  return connections.open({
    ...{ id: 'default', name, endpoint, region, credentials },
    ...{ forcePathStyle: true, publicEndpoint: null },
  });
}

function lookUp({ s3 }: Bucket) {
  return s3.send(new HeadObjectCommand({ Bucket: name, Key: 'there' }));
}

test.each([
  ['ahead', HOUR_MS],
  ['back', -HOUR_MS],
])('requests go on when the clock is set an hour %s, and when it is set right', async (_, step) => {
  const bucket = openBucket();
  for (const ms of [0, step, 0]) {
    stepClock(ms);
    const found = await Promise.all(Array.from({ length: 8 }, () => lookUp(bucket)));
    expect(found.map(({ ContentLength }) => ContentLength)).toEqual(Array(8).fill(7));
  }
});

test('a wrong key is reported as such whatever the clock says', async () => {
  stepClock(HOUR_MS);
  const refused: unknown = await lookUp(openBucket('wrong')).catch((error: unknown) => error);
  expect(isMisconfiguration(refused)).toBe(true);
});
