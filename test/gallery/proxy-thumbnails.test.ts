import { get } from 'node:http';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { CORNERS, claimedPng, cornersSeen, drawn, IMAGES, turned } from '../fixtures/images.ts';
import { ThumbnailFixture } from '../support/thumbnails.ts';
import { until } from '../support/until.ts';

let proxy: ThumbnailFixture;

beforeAll(async () => {
  proxy = await ThumbnailFixture.start();
});

afterAll(() => proxy?.close());

afterEach(() => {
  proxy.host.answers.clear();
  proxy.host.requests.length = 0;
});

test.each(IMAGES)('$name becomes $becomes', async ({ draw, type, becomes }) => {
  await proxy.expectBecoming(await draw(), type, becomes);
});

test('an image that claims 65,536 × 65,536 pixels is not decoded', async () => {
  const image = claimedPng(65_536, 65_536, 64);
  const before = process.memoryUsage.rss();
  for (let count = 0; count < 20; count += 1) {
    expect((await proxy.thumbnail(proxy.serve(image, 'image/png'))).status).toBe(400);
  }
  // Decoded, it would be 4 GiB at a byte a pixel; what grows here is 20 times half a megabyte.
  expect(process.memoryUsage.rss() - before).toBeLessThan(256 * 2 ** 20);
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'an image of EXIF orientation %i is seen upright',
  async (orientation) => {
    const { body } = await proxy.thumbnail(proxy.serve(await turned(orientation)));
    expect(await cornersSeen(body)).toEqual(CORNERS);
  },
);

test('AVIF is for those who accept it, WebP for the others', async () => {
  const url = proxy.serve(await drawn(1000, 500));
  for (const [accept, type] of [
    ['image/avif,image/webp,*/*', 'avif'],
    ['image/webp,*/*', 'webp'],
    ['image/avif;q=0,*/*', 'webp'],
  ] as const) {
    const { headers, body } = await proxy.thumbnail(url, { accept });
    expect(headers.get('content-type')).toBe(`image/${type}`);
    const made = await sharp(body).metadata();
    expect([made.width, made.height]).toEqual([480, 240]);
  }
  // Once for each format.
  expect(proxy.host.requests).toHaveLength(2);
});

test('a thumbnail has a validator', async () => {
  const url = proxy.serve(await drawn(10, 10));
  const etag = (await proxy.thumbnail(url)).headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[\w-]+"$/);
  const again = await proxy.thumbnail(url, { 'if-none-match': etag });
  expect([again.status, again.body.length, again.headers.get('etag')]).toEqual([304, 0, etag]);
  expect(again.headers.get('cache-control')).toBe('private, max-age=604800, immutable');
});

test('many who ask at the same time get one thumbnail, made once', async () => {
  const url = proxy.serve(await drawn(2000, 1000));
  const answers = await Promise.all(Array.from({ length: 20 }, () => proxy.thumbnail(url)));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.toString('base64')}`)).size).toBe(1);
  expect(proxy.host.requests).toHaveLength(1);
});

test('many different ones are all made', async () => {
  const image = await drawn(3000, 2000);
  const urls = Array.from({ length: 40 }, () => proxy.serve(image));
  const answers = await Promise.all(urls.map((url) => proxy.thumbnail(url)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test('a failure is not kept', async () => {
  const image = await drawn(10, 10);
  let broken = true;
  const url = proxy.serve((request, response) => {
    if (broken) request.socket.destroy();
    else response.writeHead(200, { 'content-type': 'image/jpeg' }).end(image);
  });
  expect((await proxy.thumbnail(url)).status).toBe(500);
  broken = false;
  expect((await proxy.thumbnail(url)).status).toBe(200);
});

test.each([
  ['text/html', 'not_media'],
  ['video/mp4', 'not_an_image'],
  ['audio/mpeg', 'not_an_image'],
])('a thumbnail of %s is 400', async (type, code) => {
  const { status, body } = await proxy.thumbnail(proxy.serve(Buffer.from('x'), type));
  expect([status, JSON.parse(body.toString()).code]).toEqual([400, code]);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['a page', Buffer.from('<html><script>alert(1)</script>')],
  ['a JPEG that ends at once', Buffer.from('\xff\xd8\xff', 'latin1')],
  ['a PNG of nonsense', Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(1000, 7)])],
])('of %s that calls itself an image there is a placeholder', async (_, body) => {
  await proxy.expectBecoming(body, 'image/jpeg', 'a placeholder');
});

test('an image of more than 50 MiB is refused', async () => {
  const over = proxy.serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/png' });
    for (let mib = 0; mib < 51; mib += 1) response.write(Buffer.alloc(2 ** 20));
    response.end();
  });
  const { status, body } = await proxy.thumbnail(over);
  expect([status, JSON.parse(body.toString()).code]).toEqual([400, 'media_too_large']);
});

test('when the last one who waits goes away, the host is let go', async () => {
  let state: 'asked' | 'let go' | undefined;
  const url = proxy.serve((_request, response) => {
    state = 'asked';
    response.writeHead(200, { 'content-type': 'image/png' }).write('x');
    response.on('close', () => {
      state = 'let go';
    });
  });
  const path = `/api/proxy?thumbnail=true&url=${encodeURIComponent(url)}`;
  const requests = [1, 2].map(() =>
    get(`${proxy.gallery.url}${path}`, { headers: { cookie: proxy.gallery.cookie } }).on(
      'error',
      () => undefined,
    ),
  );
  await until('the host is asked', () => state === 'asked');
  for (const request of requests) request.destroy();
  await until('the host is let go', () => state === 'let go');
  expect(proxy.host.requests).toHaveLength(1);
});

test('the bucket and other hosts wait for none that is slow', async () => {
  const image = await drawn(900, 600);
  await proxy.gallery.s3.send(
    new PutObjectCommand({
      Bucket: proxy.gallery.bucket,
      Key: 'quick.jpg',
      Body: image,
      ContentType: 'image/jpeg',
    }),
  );
  let asked = 0;
  const urls = Array.from({ length: 20 }, () =>
    proxy.serve((_request, response) => {
      asked += 1;
      response.writeHead(200, { 'content-type': 'image/jpeg' }).write('\xff');
    }),
  );
  const leave = new AbortController();
  const slow = urls.map((url) => proxy.thumbnail(url, {}, leave.signal).catch(() => undefined));
  await until('the slow host is asked', () => asked > 1);
  const bucket = await proxy.gallery.ask('/api/gallery/media?key=quick.jpg&thumbnail=true');
  const other = proxy.serve(image).replace('media.test', 'other.test');
  expect([bucket.status, (await proxy.thumbnail(other)).status]).toEqual([200, 200]);
  leave.abort();
  await Promise.all(slow);
});

test('a host that sends a file bit by bit is given up', async () => {
  const url = proxy.serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg' });
    const sending = setInterval(() => response.write('x'), 50);
    response.on('close', () => clearInterval(sending));
  });
  const { status, body } = await proxy.thumbnail(url, {}, undefined, proxy.impatient.url);
  expect([status, JSON.parse(body.toString()).code]).toEqual([504, 'upstream_timeout']);
});
