import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
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
skipUnless(spawnSync('dnsmasq', ['--version'], { env: { PATH } }).error === undefined, NO_DNSMASQ);

const [HUNG, FINE] = ['127.0.0.1', '127.0.0.2'] as const;

const replicas: Server[] = [];
/** What the hung replica has been asked and has not answered. */
const held: { method: string | undefined; response: ServerResponse }[] = [];
let proxy: RunningProxy;

beforeAll(async () => {
  const hung = createServer(({ method }, response) => void held.push({ method, response }));
  const fine = createServer((_request, response) => response.end('fine'));
  hung.listen(0, HUNG);
  await once(hung, 'listening');
  const { port } = hung.address() as AddressInfo;
  fine.listen(port, FINE);
  await once(fine, 'listening');
  replicas.push(hung, fine);
  const upstream = `replicas:${port}`;
  const settings = { CONTENT_UPSTREAM: upstream, NEWS_FEED_UPSTREAM: upstream, MEDIA_UPSTREAM: upstream };
  proxy = (await startProxy(settings, { routed: true })) as RunningProxy;
});

afterAll(async () => {
  await proxy.close();
  for (const replica of replicas) {
    replica.closeAllConnections();
    replica.close();
  }
});

test('a read is answered by the next replica when one hangs, and a change goes on waiting', async () => {
  proxy.route('replicas', HUNG, FINE);
  const change = await until('a change waits for the hung replica', async () => {
    const sent = send(`${proxy.url}/api/articles`, { method: 'POST', json: {} });
    const isAnswered = sent.then(({ text }) => text === 'fine' || undefined);
    const isHeld = until('it is held or answered', async () => held.length > 0 || undefined);
    await Promise.race([isAnswered, isHeld]);
    return held.length > 0 ? { sent } : undefined;
  });
  const paths = ['/api/articles?page=', '/api/v1/items?limit=', '/media/public/a.jpg?w='];
  // The hung replica is asked as long as nginx takes it for one: which of the reads, nobody can say.
  const reads: ReturnType<typeof send>[] = [];
  await until('a read waits for the hung replica', async () => {
    reads.push(...paths.map((path) => send(`${proxy.url}${path}${reads.length}`)));
    return held.some(({ method }) => method === 'GET') || undefined;
  });
  expect((await Promise.all(reads)).map(({ text }) => text)).toEqual(reads.map(() => 'fine'));

  for (const { method, response } of held) if (method === 'POST') response.end('late');
  expect((await change.sent).text).toBe('late');
});
