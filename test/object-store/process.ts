import { startObjectStore } from '@pressroom/object-store/server';

// A store in its own process, so that a test can kill it. Prints its endpoint when it listens.
const [, , dataDir = '', accessKeyId = '', secretAccessKey = ''] = process.argv;
const store = await startObjectStore({
  dataDir,
  port: 0,
  accessKeyId,
  secretAccessKey,
  log: () => undefined,
});
process.stdout.write(`${store.endpoint}\n`);
process.once('SIGTERM', () => void store.close());
