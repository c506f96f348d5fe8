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

const GALLERY_READS = [
  '/',
  '/api/proxy',
  '/api/gallery',
  '/api/gallery/media',
  '/api/me',
  '/api/desk/newsroom/items',
];
const GALLERY_CHANGES = ['/api/gallery', '/api/gallery/batch', '/api/upload', '/api/desk/newsroom/import'];

const replicas: Server[] = [];
/** Requests that the hung replica has not answered. */
const held: { method: string | undefined; url: string | undefined; response: ServerResponse }[] = [];
let proxy: RunningProxy;

beforeAll(async () => {
  const hung = createServer(({ method, url }, response) => void held.push({ method, url, response }));
  const fine = createServer((_request, response) => response.end('fine'));
  hung.listen(0, HUNG);
  await once(hung, 'listening');
  const { port } = hung.address() as AddressInfo;
  fine.listen(port, FINE);
  await once(fine, 'listening');
  replicas.push(hung, fine);
  const upstream = `replicas:${port}`;
  const names = ['CONTENT', 'NEWS_FEED', 'MEDIA', 'GALLERY_ADMIN'];
  const settings = Object.fromEntries(names.map((name) => [`${name}_UPSTREAM`, upstream]));
  proxy = (await startProxy(settings, { routed: true })) as RunningProxy;
});

afterAll(async () => {
  await proxy.close();
  for (const replica of replicas) {
    replica.closeAllConnections();
    replica.close();
  }
});

/** Sends a change until the hung replica has it. */
async function heldChange(path: string): Promise<{ answer: Promise<{ text: string }> }> {
  const isHeld = () => held.some(({ method, url }) => method === 'POST' && url === path) || undefined;
  return until(`${path} waits for the hung replica`, async () => {
    const answer = send(`${proxy.url}${path}`, { method: 'POST', json: {} });
    await Promise.race([answer, until('it is held', isHeld)]);
    return isHeld() && { answer };
  });
}

test('reads are answered by the next replica when one hangs, and changes go on waiting', async () => {
  proxy.route('replicas', HUNG, FINE);
  const changes = await Promise.all(['/api/articles', ...GALLERY_CHANGES].map(heldChange));
  const paths = ['/api/articles', '/api/v1/items', '/media/public/a.jpg', ...GALLERY_READS];
  const isHeld = (path: string) =>
    held.some(({ method, url = '' }) => method === 'GET' && url.startsWith(`${path}?`));
  // The hung replica is asked as long as nginx takes it for one: which of the reads, nobody can say.
  const reads: ReturnType<typeof send>[] = [];
  await until('a read of each path waits for the hung replica', () => {
    const others = paths.filter((path) => !isHeld(path));
    for (const path of others) reads.push(send(`${proxy.url}${path}?n=${reads.length}`));
    return others.length === 0;
  });
  expect((await Promise.all(reads)).map(({ text }) => text)).toEqual(reads.map(() => 'fine'));

  for (const { method, response } of held) if (method === 'POST') response.end('late');
  for (const { answer } of changes) expect((await answer).text).toBe('late');
});
