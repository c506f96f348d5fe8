import { crc32 } from 'node:zlib';
import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { environmentBucket, StoreConnections } from '@pressroom/gallery-admin/buckets/bucket';
import { readMediaConfig, readStoreConfig } from '@pressroom/gallery-admin/config';
import { type RenditionQuery, Renditions, renditionOf } from '@pressroom/gallery-admin/media/renditions';
import { openMedia } from '@pressroom/gallery-admin/open';
import { objectTag } from '@pressroom/gallery-admin/proxy/bucket-media';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LARGE_PDF, SLOW_PDF } from '../fixtures/stills.ts';
import { PATIENT } from '../support/database.ts';
import {
  type GalleryFixture,
  galleryFixture,
  type RunningGallery,
  startGallery,
} from '../support/gallery.ts';
import { memoryLog } from '../support/log.ts';
import { sendLines } from '../support/raw-http.ts';

const KEY = 'public/2026/harbour ü.jpg';
const PATH = 'public/2026/harbour%20%C3%BC.jpg';

/** XMP with whose a picture is, and where it was taken. */
const RIGHTS =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
  '<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/">' +
  '<photoshop:City>Lisbon</photoshop:City><dc:rights><rdf:Alt><rdf:li xml:lang="x-default">' +
  '© 新聞社 &amp; &lt;co&gt;</rdf:li></rdf:Alt></dc:rights></rdf:Description></rdf:RDF></x:xmpmeta>';

let gallery: GalleryFixture;
/** Another replica. */
let other: RunningGallery;
let photo: Buffer;

beforeAll(async () => {
  gallery = await galleryFixture({ MEDIA_PUBLIC: 'public/, press/2026' });
  other = await startGallery({ ...gallery.settings, MEDIA_PUBLIC: 'public/,press/2026/' });
  photo = await photograph(1200, 800);
  await put(KEY, photo);
  await put('private/secret.jpg', photo);
});
afterAll(async () => {
  await other.close();
  await gallery.close();
});

/**
 * As a camera writes it: turned, in a wide colour space, with a place and with whose it is; red, but for a
 * green stripe at the top of what is seen.
 */
async function photograph(width: number, height: number): Promise<Buffer> {
  const stripe = {
    create: { width, height: Math.round(height / 4), channels: 3, background: '#00ff00' },
  } as const;
  const upright = await sharp({ create: { width, height, channels: 3, background: '#ff0000' } })
    .composite([{ input: stripe, top: 0, left: 0 }])
    .png()
    .toBuffer();
  return sharp(upright)
    .rotate(-90)
    .withIccProfile('p3')
    .withXmp(RIGHTS)
    .withExif({
      IFD0: {
        Artist: 'Ana Reyes',
        ImageDescription: 'Boats at dawn',
        Orientation: '6',
      },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
    })
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 95 })
    .toBuffer();
}

async function put(Key: string, Body: Buffer | string, ContentType = 'image/jpeg'): Promise<void> {
  await gallery.s3.send(new PutObjectCommand({ Bucket: gallery.bucket, Key, Body, ContentType }));
}

/** Asks without a session. */
async function read(path: string, init: RequestInit = {}, url = gallery.url) {
  const response = await fetch(`${url}/media/${path}`, { redirect: 'manual', ...init });
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: Object.fromEntries(response.headers), body };
}

async function keysOf(prefix: string): Promise<string[]> {
  const list = new ListObjectsV2Command({ Bucket: gallery.bucket, Prefix: prefix });
  return ((await gallery.s3.send(list)).Contents ?? []).map(({ Key = '' }) => Key);
}

