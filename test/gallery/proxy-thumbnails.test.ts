import { readdirSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { type Answering, type MediaHost, startMediaHost } from '../support/media-host.ts';
import { realFile } from '../support/real-data.ts';
import { until } from '../support/until.ts';

let host: MediaHost;
let gallery: GalleryFixture;

beforeAll(async () => {
  host = await startMediaHost(['media.test']);
  const name = `media.test:${host.port}`;
  gallery = await galleryFixture(
    { PROXY_ALLOWED_HOSTS: name, PROXY_PRIVATE_HOSTS: name },
    { proxy: { ca: host.ca, resolve: async () => [{ address: '127.0.0.1', family: 4 }] } },
  );
});

afterAll(async () => {
  await gallery?.close();
  await host?.close();
});

afterEach(() => {
  host.answers.clear();
  host.requests.length = 0;
});

let served = 0;

/** Serves `body` under a URL that no test has asked for before. */
function serve(body: Buffer | Answering, type = 'image/jpeg'): string {
  served += 1;
  const path = `/image-${served}`;
  const send: Answering = (_request, response) => response.writeHead(200, { 'content-type': type }).end(body);
  host.answers.set(path, typeof body === 'function' ? body : send);
  return `https://media.test:${host.port}${path}`;
}

async function thumbnail(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${gallery.url}/api/proxy?thumbnail=true&url=${encodeURIComponent(url)}`, {
    headers: { cookie: gallery.cookie, ...headers },
  });
  return {
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  };
}

function drawn(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#369' } })
    .jpeg()
    .toBuffer();
}

/** What becomes of each real image: the thumbnail's size, the image itself, or a refusal. */
const REAL: Record<string, [width: number, height: number] | 'as it is' | 'too many pixels'> = {
  '320x240.jpg': [320, 240],
  '5_webp_a.webp': [300, 300],
  '65536-uint32-limit.png': 'too many pixels',
  'Channel_digital_image_CMYK_color_no_profile.jpg': [480, 320],
  'Crash_test.gif': [480, 320],
  'G31D.TIF': [364, 480],
  'Landscape_1.jpg': [480, 360],
  'Portrait_6.jpg': [360, 480],
  'animated-loop-3.gif': [370, 285],
  'big-height.webp': [13, 169],
  'blackbug.png': [480, 360],
  'check.svg': 'as it is',
  'corrupt-header.jpg': 'as it is',
  'giant-image.jpg': 'too many pixels',
  'pitm.avif': [480, 94],
  'rotating-squares.gif': [80, 80],
  'rotating-squares.webp': [80, 80],
  'struct-image-04-t.svg': 'as it is',
  'truncated.jpg': 'as it is',
  'truncated.png': 'as it is',
};

const TYPES: Record<string, string> = { jpg: 'jpeg', svg: 'svg+xml', TIF: 'tiff' };

test('every real image is expected to become something', () => {
  expect(readdirSync(realFile('images')).sort()).toEqual(Object.keys(REAL).sort());
});

test.each(Object.entries(REAL))('%s becomes %j', async (name, expected) => {
  const image = readFileSync(realFile('images', name));
  const ending = name.slice(name.lastIndexOf('.') + 1);
  const type = `image/${TYPES[ending] ?? ending}`;
  const { status, headers, body } = await thumbnail(serve(image, type));
  if (expected === 'too many pixels') {
    expect([status, JSON.parse(body.toString()).code]).toEqual([400, 'too_many_pixels']);
    return;
  }
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'private, max-age=604800, immutable',
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
    vary: expect.stringContaining('Accept'),
  });
  expect(status).toBe(200);
  if (expected === 'as it is') {
    expect([headers.get('content-type'), body.equals(image)]).toEqual([type, true]);
    return;
  }
  expect(headers.get('content-type')).toBe('image/webp');
  const made = await sharp(body).metadata();
  expect([made.format, made.width, made.height]).toEqual(['webp', ...expected]);
  expect([made.exif, made.icc, made.xmp, made.iptc, made.orientation]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('an image that claims 65,536 × 65,536 pixels is not decoded', async () => {
  const image = readFileSync(realFile('images', '65536-uint32-limit.png'));
  const before = process.memoryUsage.rss();
  for (let count = 0; count < 20; count += 1) {
    expect((await thumbnail(serve(image, 'image/png'))).status).toBe(400);
  }
  // Decoded, it would be 4 GiB at a byte a pixel; what grows here is 20 times half a megabyte.
  expect(process.memoryUsage.rss() - before).toBeLessThan(256 * 2 ** 20);
});

test('an image is turned as its EXIF orientation says', async () => {
  // Red above, blue below; orientation 6 is shown turned by 90° clockwise: blue left, red right.
  const blue = { create: { width: 100, height: 50, channels: 3 as const, background: 'blue' } };
  const image = await sharp({ create: { width: 100, height: 100, channels: 3, background: 'red' } })
    .composite([{ input: blue, top: 50, left: 0 }])
    .jpeg()
    .withMetadata({ orientation: 6 })
    .toBuffer();
  const { body } = await thumbnail(serve(image));
  const pixel = async (left: number) => {
    const region = { left, top: 50, width: 1, height: 1 };
    const [red = 0, , blueness = 0] = await sharp(body).extract(region).raw().toBuffer();
    return red > blueness ? 'red' : 'blue';
  };
  expect([await pixel(10), await pixel(90)]).toEqual(['blue', 'red']);
});

test('AVIF is for those who accept it, WebP for the others', async () => {
  const url = serve(await drawn(1000, 500));
  for (const [accept, type] of [
    ['image/avif,image/webp,*/*', 'avif'],
    ['image/webp,*/*', 'webp'],
    ['image/avif;q=0,*/*', 'webp'],
  ] as const) {
    const { headers, body } = await thumbnail(url, { accept });
    expect(headers.get('content-type')).toBe(`image/${type}`);
    const made = await sharp(body).metadata();
    expect([made.width, made.height]).toEqual([480, 240]);
  }
  // Once for each format.
  expect(host.requests).toHaveLength(2);
});

test('a thumbnail has a validator', async () => {
  const url = serve(await drawn(10, 10));
  const etag = (await thumbnail(url)).headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[\w-]+"$/);
  const again = await thumbnail(url, { 'if-none-match': etag });
  expect([again.status, again.body.length, again.headers.get('etag')]).toEqual([304, 0, etag]);
  expect(again.headers.get('cache-control')).toBe('private, max-age=604800, immutable');
});

test('many who ask at the same time get one thumbnail, made once', async () => {
  const url = serve(await drawn(2000, 1000));
  const answers = await Promise.all(Array.from({ length: 20 }, () => thumbnail(url)));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.toString('base64')}`)).size).toBe(1);
  expect(host.requests).toHaveLength(1);
});

