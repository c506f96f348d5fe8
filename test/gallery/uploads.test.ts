import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { send } from '../support/http.ts';

let gallery: GalleryFixture;
beforeAll(async () => {
  gallery = await galleryFixture();
});
afterAll(() => gallery.close());

const upload = (json: unknown) => gallery.post('/api/upload', json);

async function stored(key: string) {
  const { Body, ContentType } = await gallery.s3.send(
    new GetObjectCommand({ Bucket: gallery.bucket, Key: key }),
  );
  return { bytes: Buffer.from((await Body?.transformToByteArray()) ?? []), contentType: ContentType };
}

describe('POST /api/upload', () => {
  test('gives a URL that takes the file, once the type is the one announced', async () => {
    const asked = { filename: 'cat.jpg', path: 'photos/2026', contentType: 'image/jpeg' };
    const { status, body, headers } = await upload(asked);
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, url: expect.any(String), key: 'photos/2026/cat.jpg' });
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(new URL(body.url).searchParams.get('X-Amz-Expires')).toBe('900');
    expect(new URL(body.url).origin).toBe(gallery.store.endpoint);

    const wrong = await send(body.url, { method: 'PUT', raw: 'x', headers: { 'content-type': 'text/html' } });
    expect(wrong.status).toBe(403);
    const put = await send(body.url, {
      method: 'PUT',
      raw: 'cat',
      headers: { 'content-type': 'image/jpeg' },
    });
    expect(put.status).toBe(200);
    expect(await stored(body.key)).toEqual({ bytes: Buffer.from('cat'), contentType: 'image/jpeg' });
  });

  test.each([
    ['', 'logo.svg', 'logo.svg'],
    ['a/b/', 'c d+e%20#?&=.png', 'a/b/c d+e%20#?&=.png'],
    ['Фото/日本', "it's “ÿ” 100%.jpg", "Фото/日本/it's “ÿ” 100%.jpg"],
    // A decomposed é is kept as the composed one.
    ['cafe\u0301', 're\u0301sume\u0301.pdf', 'caf\u00e9/r\u00e9sum\u00e9.pdf'],
  ])('keeps the name: %j + %j', async (path, filename, key) => {
    const { body } = await upload({ filename, path, contentType: 'text/plain; charset=utf-8' });
    expect(body.key).toBe(key);
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    expect((await send(body.url, { method: 'PUT', raw: key, headers })).status).toBe(200);
    expect((await stored(key)).bytes.toString()).toBe(key);
  });

  const fine = { filename: 'a.png', path: '', contentType: 'image/png' };
  test.each([
    ['no filename', { path: '', contentType: 'image/png' }, 'filename'],
    ['an empty filename', { ...fine, filename: '' }, 'filename'],
    ['a filename that is a path', { ...fine, filename: 'a/b.png' }, 'filename'],
    ['a filename with a backslash', { ...fine, filename: 'a\\b.png' }, 'filename'],
    ['a filename with a line break', { ...fine, filename: 'a\nb.png' }, 'filename'],
    ['a filename with a C1 control', { ...fine, filename: 'a\u0085b.png' }, 'filename'],
    ['the filename ..', { ...fine, filename: '..' }, 'filename'],
    ['half a surrogate pair', { ...fine, filename: 'a\ud800.png' }, 'filename'],
    ['a filename of 256 characters', { ...fine, filename: 'x'.repeat(256) }, 'filename'],
    ['a number for a filename', { ...fine, filename: 7 }, 'filename'],
    ['no path', { filename: 'a.png', contentType: 'image/png' }, 'path'],
    ['an absolute path', { ...fine, path: '/a' }, 'path'],
    ['a path that climbs', { ...fine, path: 'a/../b' }, 'path'],
    ['a path with a dot', { ...fine, path: './a' }, 'path'],
    ['a path with an empty segment', { ...fine, path: 'a//b' }, 'path'],
    ['a path of a slash', { ...fine, path: '/' }, 'path'],
    ['a path with NUL', { ...fine, path: 'a\0' }, 'path'],
    ['a path of 1025 characters', { ...fine, path: 'x'.repeat(1025) }, 'path'],
    ['a key of over 1024 bytes', { ...fine, path: 'ж'.repeat(510) }, 'path'],
    ['a content type that is none', { ...fine, contentType: 'image' }, 'contentType'],
    ['a content type with a line break', { ...fine, contentType: 'image/png\r\nx: y' }, 'contentType'],
    ['a content type of 256 characters', { ...fine, contentType: `image/${'x'.repeat(250)}` }, 'contentType'],
    ['a content type with CR', { ...fine, contentType: 'image/png;\ra=b' }, 'contentType'],
    ['a content type with LF', { ...fine, contentType: 'image/png\n; a=b' }, 'contentType'],
    ['a content type with U+2028', { ...fine, contentType: 'image/png;\u2028a=b' }, 'contentType'],
    ['a member that is not known', { ...fine, acl: 'public-read' }, 'acl'],
    ['a list', [fine], ''],
  ])('400 for %s', async (_what, json, field) => {
    const { status, body } = await upload(json);
    expect({ status, ...body }).toMatchObject({ status: 400, success: false, code: 'invalid_request' });
    expect(body.message).toBe(body.detail);
    expect(body.message).toContain(field);
  });

  test('takes the longest names that there are', async () => {
    const filename = 'f'.repeat(255);
    const path = `${'p'.repeat(768)}/`;
    const { status, body } = await upload({ ...fine, filename, path });
    expect({ status, key: body.key }).toEqual({ status: 200, key: path + filename });
    expect((await upload({ ...fine, filename: 'ж'.repeat(255) })).status).toBe(200);
  });
});

