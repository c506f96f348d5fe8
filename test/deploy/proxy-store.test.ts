import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { needsNginx } from '../support/needs-nginx.ts';
import { type RunningProxy, startProxy } from '../support/proxy.ts';
import { exchange, parseAnswer } from '../support/raw-http.ts';

needsNginx();

const SIGNED = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=${'0a'.repeat(32)}`;

/** Stands for the store: whatever reaches it. */
const reached: string[] = [];
let store: Server;
let proxy: RunningProxy | undefined;

beforeAll(async () => {
  store = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`);
    response.end('the store');
  });
  await once(store.listen(0, '127.0.0.1'), 'listening');
  proxy = await startProxy({ STORE_UPSTREAM: `127.0.0.1:${(store.address() as AddressInfo).port}` });
});

afterAll(async () => {
  await proxy?.close();
  store.closeAllConnections();
  store.close();
});

/** Asks the store's port, and the store by its name, for a target as it is written. */
async function ask(method: string, target: string) {
  const urls = [proxy?.storeUrl ?? '', proxy?.url ?? ''];
  const text = `${method} ${target} HTTP/1.1\r\nHost: store.site.example\r\nConnection: close\r\n\r\n`;
  const heard = await Promise.all(urls.map((url) => exchange(url, text)));
  return heard.map((answer) => parseAnswer(answer).answer);
}

test.each([
  ['GET', `/gallery/a.jpg?${SIGNED}`],
  ['HEAD', `/gallery/a.jpg?${SIGNED}`],
  ['GET', `/gallery?list-type=2&${SIGNED}`],
  ['GET', `/gallery/?list-type=2&prefix=a%2F&${SIGNED}`],
  ['PUT', `/gallery/%D0%A4/it%27s%20a%2Bb%20%2520%23%3F.jpg?${SIGNED}`],
  ['PUT', `/gallery/a//b.jpg?partNumber=1&uploadId=x&${SIGNED}`],
  ['POST', `/gallery/minio/admin.jpg?uploads=&${SIGNED}&x-id=CreateMultipartUpload`],
  ['DELETE', `/gallery/a.jpg?uploadId=x&${SIGNED}`],
  // A browser asks first, at the same address.
  ['OPTIONS', `/gallery/a.jpg?${SIGNED}`],
  ['GET', `/minio-photos/a.jpg?${SIGNED}`],
])('%s %s reaches the store as it was sent', async (method, target) => {
  reached.length = 0;
  const answers = await ask(method, target);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(reached).toEqual(Array(2).fill(`${method} ${target}`));
});

test.each([
  ['GET', '/minio/admin/v3/info'],
  ['GET', `/minio/admin/v3/info?${SIGNED}`],
  ['GET', `/minio?${SIGNED}`],
  ['GET', `/minio/v2/metrics/cluster?${SIGNED}`],
  ['GET', `/minio/health/live?${SIGNED}`],
  ['GET', `//minio/admin/v3/info?${SIGNED}`],
  ['GET', `/%6dinio/admin/v3/info?${SIGNED}`],
  ['GET', `/gallery/../minio/admin/v3/info?${SIGNED}`],
  ['GET', `/gallery/%2e%2e/minio/admin/v3/info?${SIGNED}`],
  ['GET', `/gallery%2f..%2fminio/admin/v3/info?${SIGNED}`],
  // The security token service.
  ['POST', `/?Action=AssumeRole&${SIGNED}`],
  ['GET', `/?${SIGNED}`],
  ['GET', '/'],
  ['GET', '/gallery/a.jpg'],
  ['GET', '/gallery?list-type=2'],
  ['PUT', '/gallery/a.jpg?X-Amz-Signature=no'],
  ['PATCH', `/gallery/a.jpg?${SIGNED}`],
  ['PROPFIND', `/gallery/a.jpg?${SIGNED}`],
])('%s %s is refused', async (method, target) => {
  reached.length = 0;
  for (const { status, headers, body } of await ask(method, target)) {
    expect([status, headers['content-type']]).toEqual([403, 'application/problem+json']);
    expect(JSON.parse(body).code).toBe('forbidden');
  }
  expect(reached).toEqual([]);
});
