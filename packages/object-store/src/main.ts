/**
 * The embedded object store as a program: `main.ts DIRECTORY PORT`, its keys in `S3_ACCESS_KEY_ID` and
 * `S3_SECRET_ACCESS_KEY`. Ends at SIGTERM, after the requests that are going on.
 */
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { type ObjectStore, type ObjectStoreOptions, startObjectStore } from './server.ts';

/** Time for a store that a killed start has left to end, in ms. */
const LEFTOVER_MS = 15_000;

const RETRY_MS = 200;

const [dataDir = '', port = ''] = process.argv.slice(2);
const { S3_ACCESS_KEY_ID: accessKeyId = '', S3_SECRET_ACCESS_KEY: secretAccessKey = '' } = process.env;
const ended = once(process, 'SIGTERM');
try {
  const store = await startWhenFree({ dataDir, port: Number(port), accessKeyId, secretAccessKey });
  await ended;
  await store.close();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function startWhenFree(options: ObjectStoreOptions): Promise<ObjectStore> {
  const deadline = Date.now() + LEFTOVER_MS;
  for (;;) {
    try {
      return await startObjectStore(options);
    } catch (error) {
      const isTaken = error instanceof Error && error.message.includes('in use by another process');
      if (!isTaken || Date.now() > deadline) throw error;
      await wait(RETRY_MS);
    }
  }
}
