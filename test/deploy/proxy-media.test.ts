import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { needsNginx } from '../support/needs-nginx.ts';
import { type RunningProxy, startProxy, upstreamOf } from '../support/proxy.ts';
import { sendLines } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

needsNginx();

const PATH = '/media/public/feed.xml';

let gallery: GalleryFixture;
let proxy: RunningProxy | undefined;
let photo: Buffer;

beforeAll(async () => {
  gallery = await galleryFixture({ MEDIA_PUBLIC: 'public/', TRUST_PROXY: '1' });
  proxy = await startProxy({ MEDIA_UPSTREAM: upstreamOf(gallery.url) });
  photo = await sharp({ create: { width: 400, height: 300, channels: 3, background: '#468' } })
    .jpeg()
    .toBuffer();
  const Body = photo;
  await gallery.s3.send(
    new PutObjectCommand({ Bucket: gallery.bucket, Key: 'public/feed.xml', Body, ContentType: 'image/jpeg' }),
  );
});

afterAll(async () => {
  await proxy?.close();
  await gallery.close();
});

const read = (query = '', headers: Record<string, string> = {}) =>
  fetch(`${proxy?.url}${PATH}${query}`, { headers });

/** Counts the requests that the service has answered. */
const answered = () => gallery.log.events().filter(({ msg }) => msg === 'request_answered').length;

test('formats, parts, conditions and shared links come through the proxy as they are meant', async () => {
  for (const [accept, type] of [
    ['image/avif;q=0.1, image/webp', 'image/webp'],
    ['image/avif;q=0.1, */*', 'image/jpeg'],
    ['image/avif;q=0.1', 'image/avif'],
    ['image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5', 'image/avif'],
  ] as const) {
    expect([accept, (await read('?w=128', { accept })).headers.get('content-type')]).toEqual([accept, type]);
  }
  expect((await read('', { range: 'BYTES=1-3' })).status).toBe(206);
  // nginx answers this itself, and closes the connection.
  const lines = [`GET ${PATH} HTTP/1.1`, 'Host: localhost', 'If-Match: "other"', 'Connection: close', ''];
  expect((await sendLines(proxy?.url ?? '', lines)).status).toBe(412);
  const shared = await read('?utm_source=x&fbclid=1');
  expect([shared.status, shared.redirected, shared.url]).toEqual([200, true, `${proxy?.url}${PATH}`]);
  const before = await fetch(`${proxy?.url}${PATH}`, {
    method: 'OPTIONS',
    headers: { origin: 'https://reader.example', 'access-control-request-method': 'GET' },
  });
  expect([before.status, before.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  const typeOf = async (accept: string) =>
    (await fetch(`${proxy?.url}/media/none`, { headers: { accept } })).headers.get('content-type');
  expect(await typeOf('*/*')).toMatch(/^application\/json/);
  expect(await typeOf('application/problem+json')).toBe('application/problem+json');
});

test('the proxy leads to public media, keeps them a second, and forgets what is deleted', async () => {
  const first = await read();
  expect([first.status, Buffer.from(await first.arrayBuffer()).equals(photo)]).toEqual([200, true]);
  const part = await read('', { range: 'bytes=1-3' });
  expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, photo.subarray(1, 4)]);
  const forGood = first.headers.get('content-location') ?? '';
  const versioned = () => fetch(`${proxy?.url}${forGood}`);
  expect((await versioned()).headers.get('cache-control')).toMatch('immutable');

  const before = answered();
  const all = await Promise.all(
    Array.from({ length: 60 }, (_, index) => {
      const accept = ['image/avif,image/webp,*/*', 'image/webp', 'image/png', `image/webp;q=0.${index + 1}`];
      return read('?w=64', { accept: accept[index % 4] ?? '' });
    }),
  );
  const types = all.map(({ headers }) => headers.get('content-type'));
  expect(types.slice(0, 4)).toEqual(['image/avif', 'image/webp', 'image/jpeg', 'image/webp']);
  // Each of the three formats, and again where a second has passed.
  expect(answered() - before).toBeLessThan(30);
  const known = await read('?w=64', { 'if-none-match': all[2]?.headers.get('etag') ?? '' });
  expect(known.status).toBe(304);

  await gallery.s3.send(new DeleteObjectCommand({ Bucket: gallery.bucket, Key: 'public/feed.xml' }));
  for (const asked of [read, () => read('?w=64'), versioned]) {
    await until('it is gone', async () => (await asked()).status === 404);
    expect((await asked()).status).toBe(404);
  }
});
