import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** What is flooded. */
export interface Flood {
  /** The port of the gallery, or of its public media. */
  port: number;
  /** The key of a public picture whose renditions are asked for; user names are tried without one. */
  picture?: string;
}

/** Floods the gallery from another thread, from the first answer on until it is disposed of. */
export async function startFlood(flood: Flood): Promise<{ succeeded: () => number } & AsyncDisposable> {
  const worker = new Worker(new URL('./flooder.ts', import.meta.url), { workerData: flood });
  let succeeded = 0;
  worker.on('message', (status?: number) => {
    if (status === 200) succeeded += 1;
  });
  await once(worker, 'message');
  const stop = async () => void (await worker.terminate());
  return { succeeded: () => succeeded, [Symbol.asyncDispose]: stop };
}
