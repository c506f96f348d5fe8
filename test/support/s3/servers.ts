import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { CreateBucketCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { startObjectStore } from '@pressroom/object-store/server';
import { temporaryHome } from '../temporary-home.ts';

/** An S3 server, and the keys to it. */
export interface Server {
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** A client of the server; `overrides` are for those that hold a wrong key and the like. */
export function clientOf(server: Server, overrides: S3ClientConfig = {}): S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey } = server;
  return new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    // Tests assert the first answer, not the outcome of a retry.
    maxAttempts: 1,
    // A URL that is signed for an upload cannot hold the checksum of a body that is not there yet.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    ...overrides,
  });
}

/** Starts a store of our own on a free port, its files in a directory that goes with it. */
export async function startEmbedded(): Promise<Server & { close(): Promise<void> }> {
  const dataDir = await temporaryHome();
  const keys = { accessKeyId: 'suite-access', secretAccessKey: 'suite-secret' };
  const store = await startObjectStore({ dataDir, port: 0, ...keys, log: () => undefined });
  const close = async () => {
    await store.close();
    await rm(dataDir, { recursive: true });
  };
  return { endpoint: store.endpoint, region: 'us-east-1', ...keys, close };
}

/** Makes a bucket with a name that no other has. */
export async function createBucket(s3: S3Client): Promise<string> {
  const bucket = `suite-${randomUUID()}`;
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  return bucket;
}

/** The server that `S3_ENDPOINT` names; undefined when it names none. */
export function namedServer({
  S3_ENDPOINT,
  S3_REGION,
  S3_ACCESS_KEY_ID,
  S3_SECRET_ACCESS_KEY,
}: NodeJS.ProcessEnv) {
  if (!S3_ENDPOINT) return undefined;
  return {
    endpoint: S3_ENDPOINT,
    region: S3_REGION ?? 'us-east-1',
    accessKeyId: S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: S3_SECRET_ACCESS_KEY ?? '',
  };
}

/** The settings with which the gallery administration works on a bucket. */
export function storeSettings(store: Server, bucket: string) {
  return {
    S3_ENDPOINT: store.endpoint,
    S3_REGION: store.region,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: store.accessKeyId,
    S3_SECRET_ACCESS_KEY: store.secretAccessKey,
  };
}