const MIB = 2 ** 20;
const multipart = (json: unknown) => gallery.post('/api/upload/multipart', json);

async function begin(filename: string, size = 12 * MIB, partSize = 5 * MIB) {
  const contentType = 'video/mp4';
  const { status, body } = await multipart({
    action: 'create',
    filename,
    path: 'videos',
    contentType,
    size,
    partSize,
  });
  expect(status).toBe(200);
  return body.data as { uploadId: string; key: string; partSize: number; partCount: number };
}

type Session = { uploadId: string; key: string };

async function createdByBrowser(key: string): Promise<Session> {
  const asked = { method: 'POST', key, contentType: 'video/mp4' };
  const { url, headers } = (await gallery.post('/api/upload/sign', asked)).body;
  const { text } = await send(url, { method: 'POST', headers });
  return { key, uploadId: /<UploadId>([^<]+)</.exec(text)?.[1] ?? '' };
}

/** PUTs a part to its signed URL and returns its etag, as a browser would read it. */
async function putPart({ uploadId, key }: Session, partNumber: number, bytes: Buffer<ArrayBuffer>) {
  const { status, body } = await multipart({ action: 'sign-part', uploadId, key, partNumber });
  expect(status).toBe(200);
  expect(body.data).toEqual({ url: expect.any(String), partNumber, expiresIn: 900 });
  const put = await send(body.data.url, { method: 'PUT', raw: bytes });
  expect(put.status).toBe(200);
  return { partNumber, etag: put.headers.get('etag') ?? '' };
}

function partsOf(size: number, partSize = 5 * MIB): Buffer<ArrayBuffer>[] {
  const whole = Buffer.alloc(size);
  for (let at = 0; at < size; at += 1024) whole.writeUInt32BE(at, at);
  return Array.from({ length: Math.ceil(size / partSize) }, (_, i) =>
    whole.subarray(i * partSize, (i + 1) * partSize),
  );
}

