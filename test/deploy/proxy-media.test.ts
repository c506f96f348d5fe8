import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { needsNginx } from '../support/needs-nginx.ts';
import { type RunningProxy, startProxy, upstreamOf } from '../support/proxy.ts';
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

/** How many requests the service has answered. */
const answered = () => gallery.log.events().filter(({ msg }) => msg === 'request_answered').length;

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