test('many different ones are all made', async () => {
  const image = await drawn(3000, 2000);
  const urls = Array.from({ length: 40 }, () => serve(image));
  const answers = await Promise.all(urls.map((url) => thumbnail(url)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test('a failure is not kept', async () => {
  const image = await drawn(10, 10);
  let broken = true;
  const url = serve((request, response) => {
    if (broken) request.socket.destroy();
    else response.writeHead(200, { 'content-type': 'image/jpeg' }).end(image);
  });
  expect((await thumbnail(url)).status).toBe(500);
  broken = false;
  expect((await thumbnail(url)).status).toBe(200);
});

test.each([
  ['text/html', 'not_media'],
  ['video/mp4', 'not_an_image'],
  ['audio/mpeg', 'not_an_image'],
])('a thumbnail of %s is 400', async (type, code) => {
  const { status, body } = await thumbnail(serve(Buffer.from('x'), type));
  expect([status, JSON.parse(body.toString()).code]).toEqual([400, code]);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['a page', Buffer.from('<html><script>alert(1)</script>')],
  ['a JPEG that ends at once', Buffer.from('\xff\xd8\xff', 'latin1')],
  ['a PNG of nonsense', Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(1000, 7)])],
])('%s that calls itself an image comes as it is, in a sandbox', async (_, body) => {
  const answer = await thumbnail(serve(body));
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  expect(answer.body.equals(body)).toBe(true);
  expect(answer.headers.get('content-security-policy')).toBe('sandbox');
});

test('an image of more than 50 MiB is refused', async () => {
  const over = serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/png' });
    for (let mib = 0; mib < 51; mib += 1) response.write(Buffer.alloc(2 ** 20));
    response.end();
  });
  const { status, body } = await thumbnail(over);
  expect([status, JSON.parse(body.toString()).code]).toEqual([400, 'media_too_large']);
});

test('when the last one who waits goes away, the host is let go', async () => {
  let state: 'asked' | 'let go' | undefined;
  const url = serve((_request, response) => {
    state = 'asked';
    response.writeHead(200, { 'content-type': 'image/png' }).write('x');
    response.on('close', () => {
      state = 'let go';
    });
  });
  const path = `/api/proxy?thumbnail=true&url=${encodeURIComponent(url)}`;
  const requests = [1, 2].map(() =>
    get(`${gallery.url}${path}`, { headers: { cookie: gallery.cookie } }).on('error', () => undefined),
  );
  await until('the host is asked', () => state === 'asked');
  for (const request of requests) request.destroy();
  await until('the host is let go', () => state === 'let go');
  expect(host.requests).toHaveLength(1);
});
