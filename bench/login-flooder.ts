/**
 * A thread that tries ever-new user names over 200 connections from 50 addresses, until it is terminated.
 * `workerData` has the port of the gallery; a message says that the first attempt was answered.
 */
import { parentPort, workerData } from 'node:worker_threads';

const { port }: { port: number } = workerData;

const CONNECTIONS = 200;
const ADDRESSES = 50;

/** Does not wait for the answer of one connection before another sends. */
async function flood(connection: number): Promise<never> {
  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(`http://127.0.0.1:${port}/api/login`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `203.0.113.${connection % ADDRESSES}`,
      },
      body: JSON.stringify({ username: `name-${connection}-${attempt}`, password: 'guess' }),
    });
    await response.arrayBuffer();
    parentPort?.postMessage(response.status);
  }
}

await Promise.all(Array.from({ length: CONNECTIONS }, (_, connection) => flood(connection)));