test('anyone reads a public file whole, in ranges and with its validators, and never runs it', async () => {
  const whole = await read(PATH);
  expect([whole.status, whole.body.equals(photo)]).toEqual([200, true]);
  expect(whole.headers).toMatchObject({
    'content-type': 'image/jpeg',
    'content-length': String(photo.length),
    'cache-control': 'public, max-age=60, s-maxage=1, must-revalidate',
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
    'content-location': expect.stringMatching(`^/media/v[0-9a-f]{12}/${PATH}$`),
  });
  const etag = whole.headers.etag ?? '';
  const part = await read(PATH, { headers: { range: 'bytes=2-5', 'if-range': etag } });
  expect([part.status, part.body.equals(photo.subarray(2, 6))]).toEqual([206, true]);
  const another = await read(PATH, { headers: { range: 'bytes=2-5', 'if-range': '"another"' } });
  expect([another.status, another.body.length]).toEqual([200, photo.length]);
  expect((await read(PATH, { headers: { range: `bytes=${photo.length}-` } })).status).toBe(416);
  const known = await read(PATH, { headers: { 'if-none-match': etag } });
  expect([known.status, known.body.length, known.headers['content-type']]).toEqual([304, 0, undefined]);
  const head = await read(PATH, { method: 'HEAD' });
  expect([head.status, head.headers['content-length']]).toEqual([200, String(photo.length)]);

  for (const [name, type] of [
    ['page.html', 'text/html'],
    ['drawing.svg', 'image/svg+xml'],
    ['odd', 'image/jpeg, text/html'],
  ] as const) {
    await put(`press/2026/${name}`, '<script>alert(1)</script>', type);
    expect((await read(`press/2026/${name}`)).headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'content-security-policy': 'sandbox',
    });
  }
});

