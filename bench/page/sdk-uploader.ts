/** Uploads a file in parts with the AWS SDK, and posts how many seconds that took. */
import { createReadStream } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { Upload } from '@aws-sdk/lib-storage';
import { clientOf } from '../../test/support/s3/servers.ts';

/** The size of the page's parts: see `packages/desk/src/media/state/uploader.ts`. */
const partSize = 8 * 2 ** 20;

const { store, bucket, file, concurrency: queueSize } = workerData;
const client = clientOf(store, { maxAttempts: 3 });
const begin = performance.now();
const Body = createReadStream(file, { highWaterMark: partSize });
const params = { Bucket: bucket, Key: 'uploads/by-sdk.bin', Body };
await new Upload({ client, params, partSize, queueSize }).done();
parentPort?.postMessage((performance.now() - begin) / 1000);
client.destroy();
