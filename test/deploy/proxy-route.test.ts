import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../support/http.ts';
import { NO_DNSMASQ } from '../support/left-out-notes.ts';
import { skipUnless } from '../support/needed-programs.ts';
import { needsNginx } from '../support/needs-nginx.ts';
import { type RunningProxy, startProxy } from '../support/proxy.ts';
import { until } from '../support/until.ts';

needsNginx();
const PATH = `${process.env.PATH}:/usr/sbin`;
const hasDnsmasq = spawnSync('dnsmasq', ['--version'], { env: { PATH } }).error === undefined;
skipUnless(hasDnsmasq, NO_DNSMASQ);

/** Replicas of a service: the same port on their own addresses. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2'] as const;

const replicas: Server[] = [];
let proxy: RunningProxy | undefined;

beforeAll(async () => {
  let port = 0;
  for (const address of ADDRESSES) {
    const replica = createServer((_request, response) => response.end(address));
    replica.listen(port, address);
    await once(replica, 'listening');
    port = (replica.address() as AddressInfo).port;
    replicas.push(replica);
  }
  proxy = await startProxy({ CONTENT_UPSTREAM: `content:${port}` }, { routed: true });
});

afterAll(async () => {
  await proxy?.close();
  for (const replica of replicas) replica.close();
});

/** Returns the replica that answers each of 20 requests that no cache can answer. */
async function answering(): Promise<string[]> {
  const asked = Array.from({ length: 20 }, () => send(`${proxy?.url}/api/articles`, { method: 'POST' }));
  const texts = (await Promise.all(asked)).map(({ text }) => text);
  return [...new Set(texts)].sort();
}

test('new requests go only to the replicas that were named last', async () => {
  proxy?.route('content', ...ADDRESSES);
  await until('both answer', async () => (await answering()).join() === ADDRESSES.join());
  proxy?.route('content', ADDRESSES[1]);
  await until('one answers', async () => (await answering()).join() === ADDRESSES[1]);
  proxy?.route('content', ADDRESSES[0]);
  await until('the other answers', async () => (await answering()).join() === ADDRESSES[0]);
  // The machine's own resolver does not know the name.
  proxy?.route('content');
  await until('the name is looked up elsewhere', async () => {
    return (await send(`${proxy?.url}/api/articles`, { method: 'POST' })).status === 503;
  });
});

test('what could add lines to the list of addresses is refused', () => {
  expect(() => proxy?.route('content', '127.0.0.1 other\n127.0.0.2')).toThrow('expected a name');
});
