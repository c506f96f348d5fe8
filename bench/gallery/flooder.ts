/**
 * A thread that floods the gallery from 50 addresses, until it is terminated: with ever-new user names, or
 * with ever-new renditions of a picture. `workerData` is a `Flood`; a message says with which status a
 * request was answered.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Flood } from './flood.ts';

const { port, picture }: Flood = workerData;

/** More than 64 renditions do not wait: a flood of refusals would be measured instead. */
const CONNECTIONS = picture === undefined ? 200 : 64;
const ADDRESSES = 50;

/** The path and options of an attempt. */
function attemptOf(connection: number, attempt: number): [path: string, RequestInit] {
  const headers = { 'x-forwarded-for': `203.0.113.${connection % ADDRESSES}` };
  if (picture !== undefined) {
    const upTo = (most: number) => Math.ceil(Math.random() * most);
    const focus = `${Math.random().toFixed(4)},${Math.random().toFixed(4)}`;
    const query = `w=${upTo(3840)}&h=${upTo(3840)}&fit=cover&focus=${focus}&q=${upTo(100)}`;
    return [`/media/${picture}?${query}`, { headers: { ...headers, accept: 'image/avif' } }];
  }
  const body = JSON.stringify({ username: `name-${connection}-${attempt}`, password: 'guess' });
  const json = { ...headers, 'content-type': 'application/json' };
  return ['/api/login', { method: 'POST', headers: json, body }];
}

/** Does not wait for the answer of one connection before another sends. */
async function flood(connection: number): Promise<never> {
  for (let attempt = 0; ; attempt += 1) {
    const [path, options] = attemptOf(connection, attempt);
    // Of a connection that the service breaks off there is no status.
    const response = await fetch(`http://127.0.0.1:${port}${path}`, options).catch(() => undefined);
    await response?.arrayBuffer().catch(() => undefined);
    parentPort?.postMessage(response?.status);
  }
}

await Promise.all(Array.from({ length: CONNECTIONS }, (_, connection) => flood(connection)));
