import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkBucket, TIMEOUT_MS } from '@pressroom/gallery-admin/buckets/bucket';
import { expect, onTestFinished, test } from 'vitest';

/** The store's answers to the steps of a test, by method. */
const ANSWERS: Record<string, (response: ServerResponse) => void> = {
  GET: (response) =>
    response
      .writeHead(200, { 'content-type': 'application/xml' })
      .end('<ListBucketResult><Name>media</Name></ListBucketResult>'),
  PUT: (response) => response.writeHead(200, { etag: '"x"' }).end(),
  DELETE: (response) => response.writeHead(204).end(),
};

/**
 * Starts a store that says nothing to requests of `silent`, and calls `asked` at each; returns where it is.
 */
async function storeSilentTo(silent: string, asked: () => void): Promise<string> {
  const server = createServer((request, response) => {
    if (request.method === silent) return asked();
    return ANSWERS[request.method ?? '']?.(response);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  ['listed', 'GET', /^the store did not answer in time: .*firewalls$/],
  ['written', 'PUT', /^the store did not answer in time: .*firewalls$/],
  ['deleted', 'DELETE', /^the store did not answer in time: .*; the object \S+ is still in the bucket$/],
])('one limit ends a test whose bucket cannot be %s', async (_what, silent, message) => {
  const limit = new AbortController();
  const endpoint = await storeSilentTo(silent, () => limit.abort(new DOMException('', 'TimeoutError')));
  const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
  const bucket = {
    id: 'x',
    name: 'media',
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    publicEndpoint: null,
  };
  expect(await checkBucket({ ...bucket, credentials }, limit.signal)).toEqual({
    success: false,
    code: 'bucket_too_slow',
    message: expect.stringMatching(message),
  });
});

test('the limit leaves time to answer within 5 s', () => {
  expect(TIMEOUT_MS).toBeLessThan(5000);
});
