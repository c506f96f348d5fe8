/** Uploads a file in parts with the AWS SDK, and posts how many seconds that took. */
import { openAsBlob } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import {
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { clientOf } from '../../test/support/s3/servers.ts';

/** The size of the page's parts: see `packages/desk/src/media/state/uploader.ts`. */
const PART_SIZE = 8 * 2 ** 20;

const { store, bucket, file, concurrency } = workerData;
const s3 = clientOf(store, { maxAttempts: 3 });
const blob = await openAsBlob(file);
const begin = performance.now();
const target = { Bucket: bucket, Key: 'uploads/by-sdk.bin' };
const { UploadId } = await s3.send(new CreateMultipartUploadCommand(target));
const numbers = Array.from({ length: Math.ceil(blob.size / PART_SIZE) }, (_, index) => index + 1);
const parts: CompletedPart[] = [];

async function sendParts(): Promise<void> {
  for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
    const slice = blob.slice((number - 1) * PART_SIZE, number * PART_SIZE);
    const Body = new Uint8Array(await slice.arrayBuffer());
    const { ETag } = await s3.send(new UploadPartCommand({ ...target, UploadId, PartNumber: number, Body }));
    parts.push({ PartNumber: number, ETag });
  }
}

await Promise.all(Array.from({ length: concurrency }, sendParts));
const Parts = parts.sort((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0));
await s3.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } }));
parentPort?.postMessage((performance.now() - begin) / 1000);
s3.destroy();
