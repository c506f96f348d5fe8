import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  type GalleryFixture,
  galleryFixture,
  type RunningGallery,
  startGallery,
} from '../support/gallery.ts';
import { send } from '../support/http.ts';
import { createBucket } from '../support/s3/fixtures.ts';
import { removeBucket } from '../support/s3/objects.ts';

const KEY = 'photos/a b+ü.jpg';

let gallery: GalleryFixture;
/**
 * The service on the store of the fixture, whose endpoint is plain http as that of `http://minio:9000` is.
 */
let service: RunningGallery;
/** Stands between the service and its store. */
let between: Server;
/** Method and path of every request to the store. */
const asked: string[] = [];
let image: Buffer;
/** Another bucket of the same store. */
let other: string;

beforeAll(async () => {
  gallery = await galleryFixture();
  const store = new URL(gallery.store.endpoint);
  between = createServer((incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    asked.push(`${method} ${url.replace(/\?.*$/, '')}`);
    const forwarded = httpRequest({ host: store.hostname, port: store.port, path: url, method, headers });
    forwarded.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(between, 'listening');
  const S3_ENDPOINT = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
  service = await startGallery({ ...gallery.settings, S3_ENDPOINT });
  image = await sharp({ create: { width: 960, height: 480, channels: 3, background: '#369' } })
    .jpeg()
    .toBuffer();
  other = await createBucket(gallery.s3);
  await put(KEY, image);
});
afterAll(async () => {
  await removeBucket(gallery.s3, other);
  await service.close();
  between.close();
  await gallery.close();
});
afterEach(() => {
  asked.length = 0;
});

async function put(Key: string, Body: Buffer, more: object = {}, Bucket = gallery.bucket): Promise<void> {
  await gallery.s3.send(new PutObjectCommand({ Bucket, Key, Body, ContentType: 'image/jpeg', ...more }));
}

async function proxied(url: string, more = '', init: RequestInit = {}) {
  const headers = { cookie: gallery.cookie, ...init.headers };
  const query = `url=${encodeURIComponent(url)}${more}`;
  const response = await fetch(`${service.url}/api/proxy?${query}`, { ...init, headers });
  return { response, body: Buffer.from(await response.arrayBuffer()) };
}

/** The URL that a listing gives for `key`: another one each time. */
async function listedUrl(key: string): Promise<string> {
  const path = key.slice(0, key.lastIndexOf('/') + 1);
  const { body } = await send(`${service.url}/api/gallery?json=1&path=${encodeURIComponent(path)}`, {
    headers: { cookie: gallery.cookie },
  });
  return body.data.files.find((file: { path: string }) => file.path === key).url;
}

function objectGets(): string[] {
  return asked.filter((line) => /^GET \/[^/]+\/./.test(line));
}

test('a thumbnail of a stored file is made once for all its URLs, and again when it changes', async () => {
  const signedAt = async (second: number) => {
    const url = new URL(await listedUrl(KEY));
    // As a listing at another time signs it.
    url.searchParams.set('X-Amz-Date', `20260101T0000${String(second).padStart(2, '0')}Z`);
    return url.href;
  };
  const first = await proxied(await signedAt(1), '&thumbnail=true');
  expect([first.response.status, first.response.headers.get('content-type')]).toEqual([200, 'image/webp']);
  const { width, height } = await sharp(first.body).metadata();
  expect([width, height]).toEqual([480, 240]);
  const second = await proxied(await signedAt(2), '&thumbnail=true');
  expect(second.body.equals(first.body)).toBe(true);
  expect(objectGets()).toHaveLength(1);

  await put(KEY, await sharp(image).resize(300, 300, { fit: 'fill' }).jpeg().toBuffer());
  const changed = await proxied(await signedAt(3), '&thumbnail=true');
  expect((await sharp(changed.body).metadata()).width).toBe(300);
  expect(objectGets()).toHaveLength(2);
  await put(KEY, image);
});

test('a stored file is passed on with its metadata, in ranges and with its validators', async () => {
  const url = await listedUrl(KEY);
  const whole = await proxied(url);
  expect([whole.response.status, whole.body.equals(image)]).toEqual([200, true]);
  expect(Object.fromEntries(whole.response.headers)).toMatchObject({
    'content-type': 'image/jpeg',
    'content-length': String(image.length),
    'cache-control': 'private, max-age=3600',
    'content-security-policy': 'sandbox',
  });
  const etag = whole.response.headers.get('etag') ?? '';
  const part = await proxied(url, '', { headers: { range: 'bytes=2-5' } });
  expect([part.response.status, part.body.equals(image.subarray(2, 6))]).toEqual([206, true]);
  expect(part.response.headers.get('content-range')).toBe(`bytes 2-5/${image.length}`);
  const ofThis = await proxied(url, '', { headers: { range: 'bytes=2-5', 'if-range': etag } });
  expect(ofThis.response.status).toBe(206);
  const ofAnother = await proxied(url, '', { headers: { range: 'bytes=2-5', 'if-range': '"another"' } });
  expect([ofAnother.response.status, ofAnother.body.length]).toEqual([200, image.length]);
  const outside = await proxied(url, '', { headers: { range: `bytes=${image.length}-` } });
  expect(outside.response.status).toBe(416);
  const known = await proxied(url, '', { headers: { 'if-none-match': etag } });
  expect([known.response.status, known.body.length]).toEqual([304, 0]);
  expect(known.response.headers.get('content-type')).toBeNull();
  const head = await proxied(url, '', { method: 'HEAD' });
  expect([head.response.status, head.response.headers.get('content-length')]).toEqual([
    200,
    String(image.length),
  ]);
});

test('nothing else on the host of the store can be asked for over http', async () => {
  await put(KEY, image, {}, other);
  const own = new URL(await listedUrl(KEY));
  asked.length = 0;
  const beside = [
    own.href.replace(gallery.bucket, other),
    `${own.origin}/`,
    `${own.origin}/${gallery.bucket}`,
    `${own.origin}/${gallery.bucket}/`,
    `${own.origin}/${gallery.bucket}/../${other}/${KEY}`,
    `${own.origin}/${gallery.bucket}x/${KEY}`,
    own.href.replace(own.port, '1'),
    `http://169.254.169.254/${gallery.bucket}/${KEY}`,
    own.href.replace('http://', 'http://user:pass@'),
  ];
  for (const url of beside) {
    const { response } = await proxied(url);
    expect([url, response.status]).toEqual([url, 400]);
  }
  expect(asked).toEqual([]);
});

test.each([301, 302, 307, 308])('a store that redirects with %d is not followed', async (status) => {
  const elsewhere: string[] = [];
  const target = createServer((request, response) => {
    elsewhere.push(String(request.headers.authorization));
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end(image);
  }).listen(0, '127.0.0.1');
  const store = createServer((request, response) => {
    const { port } = target.address() as AddressInfo;
    response.writeHead(status, { location: `http://127.0.0.1:${port}${request.url}` }).end();
  }).listen(0, '127.0.0.1');
  await Promise.all([once(target, 'listening'), once(store, 'listening')]);
  const S3_ENDPOINT = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
  const redirected = await startGallery({ ...gallery.settings, S3_ENDPOINT });
  try {
    for (const more of ['', '&thumbnail=true']) {
      const url = encodeURIComponent(`${S3_ENDPOINT}/${gallery.bucket}/${KEY}`);
      const answer = await send(`${redirected.url}/api/proxy?url=${url}${more}`, {
        headers: { cookie: gallery.cookie },
      });
      expect(answer.status).toBe(500);
    }
    expect(elsewhere).toEqual([]);
  } finally {
    await redirected.close();
    store.close();
    target.close();
  }
});

test.each([
  [400, 'InvalidArgument'],
  [404, 'NoSuchVersion'],
  [501, 'NotImplemented'],
])('a version that the store refuses with %d %s is 400', async (status, code) => {
  const store = createServer((_request, response) => {
    response
      .writeHead(status, { 'content-type': 'application/xml' })
      .end(`<Error><Code>${code}</Code></Error>`);
  }).listen(0, '127.0.0.1');
  await once(store, 'listening');
  const S3_ENDPOINT = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
  const refusing = await startGallery({ ...gallery.settings, S3_ENDPOINT });
  const url = encodeURIComponent(`${S3_ENDPOINT}/${gallery.bucket}/${KEY}?versionId=made-up`);
  for (const more of ['', '&thumbnail=true']) {
    const { status: answered, body } = await send(`${refusing.url}/api/proxy?url=${url}${more}`, {
      headers: { cookie: gallery.cookie },
    });
    expect([answered, body.code]).toEqual([400, 'invalid_request']);
    expect(body.message).toContain('"made-up"');
  }
  await refusing.close();
  store.close();
});

test('a file that is not there, or not media, is refused', async () => {
  await put('photos/page.html', Buffer.from('<p>'), { ContentType: 'text/html' });
  const base = (await listedUrl(KEY)).replace(/\?.*$/, '').replace(/[^/]*$/, '');
  for (const [name, more, expected] of [
    ['gone.jpg', '', [500, 'upstream_failed']],
    ['gone.jpg', '&thumbnail=true', [500, 'upstream_failed']],
    ['page.html', '', [400, 'not_media']],
    ['page.html', '&thumbnail=true', [400, 'not_media']],
  ] as const) {
    const { response, body } = await proxied(base + name, more);
    expect([response.status, JSON.parse(body.toString()).code]).toEqual(expected);
  }
});

test('an image that is stored compressed becomes a thumbnail, one that only says so does not', async () => {
  await put('photos/zipped.jpg', gzipSync(image), { ContentEncoding: 'gzip' });
  await put('photos/plain.jpg', image, { ContentEncoding: 'gzip' });
  await put('photos/strange.jpg', image, { ContentEncoding: 'compress' });
  await put('photos/bomb.jpg', gzipSync(Buffer.alloc(51 * 2 ** 20)), { ContentEncoding: 'gzip' });
  const zipped = await proxied(await listedUrl('photos/zipped.jpg'), '&thumbnail=true');
  expect((await sharp(zipped.body).metadata()).width).toBe(480);
  expect(zipped.response.headers.get('content-encoding')).toBeNull();
  for (const [name, status] of [
    ['plain', 500],
    ['strange', 500],
    ['bomb', 400],
  ] as const) {
    const { response } = await proxied(await listedUrl(`photos/${name}.jpg`), '&thumbnail=true');
    expect([name, response.status, response.headers.get('cache-control')]).toEqual([
      name,
      status,
      'no-store',
    ]);
  }
});