describe('POST /api/upload/multipart', () => {
  test('uploads a file in parts, one of them sent twice, completed in any order', async () => {
    const session = await begin('long film.mp4');
    expect(session).toEqual({
      uploadId: expect.any(String),
      key: 'videos/long film.mp4',
      partSize: 5 * MIB,
      partCount: 3,
    });
    const [one, two, three] = partsOf(12 * MIB) as [
      Buffer<ArrayBuffer>,
      Buffer<ArrayBuffer>,
      Buffer<ArrayBuffer>,
    ];
    const third = await putPart(session, 3, three);
    const spoiled = await putPart(session, 2, Buffer.alloc(5 * MIB, 'x'));
    const first = await putPart(session, 1, one);
    const second = await putPart(session, 2, two);
    expect(second.etag).not.toBe(spoiled.etag);

    const { uploadId, key } = session;
    const parts = [third, first, { ...second, etag: second.etag.replaceAll('"', '') }];
    const { status, body } = await multipart({ action: 'complete', uploadId, key, parts });
    expect({ status, body }).toEqual({
      status: 200,
      body: { success: true, data: { key, etag: expect.stringMatching(/-3"?$/), size: 12 * MIB } },
    });
    const object = await stored(key);
    expect(object.contentType).toBe('video/mp4');
    expect(object.bytes.equals(Buffer.concat([one, two, three]))).toBe(true);
  });

  test('resumes an upload with the answer of list-parts', async () => {
    const session = await begin('resumed.mp4');
    const { uploadId, key } = session;
    const all = partsOf(12 * MIB);
    await putPart(session, 1, all[0] as Buffer<ArrayBuffer>);
    await putPart(session, 3, all[2] as Buffer<ArrayBuffer>);

    const listed = await multipart({ action: 'list-parts', uploadId, key });
    expect(listed.status).toBe(200);
    const there = listed.body.data.parts as { partNumber: number; etag: string }[];
    expect(there).toEqual([
      { partNumber: 1, etag: expect.any(String), size: 5 * MIB, lastModified: expect.any(String) },
      { partNumber: 3, etag: expect.any(String), size: 2 * MIB, lastModified: expect.any(String) },
    ]);
    const missing = await putPart(session, 2, all[1] as Buffer<ArrayBuffer>);
    const parts = [...there.map(({ partNumber, etag }) => ({ partNumber, etag })), missing];
    expect((await multipart({ action: 'complete', uploadId, key, parts })).status).toBe(200);
    expect((await stored(key)).bytes.equals(Buffer.concat(all))).toBe(true);
  });

  test('an aborted upload leaves nothing, and is no longer known', async () => {
    const session = await begin('aborted.mp4');
    const { uploadId, key } = session;
    const part = await putPart(session, 1, Buffer.alloc(5 * MIB));
    const { status, body } = await multipart({ action: 'abort', uploadId, key });
    expect({ status, body }).toEqual({ status: 200, body: { success: true, data: {} } });

    for (const json of [
      { action: 'sign-part', uploadId, key, partNumber: 1 },
      { action: 'list-parts', uploadId, key },
      { action: 'complete', uploadId, key, parts: [part] },
      { action: 'abort', uploadId, key },
    ]) {
      const gone = await multipart(json);
      expect({ action: json.action, status: gone.status, code: gone.body.code }).toEqual({
        action: json.action,
        status: 404,
        code: 'upload_not_found',
      });
    }
    await expect(
      gallery.s3.send(new HeadObjectCommand({ Bucket: gallery.bucket, Key: key })),
    ).rejects.toMatchObject({ name: 'NotFound' });
  });

  test('lists parts over several pages', async () => {
    const { uploadId, key } = await begin('many.bin', 5 * MIB * 2000);
    const signed = await multipart({ action: 'sign-part', uploadId, key, partNumber: 1 });
    expect(signed.status).toBe(200);
    const put = async (partNumber: number) => {
      const { body } = await multipart({ action: 'sign-part', uploadId, key, partNumber });
      expect((await send(body.data.url, { method: 'PUT', raw: String(partNumber) })).status).toBe(200);
    };
    const numbers = Array.from({ length: 1005 }, (_, i) => i + 1);
    while (numbers.length > 0) await Promise.all(numbers.splice(0, 20).map(put));
    const { body } = await multipart({ action: 'list-parts', uploadId, key });
    expect(body.data.parts.map((part: { partNumber: number }) => part.partNumber)).toEqual(
      Array.from({ length: 1005 }, (_, i) => i + 1),
    );
    expect((await multipart({ action: 'abort', uploadId, key })).status).toBe(200);
  });

  test('raises the part size where there would be over 10,000 parts', async () => {
    const session = await begin('huge.bin', 5 * MIB * 10_000 + 1);
    expect(session).toMatchObject({ partSize: 6 * MIB, partCount: 8334 });
    const largest = await begin('largest.bin', 5 * 2 ** 40);
    expect(largest.partCount).toBeLessThanOrEqual(10_000);
  });

  test('400 names the parts that are not there, or are others', async () => {
    const session = await begin('wrong.mp4');
    const { uploadId, key } = session;
    const part = await putPart(session, 1, Buffer.alloc(5 * MIB, 'y'));
    const complete = (parts: unknown) => multipart({ action: 'complete', uploadId, key, parts });

    const unknown = await complete([part, { partNumber: 2, etag: part.etag }]);
    expect(unknown.body).toMatchObject({
      status: 400,
      message: expect.stringContaining('part 2 has not been'),
    });
    const wrong = await complete([{ partNumber: 1, etag: '"0123456789abcdef0123456789abcdef"' }]);
    expect(wrong.body).toMatchObject({
      status: 400,
      message: expect.stringContaining('part 1 has the etag'),
    });
    const twice = await complete([part, part]);
    expect(twice.body).toMatchObject({
      status: 400,
      message: expect.stringContaining('each partNumber only once'),
    });
    const hole = await complete([part]);
    expect(hole.body).toMatchObject({
      status: 400,
      message: expect.stringContaining('part 2 is missing; part 3 is missing'),
    });
    await expect(
      gallery.s3.send(new HeadObjectCommand({ Bucket: gallery.bucket, Key: key })),
    ).rejects.toMatchObject({ name: 'NotFound' });
  });

  test('400 for a part that was not announced, or with another size', async () => {
    const { uploadId, key } = await begin('other parts.mp4', 6 * MIB);
    const upload = { uploadId, key };
    for (const asked of [
      multipart({ action: 'sign-part', ...upload, partNumber: 3 }),
      gallery.post('/api/upload/sign', { method: 'PUT', ...upload, partNumber: 3 }),
    ]) {
      const { status, body } = await asked;
      expect([status, body.message]).toEqual([400, expect.stringContaining('there is no part 3')]);
    }
    const parts = [
      await putPart(upload, 1, Buffer.alloc(5 * MIB)),
      await putPart(upload, 2, Buffer.alloc(5, 'x')),
    ];
    for (const asked of [
      multipart({ action: 'complete', ...upload, parts }),
      gallery.post('/api/upload/sign', { method: 'POST', ...upload }),
    ]) {
      const { status, body } = await asked;
      expect([status, body.message]).toEqual([400, expect.stringContaining('part 2 has 5 bytes')]);
    }
    const second = await putPart(upload, 2, Buffer.alloc(MIB));
    const whole = { action: 'complete', ...upload, parts: [parts[0], second] };
    expect((await multipart(whole)).body.data.size).toBe(6 * MIB);
  });

  test('an upload that the browser has created is not held to anything', async () => {
    const { uploadId, key } = await createdByBrowser('videos/by the browser.mp4');
    const parts = [await putPart({ uploadId, key }, 7, Buffer.from('short'))];
    expect((await multipart({ action: 'complete', uploadId, key, parts })).body.data.size).toBe(5);
  });

  test('400 for a part below 5 MiB that is not the last', async () => {
    const session = await createdByBrowser('videos/small.mp4');
    const { uploadId, key } = session;
    const parts = [
      await putPart(session, 1, Buffer.alloc(5, 'x')),
      await putPart(session, 2, Buffer.alloc(5, 'y')),
    ];
    const { status, body } = await multipart({ action: 'complete', uploadId, key, parts });
    expect({ status, ...body }).toMatchObject({ status: 400, message: expect.stringContaining('5 MiB') });
    expect((await multipart({ action: 'abort', uploadId, key })).status).toBe(200);
  });

  const created = {
    action: 'create',
    filename: 'a.mp4',
    path: '',
    contentType: 'video/mp4',
    size: 1,
    partSize: 32 * MIB,
  };
  const session = { uploadId: 'x', key: 'a.mp4' };
  test.each([
    ['no action', { ...created, action: undefined }, 'action'],
    ['an unknown action', { ...created, action: 'begin' }, 'action'],
    ['no size', { ...created, size: undefined }, 'size'],
    ['an empty file', { ...created, size: 0 }, 'size'],
    ['a file of over 5 TiB', { ...created, size: 5 * 2 ** 40 + 1 }, 'size'],
    ['half a byte', { ...created, size: 1.5 }, 'size'],
    ['a size in words', { ...created, size: '12' }, 'size'],
    ['parts below 5 MiB', { ...created, partSize: 5 * MIB - 1 }, 'partSize'],
    ['parts over 5 GiB', { ...created, partSize: 5 * 1024 * MIB + 1 }, 'partSize'],
    ['a bad filename', { ...created, filename: '../a' }, 'filename'],
    ['no uploadId', { action: 'abort', key: 'a' }, 'uploadId'],
    ['an empty uploadId', { action: 'abort', key: 'a', uploadId: '' }, 'uploadId'],
    ['half a surrogate pair for an id', { action: 'abort', key: 'a', uploadId: 'a\ud800' }, 'uploadId'],
    ['an id with NUL', { action: 'list-parts', key: 'a', uploadId: 'a\0' }, 'uploadId'],
    ['a type with U+2028', { ...created, contentType: 'video/mp4;\u2028a=b' }, 'contentType'],
    ['an unknown member', { action: 'abort', key: 'a', uploadId: 'x', force: true }, 'force'],
    ['an unknown member to create', { ...created, acl: 'public-read' }, 'acl'],
    [
      'an unknown member of a part',
      { action: 'complete', ...session, parts: [{ partNumber: 1, etag: 'x', size: 1 }] },
      'size',
    ],
    ['no key', { action: 'list-parts', uploadId: 'x' }, 'key'],
    ['a key of over 1024 bytes', { action: 'list-parts', uploadId: 'x', key: 'ж'.repeat(513) }, 'key'],
    ['no part number', { action: 'sign-part', ...session }, 'partNumber'],
    ['part 0', { action: 'sign-part', ...session, partNumber: 0 }, 'partNumber'],
    ['part 10,001', { action: 'sign-part', ...session, partNumber: 10_001 }, 'partNumber'],
    ['no parts', { action: 'complete', ...session }, 'parts'],
    ['an empty list of parts', { action: 'complete', ...session, parts: [] }, 'parts'],
    ['a part without etag', { action: 'complete', ...session, parts: [{ partNumber: 1 }] }, 'etag'],
  ])('400 for %s', async (_what, json, field) => {
    const { status, body } = await multipart(json);
    expect({ status, ...body }).toMatchObject({ status: 400, success: false, code: 'invalid_request' });
    expect(body.message).toContain(field);
  });

  const ODD_IDS = [
    'x',
    '../../x',
    '../..',
    '..',
    '.',
    '/',
    'a/b',
    '%',
    '\\',
    'a b',
    '\u2028',
    'é',
    'a'.repeat(1024),
  ];
  const ODD_KEYS = ['a//b', 'a/../b', '/a', 'k'.repeat(1024), 'a\\b', 'a\u0001b', 'a\u2028'];
  test.each([...ODD_IDS.map((id) => [id, 'a.mp4']), ...ODD_KEYS.map((key) => ['x', key])])(
    '404 for an upload that never was: %j to %j',
    async (uploadId, key) => {
      for (const json of [
        { action: 'list-parts', uploadId, key },
        { action: 'sign-part', uploadId, key, partNumber: 1 },
        { action: 'complete', uploadId, key, parts: [{ partNumber: 1, etag: 'x' }] },
        { action: 'abort', uploadId, key },
      ]) {
        const { status, body } = await multipart(json);
        expect({ status, ...body }).toMatchObject({ status: 404, success: false, code: 'upload_not_found' });
      }
    },
  );

  test('a name that the store does not accept is never an error of the service', async () => {
    const { status, body } = await multipart({ ...created, filename: 'ж'.repeat(200) });
    if (status === 400) expect(body.message).toContain('255 bytes');
    else expect(status).toBe(200);
  });
});

test.each(['/api/upload', '/api/upload/multipart'])('%s needs the session', async (path) => {
  const { status, body } = await send(`${gallery.url}${path}`, { method: 'POST', json: {} });
  expect({ status, ...body }).toMatchObject({ status: 401, success: false, code: 'unauthorized' });
});