test('whatever is not below a public folder is 404, however it is spelled', async () => {
  await read(`${PATH}?w=64`);
  const [kept = ''] = await keysOf('.pressroom-renditions/public/2026/');
  const paths = [
    'private/secret.jpg',
    'private/secret.jpg?w=64',
    'private/secret.jpg.json',
    'v000000000000/private/secret.jpg',
    'public/%2e%2e/private/secret.jpg',
    'public/../private/secret.jpg',
    'public%2F..%2Fprivate%2Fsecret.jpg',
    'public/..%5cprivate/secret.jpg',
    'public//2026/harbour%20%C3%BC.jpg',
    '/public/2026/harbour%20%C3%BC.jpg',
    '%2Fprivate/secret.jpg',
    'public%252F..%252Fprivate/secret.jpg',
    'public',
    'public/',
    'public/2026/',
    'publicly/x.jpg',
    'PUBLIC/2026/harbour%20%C3%BC.jpg',
    encodeURIComponent(kept),
    `public/../${encodeURI(kept)}`,
    `public/${'x'.repeat(1100)}`,
    'press/x.jpg',
    '',
  ];
  for (const path of paths) {
    // As it is written: fetch would resolve the dots.
    const lines = [`GET /media/${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ''];
    const { status, headers } = await sendLines(gallery.url, lines);
    expect([path, status, headers['cache-control']]).toEqual([path, 404, 'no-store']);
  }
});

test('a rendition is upright, in sRGB, as wide as a rung, without a place, and says whose it is', async () => {
  const { body, headers } = await read(`${PATH}?w=600`, { headers: { accept: 'image/webp,*/*' } });
  expect(headers).toMatchObject({
    'content-type': 'image/webp',
    vary: 'Accept',
    'content-security-policy': 'sandbox',
  });
  const made = await sharp(body).metadata();
  expect([made.width, made.height, made.icc, made.exif]).toEqual([640, 427, undefined, undefined]);
  expect(made.xmpAsString).toMatch(/<photoshop:Credit>Ana Reyes<.*>© 新聞社 &amp; &lt;co&gt;</);
  expect(made.xmpAsString).not.toContain('Lisbon');
  const top = await sharp(body).extract({ left: 300, top: 20, width: 1, height: 1 }).raw().toBuffer();
  expect((top[1] ?? 0) - (top[0] ?? 0)).toBeGreaterThan(150);

  const types = await Promise.all(
    ['image/avif,image/webp', '*/*', 'image/avif;q=0, image/webp'].map(async (accept) => {
      return (await read(`${PATH}?w=64`, { headers: { accept } })).headers['content-type'];
    }),
  );
  expect(types).toEqual(['image/avif', 'image/jpeg', 'image/webp']);
  const chosen = await read(`${PATH}?w=64&format=avif`);
  expect([chosen.headers['content-type'], chosen.headers.vary]).toEqual(['image/avif', undefined]);

  const sizes: [string, number[]][] = [
    ['w=3000', [1200, 800]],
    ['w=384&h=384', [384, 256]],
    ['w=384&h=384&fit=cover&focus=auto', [384, 384]],
    ['w=3840&h=3840&fit=cover&focus=0,1', [800, 800]],
    ['w=384&h=384&fit=contain', [384, 384]],
  ];
  for (const [query, size] of sizes) {
    const { width, height } = await sharp((await read(`${PATH}?${query}&format=jpeg`)).body).metadata();
    expect([query, width, height]).toEqual([query, ...size]);
  }
});

test('a crop keeps the third that the focus is in, and the middle without one', async () => {
  // Red, green and blue, from the left to the right or from the top to the bottom.
  const thirds = Buffer.from([255, 0, 0, 0, 255, 0, 0, 0, 255]);
  const across = sharp(thirds, { raw: { width: 3, height: 1, channels: 3 } });
  const down = sharp(thirds, { raw: { width: 1, height: 3, channels: 3 } });
  const sized = { fit: 'fill', kernel: 'nearest' } as const;
  await put('public/across.png', await across.resize(900, 400, sized).png().toBuffer(), 'image/png');
  await put('public/down.png', await down.resize(400, 900, sized).png().toBuffer(), 'image/png');
  const seen = async (path: string, focus: string) => {
    const cropped = await read(`public/${path}&fit=cover&format=webp${focus}`);
    expect([path, focus, cropped.status]).toEqual([path, focus, 200]);
    const { channels } = await sharp(cropped.body).stats();
    return channels
      .slice(0, 3)
      .reduce((most, { mean }, at, all) => (mean > (all[most]?.mean ?? 0) ? at : most), 0);
  };
  const focuses = [0.1, 0.5, 0.9].flatMap((x, column) =>
    [0.1, 0.5, 1].map((y, row) => ({ x, y, column, row })),
  );
  for (const { x, y, column, row } of focuses) {
    expect(await seen('across.png?w=64&h=85', `&focus=${x},${y}`)).toBe(column);
    expect(await seen('down.png?w=64&h=48', `&focus=${x},${y}`)).toBe(row);
  }
  expect([await seen('across.png?w=64&h=85', ''), await seen('down.png?w=64&h=48', '')]).toEqual([1, 1]);
});

test('a rendition has ranges and validators, is kept in the bucket, and is nowhere in the listings', async () => {
  const path = `${PATH}?w=128&format=webp`;
  const [first, second] = await Promise.all([read(path), read(path, {}, other.url)]);
  expect(first.body.equals(second.body)).toBe(true);
  const etag = first.headers.etag ?? '';
  expect((await read(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
  expect((await read(path, { headers: { range: 'bytes=0-3' } })).body).toEqual(first.body.subarray(0, 4));
  const kept = await keysOf('.pressroom-renditions/');
  expect(kept).toContainEqual(
    expect.stringMatching(/^\.pressroom-renditions\/public\/2026\/.*\/w128-q75\.webp$/),
  );
  const { body } = await gallery.ask('/api/gallery?json=1&path=');
  expect(body.data.folders.map(({ name }: { name: string }) => name)).not.toContain('.pressroom-renditions');
  const folders = await gallery.ask('/api/gallery?json=1&path=&foldersOnly=1');
  expect(folders.text).not.toContain('.pressroom-renditions');
});

test('a picture is described in words and numbers', async () => {
  const { status, headers, body } = await read(`${PATH}.json`);
  expect([status, headers['content-type']]).toEqual([200, 'application/json']);
  const described = JSON.parse(body.toString());
  const url = headers['content-location']?.replace(/\.json$/, '') ?? '';
  expect(described).toEqual({
    width: 1200,
    height: 800,
    url,
    srcset: [64, 128, 256, 384, 640, 828, 1080, 1280]
      .map((width) => `${url}?w=${width} ${Math.min(width, 1200)}w`)
      .join(', '),
    thumbhash: expect.stringMatching(/^[\w+/=]{20,50}$/),
    color: expect.stringMatching(/^#f[0-9a-f]([01][0-9a-f]){2}$/),
    alt: 'Boats at dawn',
    credit: 'Ana Reyes',
    rights: '© 新聞社 & <co>',
  });
  const { body: listed } = await gallery.ask('/api/gallery?json=1&path=public/2026/');
  expect(listed.data.files.map(({ publicPath }: { publicPath: string }) => publicPath)).toContain(url);
  const { body: others } = await gallery.ask('/api/gallery?json=1&path=private/');
  expect(others.data.files[0].publicPath).toBeUndefined();
  const forGood = await read(url.slice('/media/'.length));
  expect([forGood.status, forGood.body.equals(photo)]).toEqual([200, true]);
  expect(forGood.headers['cache-control']).toBe('public, max-age=31536000, immutable');
});

test('an address for good leads to the current version once the file is replaced', async () => {
  const key = 'public/replaced.jpg';
  await put(key, photo);
  const before = (await read(`${key}?w=64`)).headers['content-location']?.slice('/media/'.length) ?? '';
  expect((await read(before)).headers['cache-control']).toMatch('immutable');
  await put(key, await photograph(300, 300));
  const moved = await read(before);
  expect([moved.status, moved.headers['cache-control']]).toEqual([
    302,
    expect.stringContaining('s-maxage=1'),
  ]);
  const { location = '' } = moved.headers;
  expect(location).toMatch(/^\/media\/v[0-9a-f]{12}\/public\/replaced\.jpg\?w=64$/);
  const now = await read(location.slice('/media/'.length));
  expect((await sharp(now.body).metadata()).height).toBe(64);
});

test.each([
  ['deleted', (key: string) => gallery.post('/api/gallery/delete', { path: key, type: 'image' })],
  [
    'deleted to the trash',
    (key: string) => gallery.post('/api/gallery/delete', { path: key, type: 'image', trash: true }),
  ],
  [
    'moved',
    (key: string) =>
      gallery.post('/api/gallery/batch', { action: 'move', paths: [key], dest: 'private/moved/' }),
  ],
  ['renamed', (key: string) => gallery.post('/api/gallery/rename', { path: key, name: 'other.jpg' })],
  [
    'deleted with its folder',
    () => gallery.post('/api/gallery/delete', { path: 'public/gone/', type: 'folder' }),
  ],
])('what is %s is 404 on every replica at once, with all that was made of it', async (how, take) => {
  const key = 'public/gone/picture.jpg';
  await put(key, photo);
  const paths = [key, `${key}?w=64`, `${key}.json`];
  const forGood = (await read(key)).headers['content-location']?.slice('/media/'.length) ?? '';
  paths.push(forGood, `${forGood}?w=64`);
  for (const path of paths) expect((await read(path)).status).toBe(200);
  expect((await take(key)).status).toBe(200);
  for (const { url } of [gallery, other]) {
    const answers = await Promise.all(paths.map((path) => read(path, {}, url)));
    expect([how, ...answers.map(({ status }) => status)]).toEqual([how, 404, 404, 404, 404, 404]);
  }
  expect(await keysOf('.pressroom-renditions/public/gone/picture.jpg/')).toEqual([]);
});

test('what cannot be drawn is refused with what to change', async () => {
  await put('public/film.mp4', 'not really', 'video/mp4');
  await put('public/broken.jpg', 'not really');
  await put('public/drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml');
  // As wide and high as its header says: nothing of it is decoded.
  const bomb = Buffer.from(
    await sharp({ create: { width: 2, height: 2, channels: 3, background: '#000' } })
      .png()
      .toBuffer(),
  );
  bomb.writeUInt32BE(60_000, 16);
  bomb.writeUInt32BE(60_000, 20);
  bomb.writeUInt32BE(crc32(bomb.subarray(12, 29)), 29);
  await put('public/bomb.png', bomb, 'image/png');
  const refused: [string, string][] = [
    ['public/film.mp4?w=64', 'not_an_image'],
    ['public/film.mp4.json', 'not_an_image'],
    ['public/broken.jpg?w=64', 'not_an_image'],
    ['public/drawing.svg?w=64', 'not_an_image'],
    ['public/bomb.png?w=64', 'too_many_pixels'],
    ['public/bomb.png.json', 'too_many_pixels'],
    [`${PATH}?w=wide`, 'invalid_request'],
    [`${PATH}?w=0`, 'invalid_request'],
    [`${PATH}?w=64&w=65`, 'invalid_request'],
    [`${PATH}?h=tall`, 'invalid_request'],
    [`${PATH}?w=64&h=64&focus=2,0`, 'invalid_request'],
  ];
  for (const [path, code] of refused) {
    const { status, body } = await read(path);
    expect([path, status, JSON.parse(body.toString()).code]).toEqual([path, 400, code]);
  }
  await put('public/endless.pdf', LARGE_PDF, 'application/pdf');
  for (const asked of ['public/endless.pdf?w=1920', 'public/endless.pdf.json']) {
    const { status, body } = await read(asked);
    expect([status, JSON.parse(body.toString())]).toEqual([
      400,
      expect.objectContaining({ code: 'not_an_image' }),
    ]);
    expect(body.toString()).toContain('publish it as a JPEG, PNG or WebP');
  }
  expect(gallery.log.text()).not.toContain('secret-of-another');
  expect((await read('public/film.mp4')).headers['content-type']).toBe('video/mp4');
});

test('what sites and networks add to a shared address leads to the address without it', async () => {
  for (const [added, left] of [
    ['?fbclid=IwAR0', ''],
    ['?utm_source=x&w=64&gclid=1', '?w=64'],
    ['?token=secret-of-another&v=3', ''],
  ]) {
    const shared = await read(`${PATH}${added}`);
    expect([added, shared.status, shared.headers.location]).toEqual([
      added,
      301,
      `./harbour%20%C3%BC.jpg${left}`,
    ]);
    const followed = await read(`${PATH}${added}`, { redirect: 'follow' });
    expect([added, followed.status, followed.headers['content-type']]).toEqual([added, 200, 'image/jpeg']);
  }
  expect((await read('private/secret.jpg?fbclid=1', { redirect: 'follow' })).status).toBe(404);
  expect(gallery.log.text()).not.toContain('secret-of-another');
});

test('conditions and units are read as HTTP has them', async () => {
  const { headers } = await read(PATH);
  const { etag = '', 'last-modified': date = '' } = headers;
  const part = await read(PATH, { headers: { range: 'BYTES=2-5' } });
  expect([part.status, part.body.equals(photo.subarray(2, 6))]).toEqual([206, true]);
  const asked: [string, Record<string, string>, number][] = [
    ['', { 'if-match': etag }, 200],
    ['', { 'if-match': `"other", ${etag}` }, 200],
    ['', { 'if-match': '*' }, 200],
    ['', { 'if-match': '"other"' }, 412],
    ['', { 'if-match': `W/${etag}` }, 412],
    ['', { 'if-match': '"other"', 'if-none-match': etag }, 412],
    ['', { 'if-unmodified-since': date }, 200],
    ['', { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' }, 412],
    ['?w=64', { 'if-match': '"other"' }, 412],
    ['.json', { 'if-match': '"other"' }, 412],
  ];
  for (const [query, conditions, expected] of asked) {
    const { status } = await read(PATH + query, { headers: conditions });
    expect([query, conditions, status]).toEqual([query, conditions, expected]);
  }
});

test('scripts of other sites may read parts of a file, and refusals', async () => {
  const origin = { origin: 'https://reader.example' };
  const part = await read(PATH, { headers: { ...origin, range: 'bytes=2-5' } });
  expect(part.headers['access-control-expose-headers']).toContain('Content-Range');
  const before = await read(PATH, {
    method: 'OPTIONS',
    headers: { ...origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'range' },
  });
  expect([before.status, before.headers]).toEqual([
    204,
    expect.objectContaining({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': 'range',
    }),
  ]);
  const plain = await read(PATH, { method: 'OPTIONS' });
  expect([plain.status, plain.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
  expect((await read('private/secret.jpg')).headers['access-control-allow-origin']).toBe('*');
});

test('what no address reads has no public path', async () => {
  await put('public/listed/feed.json', '{}', 'application/json');
  await put('public/listed/a.jpg', photo);
  const { body } = await gallery.ask('/api/gallery?json=1&path=public/listed/');
  const files: { name: string; publicPath?: string }[] = body.data.files;
  expect(files.map(({ name, publicPath }) => [name, publicPath !== undefined])).toEqual([
    ['a.jpg', true],
    ['feed.json', false],
  ]);
});

test('errors are JSON, and problem documents for those who name them', async () => {
  const typeFor = async (headers: Record<string, string>) => {
    const answers = [
      await read('private/secret.jpg', { headers }),
      await gallery.ask('/api/proxy', { headers }),
      await gallery.ask('/api/nothing', { headers }),
    ];
    return answers.map(({ headers: said }) =>
      said instanceof Headers ? said.get('content-type') : said['content-type'],
    );
  };
  for (const accept of ['*/*', 'application/json', 'text/html']) {
    for (const type of await typeFor({ accept })) expect(type).toMatch(/^application\/json/);
  }
  for (const type of await typeFor({ accept: 'application/problem+json, application/json' })) {
    expect(type).toBe('application/problem+json');
  }
});

test('the process of its own serves public media alone, and counts by address', async () => {
  const log = memoryLog('media');
  const config = readMediaConfig({
    ...PATIENT,
    ...gallery.settings,
    MEDIA_PUBLIC: 'public/',
    MEDIA_RATE_LIMIT: '25',
  });
  const { app, release } = await openMedia(config, log.log);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  try {
    const answers = await Promise.all(Array.from({ length: 20 }, () => read(`${PATH}?w=256&q=50`, {}, url)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(1);
    expect((await read('private/secret.jpg', {}, url)).status).toBe(404);
    expect((await fetch(`${url}/api/login`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const more = await Promise.all(Array.from({ length: 10 }, () => read(PATH, {}, url)));
    const refused = more.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(6);
    expect(refused[0]?.headers['retry-after']).toMatch(/^\d+$/);
    // The limit of anonymous clients is no limit of the administrator's.
    expect((await gallery.ask('/api/gallery?json=1&path=')).headers.get('x-ratelimit-limit')).toBeNull();
  } finally {
    await app.close();
    await release();
  }
});

test('a rendition is made once however many ask at the same time, and again once it is deleted; some are kept', async () => {
  const connections = new StoreConnections();
  const bucket = connections.open(environmentBucket(readStoreConfig(gallery.settings)));
  let made = 0;
  const turn = async () => {
    made += 1;
  };
  const renditions = new Renditions({ places: 2, maxBytes: 2 ** 20, kept: 2, turn });
  const picture = {
    bucket,
    key: KEY,
    version: 'once',
    etag: await objectTag(bucket, { key: KEY, versionId: undefined }, new AbortController().signal),
  };
  const ask = async (query: RenditionQuery, owner = 0) => {
    const request = { method: 'GET', headers: {}, signal: new AbortController().signal } as const;
    const media = await renditions.read(picture, renditionOf(query, 'webp'), request, `${owner}`);
    return Buffer.concat(await media.body.toArray()).length;
  };
  const kept = async () => (await keysOf('.pressroom-renditions/')).filter((key) => key.includes('/once/'));
  try {
    const lengths = await Promise.all(Array.from({ length: 50 }, (_, owner) => ask({ w: 64 }, owner)));
    expect([new Set(lengths).size, made]).toEqual([1, 1]);
    const [Key = ''] = await kept();
    await gallery.s3.send(new DeleteObjectCommand({ Bucket: gallery.bucket, Key }));
    expect([await ask({ w: 64 }), made]).toEqual([lengths[0], 2]);
    // More boxes are asked for than are kept, and made all the same.
    const askTwice = async (boxed: boolean) => {
      for (let time = 0; time < 2; time += 1) {
        const sizes: number[] = [];
        for (const w of [64, 128, 256, 384]) sizes.push(await ask(boxed ? { w, h: w } : { w }));
        expect(sizes).toEqual(sizes.toSorted((one, other) => one - other));
      }
    };
    await askTwice(true);
    expect([(await kept()).length, made]).toEqual([1 + 2, 2 + 4 + 2]);
    // They keep no width from being kept.
    await askTwice(false);
    expect([(await kept()).length, made]).toEqual([3 + 3, 8 + 3]);
  } finally {
    connections.close();
  }
});

/** Makes renditions of files of the bucket one at a time, and counts what is begun. */
function oneAtATime() {
  const connections = new StoreConnections();
  const bucket = connections.open(environmentBucket(readStoreConfig(gallery.settings)));
  let begun = 0;
  const turn = async () => {
    begun += 1;
  };
  const renditions = new Renditions({ places: 1, maxBytes: 2 ** 20, kept: 2, turn });
  const ask = async (key: string, query: RenditionQuery, owner = 'a reader') => {
    const signal = new AbortController().signal;
    const etag = await objectTag(bucket, { key, versionId: undefined }, signal);
    const picture = { bucket, key, version: etag.slice(1, 13), etag };
    const request = { method: 'GET', headers: {}, signal } as const;
    return renditions.read(picture, renditionOf(query, 'webp'), request, owner);
  };
  return { ask, begun: () => begun, close: () => connections.close() };
}

test('what cannot be drawn is tried once for all sizes, and again when the file is replaced', async () => {
  const { ask, begun, close } = oneAtATime();
  try {
    await put('public/heavy.pdf', LARGE_PDF, 'application/pdf');
    await put('public/damaged.jpg', Buffer.from('\xff\xd8\xff and no more', 'latin1'));
    for (const key of ['public/heavy.pdf', 'public/damaged.jpg']) {
      await expect(ask(key, { w: 64 })).rejects.toMatchObject({ code: 'not_an_image' });
      const once = begun();
      for (const query of [{ w: 64 }, { w: 1920 }, { w: 64, h: 64 }]) {
        await expect(ask(key, query)).rejects.toMatchObject({ code: 'not_an_image' });
      }
      expect(begun()).toBe(once);
      await put(key, photo);
      expect((await ask(key, { w: 64 })).status).toBe(200);
    }
  } finally {
    close();
  }
});

test('a client that has everything made is refused beyond its share, and the next one is served at once', async () => {
  const { ask, close } = oneAtATime();
  try {
    const keys = Array.from({ length: 40 }, (_, index) => `public/many/${index}.jpg`);
    for (const key of [...keys, 'public/other.jpg']) await put(key, photo);
    const ended: string[] = [];
    const refused: unknown[] = [];
    const greedy = keys.map((key) =>
      ask(key, { w: 64 }, 'greedy').then(
        () => ended.push('greedy'),
        (error: unknown) => refused.push(error),
      ),
    );
    // All of them wait by the time of the next one.
    await expect.poll(() => refused.length).toBeGreaterThan(0);
    await ask('public/other.jpg', { w: 64 }, 'another').then(() => ended.push('another'));
    await Promise.all(greedy);
    expect(refused).toMatchObject(Array(refused.length).fill({ kind: 'unavailable' }));
    expect(ended.indexOf('another')).toBeLessThan(ended.length / 2);
  } finally {
    close();
  }
});

test('pictures wait for no document', async () => {
  const { ask, close } = oneAtATime();
  try {
    await put('public/slow.pdf', SLOW_PDF, 'application/pdf');
    await put('public/quick.jpg', photo);
    const done: string[] = [];
    // One behind the other.
    for (const w of [64, 128]) {
      ask('public/slow.pdf', { w }, 'another').catch(() => done.push('document'));
    }
    for (const w of [64, 128, 256]) {
      await Promise.all(['a reader', 'another'].map((owner) => ask('public/quick.jpg', { w }, owner)));
    }
    expect(done).toEqual([]);
  } finally {
    close();
  }
});

test.each(['webp', 'avif'])(
  'a picture too high for %s is a JPEG, and with transparency is made to fit',
  async (format) => {
    const plain = sharp({ create: { width: 100, height: 20_000, channels: 3, background: '#369' } });
    await put('public/strip.png', await plain.clone().png().toBuffer(), 'image/png');
    await put('public/clear.png', await plain.clone().ensureAlpha(0.5).png().toBuffer(), 'image/png');
    const { srcset } = JSON.parse((await read('public/strip.png.json')).body.toString());
    const seen = async (path: string) => {
      const { status, headers, body } = await read(path, { headers: { accept: `image/${format}` } });
      expect([path, status]).toEqual([path, 200]);
      const { width, height } = await sharp(body).metadata();
      return [headers['content-type'], width, height];
    };
    const named = srcset.split(', ').map((one: string) => one.replace(/^\/media\/(.*) .*$/, '$1'));
    expect(await Promise.all(named.map(seen))).toEqual([
      [`image/${format}`, 64, 12_800],
      ['image/jpeg', 100, 20_000],
    ]);
    expect(await seen('public/clear.png?w=128')).toEqual([`image/${format}`, 82, 16_383]);
  },
);

test('of a file that ends too early readers get what there is, and the desk knows', async () => {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const whole = sharp({ create: { width: 600, height: 400, channels: 3, background: 'grey', noise } });
  const jpeg = await whole.clone().jpeg().toBuffer();
  const png = await whole.clone().png().toBuffer();
  const webp = await whole.clone().webp().toBuffer();
  const animated = await sharp([png, jpeg, png, jpeg], { join: { animated: true } })
    .webp()
    .toBuffer();
  const bare = await whole.clone().tiff({ compression: 'none' }).toBuffer();
  const packed = await whole.clone().tiff({ compression: 'jpeg' }).toBuffer();
  const cut: [string, Buffer][] = [
    ['public/no-end.jpg', jpeg.subarray(0, -100)],
    ['public/half.jpg', jpeg.subarray(0, jpeg.length / 2)],
    ['public/half.png', png.subarray(0, png.length / 2)],
    ['public/no-end.webp', webp.subarray(0, -1)],
    ['public/half.webp', webp.subarray(0, webp.length / 2)],
    ['public/half-frame.webp', animated.subarray(0, animated.length / 6)],
    ['public/half-animated.webp', animated.subarray(0, animated.length / 2)],
    ['public/bare.tiff', bare.subarray(0, -1)],
    ['public/packed.tiff', packed.subarray(0, -1)],
  ];
  for (const [key, file] of cut) {
    await put(key, file, `image/${key.split('.').pop()}`);
    const { status, body } = await read(`${key}?w=384&format=webp`);
    expect([key, status]).toEqual([key, 200]);
    expect(await sharp(body).metadata()).toMatchObject({ width: 384, height: 256 });
    const { channels } = await sharp(body).stats();
    expect([key, channels.every(({ mean }) => mean > 60)]).toEqual([key, true]);
    expect((await read(`${key}.json`)).status).toBe(200);
    const { headers } = await gallery.ask(`/api/gallery/media?key=${key}&thumbnail=true`);
    expect([
      key,
      headers.get('content-type'),
      headers.get('x-thumbnail'),
      headers.get('x-thumbnail-reason'),
    ]).toEqual([key, 'image/webp', 'incomplete', 'incomplete']);
  }
  const { headers } = await gallery.ask(`/api/gallery/media?key=${encodeURIComponent(KEY)}&thumbnail=true`);
  expect(headers.get('x-thumbnail')).toBeNull();
});

test('a picture with stray bytes before it is shown', async () => {
  const picture = sharp({ create: { width: 90, height: 60, channels: 3, background: 'teal' } });
  for (const format of ['jpeg', 'png', 'gif', 'webp'] as const) {
    for (const [index, stray] of ['\n', '\xef\xbb\xbf', '\0', '\r\n \t'].entries()) {
      const key = `public/stray-${index}.${format}`;
      const file = await picture.clone().toFormat(format).toBuffer();
      await put(key, Buffer.concat([Buffer.from(stray, 'latin1'), file]), `image/${format}`);
      const { status, body } = await read(`${key}?w=64&format=webp`);
      expect([key, status]).toEqual([key, 200]);
      expect(await sharp(body).metadata()).toMatchObject({ width: 64, height: 43 });
    }
  }
});

test('of a cut AVIF, of which no browser shows anything, it is said that it is damaged', async () => {
  const picture = sharp({ create: { width: 90, height: 60, channels: 3, background: 'teal' } });
  const avif = await picture.avif().toBuffer();
  for (const [key, file] of [
    ['public/no-end.avif', avif.subarray(0, -1)],
    ['public/half.avif', avif.subarray(0, avif.length / 2)],
  ] as const) {
    await put(key, file, 'image/avif');
    for (const asked of [`${key}?w=64`, `${key}.json`]) {
      const { status, body } = await read(asked);
      expect([asked, status, JSON.parse(body.toString()).detail]).toEqual([
        asked,
        400,
        expect.stringContaining('damaged'),
      ]);
    }
    const { headers } = await gallery.ask(`/api/gallery/media?key=${key}&thumbnail=true`);
    expect(headers.get('x-thumbnail-reason')).toBe('damaged');
  }
});

test.each([
  ['public/torn.jpg', 'image/jpeg', '\xff\xd8\xff and no more', 'damaged'],
  ['public/torn-and-stray.jpg', 'image/jpeg', '\n\xff\xd8\xff and no more', 'damaged'],
  ['public/vector.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'not of a format'],
  ['public/clip.mp4', 'video/mp4', 'not really', 'only available for images'],
])('of %s it is said what is wrong', async (key, type, body, said) => {
  await put(key, Buffer.from(body, 'latin1'), type);
  for (const asked of [`${key}?w=64`, `${key}.json`]) {
    const { status, body: problem } = await read(asked);
    expect([asked, status, JSON.parse(problem.toString()).detail]).toEqual([
      asked,
      400,
      expect.stringContaining(said),
    ]);
  }
});
