import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StoreConnections } from '@pressroom/gallery-admin/buckets/bucket';
import { StorePing } from '@pressroom/gallery-admin/buckets/store-errors';
import { afterAll, beforeAll, expect, test } from 'vitest';

let status = 200;
let asked = 0;
let store: Server;
const connections = new StoreConnections();

beforeAll(async () => {
  store = createServer((_request, response) => {
    asked += 1;
    response.writeHead(status).end();
  });
  store.listen(0, '127.0.0.1');
  await once(store, 'listening');
});

afterAll(() => {
  connections.close();
  store.close();
});

function open() {
  const bucket = {
    id: 'tested',
    name: 'tested',
    endpoint: `http://127.0.0.1:${(store.address() as AddressInfo).port}`,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
  };
  return Promise.resolve(connections.open({ ...bucket, publicEndpoint: null }, 1));
}

test('a store that has answered is asked again after a minute; one that has not, at once', async () => {
  let now = 0;
  const ping = new StorePing(() => now);
  const bucket = open();
  await ping.ping(bucket);
  now = 59_999;
  status = 503;
  await ping.ping(bucket);
  expect(asked).toBe(1);

  now = 60_000;
  await expect(ping.ping(bucket)).rejects.toThrow();
  await expect(ping.ping(bucket)).rejects.toThrow();
  expect(asked).toBe(3);

  // Wrong keys are an answer.
  status = 403;
  await ping.ping(bucket);
  await ping.ping(bucket);
  expect(asked).toBe(4);
});

test('another bucket is asked at once', async () => {
  const ping = new StorePing(() => 0);
  status = 200;
  asked = 0;
  await ping.ping(open());
  await ping.ping(open());
  expect(asked).toBe(2);
});
