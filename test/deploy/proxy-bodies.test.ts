import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { send } from '../support/http.ts';
import { needsNginx } from '../support/needs-nginx.ts';
import { type RunningProxy, startProxy, upstreamOf } from '../support/proxy.ts';
import { until } from '../support/until.ts';

needsNginx();

const MIB = 2 ** 20;

let content: ContentFixture;
let gallery: GalleryFixture;
let proxy: RunningProxy | undefined;
const sockets: Socket[] = [];

beforeAll(async () => {
  content = await contentFixture({ TRUST_PROXY: '1' });
  gallery = await galleryFixture({ TRUST_PROXY: '1' });
  proxy = await startProxy({
    CONTENT_UPSTREAM: upstreamOf(content.url),
    GALLERY_ADMIN_UPSTREAM: upstreamOf(gallery.url),
  });
});

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

afterAll(async () => {
  await proxy?.close();
  await content.close();
  await gallery.close();
});

/** Announces `bytes` and sends one of them. `heard` has the answer so far. */
function unfinished(url: string, path: string, bytes: number, client = '127.0.0.1'): { heard: string } {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  sockets.push(socket);
  const request = { heard: '' };
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    request.heard += chunk;
  });
  socket.on('error', () => undefined);
  const lines = ['Host: site.example', `X-Forwarded-For: ${client}`, `Content-Length: ${bytes}`];
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n{`);
  return request;
}

test.each([
  ['/api/gallery/lookup', 16 * MIB],
  ['/api/settings/buckets', MIB],
  ['/api/articles', MIB],
])(
  'an anonymous client that announces a body for %s is refused before it has arrived',
  async (path, bytes) => {
    const request = unfinished(proxy?.url ?? '', path, bytes);
    await until('it is answered', () => request.heard.includes('\r\n\r\n'));
    expect(request.heard).toMatch(/^HTTP\/1\.1 401 /);
  },
);

describe('bodies as large as their route needs', () => {
  const path = (size: number) => ({ paths: Array.from({ length: size / 1024 }, () => 'x'.repeat(1000)) });
  const post = (to: string, json: object) =>
    send(`${proxy?.url}${to}`, { method: 'POST', json, headers: { cookie: gallery.cookie } });

  test.each(['/api/gallery/lookup', '/api/gallery/delete', '/api/gallery/batch', '/api/gallery'])(
    '12 MiB of paths reach %s',
    async (to) => {
      expect((await post(to, path(12 * MIB))).status).not.toBe(413);
    },
  );

  test.each([
    ['/api/login', 33 * 1024],
    ['/api/upload', 3 * MIB],
    ['/api/upload/sign', 3 * MIB],
    ['/api/gallery/folder', 3 * MIB],
    ['/api/gallery/rename', 3 * MIB],
    ['/api/settings/buckets', 3 * MIB],
    ['/api/articles', 3 * MIB],
    ['/api/v1/items', 2048],
  ])('%s does not take %i bytes', async (to, bytes) => {
    const { status, body } = await post(to, path(Math.ceil(bytes / 1024) * 1024));
    expect([status, body.code]).toEqual([413, 'payload_too_large']);
  });
});

describe('requests of one address at once', () => {
  let silent: Server;
  let limited: RunningProxy | undefined;

  beforeAll(async () => {
    silent = createServer(() => undefined);
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const upstream = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const settings = { CONNECTION_LIMIT: '5', TRUSTED_PROXIES: '127.0.0.1' };
    limited = await startProxy({ GALLERY_ADMIN_UPSTREAM: upstream, ...settings });
  });

  afterAll(async () => {
    await limited?.close();
    silent.closeAllConnections();
    silent.close();
  });

  test.each([
    ['an address', () => '192.0.2.1', '192.0.2.2'],
    ['a network of IPv6', (number: number) => `2001:db8:1:2::${number}`, '2001:db8:1:3::1'],
  ])('of %s over the limit are 429, and others are not kept out', async (_what, client, other) => {
    const url = limited?.url ?? '';
    const requests = Array.from({ length: 8 }, (_, number) =>
      unfinished(url, '/api/login', 1000, client(number)),
    );
    const answered = () => requests.filter(({ heard }) => heard !== '');
    await until('three are refused', () => answered().length >= 3);
    for (const { heard } of answered()) {
      expect(heard).toMatch(/^HTTP\/1\.1 429 .*Retry-After: 60.*"code":"rate_limited"/s);
    }
    const anonymous = unfinished(url, '/api/gallery/lookup', 17 * MIB, other);
    await until('another one is answered', () => anonymous.heard.includes('}'));
    expect(anonymous.heard).toMatch(/^HTTP\/1\.1 413 .*"code":"payload_too_large"/s);
    expect(answered()).toHaveLength(3);
  });
});
