import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GalleryFixture, galleryFixture, startGallery } from '../support/gallery.ts';
import { send } from '../support/http.ts';
import { namedServer } from '../support/s3/fixtures.ts';
import { listAll, put, putAll, read } from '../support/s3/objects.ts';

/** Keys that something between here and the store would spoil if it read them twice, or not at all. */
const AWKWARD = [
  'a b.jpg',
  'a+b.jpg',
  'a%20b.jpg',
  '100%.jpg',
  'a#b.jpg',
  'a?b=c&d.jpg',
  `quote'"\`.jpg`,
  'a&amp;<b>.jpg',
  'ü.jpg',
  'ü.jpg'.normalize('NFD'),
  '日本の写真.jpg',
  'привет.jpg',
  'صورة.jpg',
  '😀.jpg',
  '\uFFFD.jpg',
  '__proto__',
];

let gallery: GalleryFixture;

beforeAll(async () => {
  gallery = await galleryFixture();
  const { s3, bucket } = gallery;
  await putAll(s3, bucket, [
    ...AWKWARD.map((name) => `awkward/${name}`),
    ...['a10.jpg', 'a2.jpg', 'A1.png', 'clip.mp4', 'tune.mp3', 'notes.txt', 'b'].map(
      (name) => `mixed/${name}`,
    ),
    ...['10', '9', '100'].map((name) => `mixed/${name}/inside.jpg`),
    ...Array.from({ length: 25 }, (_, index) => `paged/${index}.jpg`),
    ...Array.from({ length: 30 }, (_, index) => `crowded/${index}.jpg`),
    ...['b', 'zz'].map((name) => `crowded/${name}/x.jpg`),
    'top.jpg',
  ]);
  await put(s3, bucket, 'mixed/', '');
  await put(s3, bucket, 'mixed/empty/', '');
});

afterAll(() => gallery?.close());

function list(query: string) {
  return gallery.ask(`/api/gallery?${query}`);
}

function names(entries: { name: string }[]): string[] {
  return entries.map(({ name }) => name);
}

test('a folder is listed with everything that a gallery shows, in natural order', async () => {
  const { status, body, headers } = await list('json=1&path=mixed');
  expect([status, body.success, body.mode]).toEqual([200, true, 'json']);
  expect(headers.get('cache-control')).toBe('private, no-store');
  expect(body.data.currentPath).toBe('mixed/');
  expect(body.data.continuationToken).toBeNull();
  expect(body.data.folders).toEqual(
    ['9', '10', '100', 'empty'].map((name) => ({ name, path: `mixed/${name}/`, type: 'folder' })),
  );
  expect(names(body.data.files)).toEqual([
    'A1.png',
    'a2.jpg',
    'a10.jpg',
    'b',
    'clip.mp4',
    'notes.txt',
    'tune.mp3',
  ]);
  const [first, ...others] = body.data.files;
  expect(first).toEqual({
    name: 'A1.png',
    path: 'mixed/A1.png',
    url: expect.stringMatching(/^http.*X-Amz-Expires=3600/),
    size: 'mixed/A1.png'.length,
    lastModified: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    contentType: 'image/png',
    type: 'image',
  });
  expect(others.map(({ type }: { type: string }) => type)).toEqual([
    'image',
    'image',
    'file',
    'video',
    'file',
    'audio',
  ]);
});

test('the root is the empty path, with or without the parameter', async () => {
  for (const query of ['json=1', 'json=1&path=']) {
    const { body } = await list(query);
    expect(body.data.currentPath).toBe('');
    expect(names(body.data.folders)).toEqual(['awkward', 'crowded', 'mixed', 'paged']);
    expect(names(body.data.files)).toEqual(['top.jpg']);
  }
});

test('a folder that is not there is empty', async () => {
  const { status, body } = await list('json=1&path=nowhere/');
  expect(status).toBe(200);
  expect(body.data).toEqual({ folders: [], files: [], currentPath: 'nowhere/', continuationToken: null });
});

test('names in any script come back as they were stored, and their URLs lead to them', async () => {
  const { body } = await list('json=1&path=awkward/');
  expect(names(body.data.files).sort()).toEqual([...AWKWARD].sort());
  for (const file of body.data.files) {
    const { status, text } = await send(file.url);
    expect([status, text]).toEqual([200, `awkward/${file.name}`]);
  }
});

test('a folder whose name is longer than any key is empty', async () => {
  const { status, body } = await list(`json=1&path=${'ü'.repeat(1000)}`);
  expect([status, body.data.files]).toEqual([200, []]);
});

test('pages hold at most maxKeys and together everything once', async () => {
  const seen: string[] = [];
  let token: string | null = null;
  do {
    const next = token === null ? '' : `&continuationToken=${encodeURIComponent(token)}`;
    const { body } = await list(`json=1&path=paged/&maxKeys=10${next}`);
    expect(body.data.files.length).toBeLessThanOrEqual(10);
    seen.push(...names(body.data.files));
    token = body.data.continuationToken;
  } while (token !== null);
  expect(seen).toHaveLength(25);
  expect(new Set(seen).size).toBe(25);
});

test('foldersOnly finds folders behind any number of files, and no file', async () => {
  const { body } = await list('json=1&foldersOnly=1&path=crowded/&maxKeys=3');
  expect(names(body.data.folders)).toEqual(['b', 'zz']);
  expect(body.data).toMatchObject({ files: [], continuationToken: null });
});

test('without json=1 a signed URL is given, from which the browser lists the page', async () => {
  const { status, body } = await list('path=paged&maxKeys=7');
  expect([status, body.mode, body.data.currentPath]).toEqual([200, 'signer', 'paged/']);
  expect(body.data.listUrl).toContain('X-Amz-Expires=900');
  const page = await send(body.data.listUrl);
  expect(page.status).toBe(200);
  expect([...page.text.matchAll(/<Key>paged\//g)]).toHaveLength(7);
  const token = /<NextContinuationToken>([^<]*)</.exec(page.text)?.[1] ?? '';
  const next = await list(`path=paged&maxKeys=1000&continuationToken=${encodeURIComponent(token)}`);
  const rest = await send(next.body.data.listUrl);
  expect([...rest.text.matchAll(/<Key>paged\//g)]).toHaveLength(18);
});

test.each([
  ['maxKeys=0', 'maxKeys'],
  ['maxKeys=1001', 'maxKeys'],
  ['maxKeys=1.5', 'maxKeys'],
  ['maxKeys=', 'maxKeys'],
  ['json=yes', 'json'],
  ['json=1&json=1', 'json'],
  ['foldersOnly=1', 'foldersOnly'],
  ['json=0&foldersOnly=1', 'foldersOnly'],
  ['path=a%00', 'path'],
  [`path=${'a'.repeat(1025)}`, 'path'],
  ['continuationToken=', 'continuationToken'],
  [`continuationToken=${'t'.repeat(4097)}`, 'continuationToken'],
  ['prefix=a', 'prefix'],
])('%s is 400 and named', async (query, parameter) => {
  const { status, body } = await list(query);
  expect([status, body.code, body.success]).toEqual([400, 'invalid_request', false]);
  expect(body.message).toContain(`"${parameter}"`);
  expect(body.detail).toBe(body.message);
});

function sign(keys: unknown, action = 'sign-get-objects') {
  return gallery.post('/api/gallery', { action, keys });
}

test('URLs for a download have a browser save the object under its name, whatever its type', async () => {
  const name = `it's "50 %" + 😀.html`;
  const key = `download/${name}`;
  const object = { Bucket: gallery.bucket, Key: key, Body: '<b>', ContentType: 'text/html' };
  await gallery.s3.send(new PutObjectCommand(object));
  const { body } = await gallery.post('/api/gallery', {
    action: 'sign-get-objects',
    keys: [key],
    download: true,
  });
  const { status, headers } = await send(body.data[key]);
  expect(status).toBe(200);
  const [disposition, encoded = ''] = (headers.get('content-disposition') ?? '').split("; filename*=UTF-8''");
  expect([disposition, decodeURIComponent(encoded)]).toEqual([
    `attachment; filename="it's _50 __ + _.html"`,
    name,
  ]);
  const refused = await gallery.post('/api/gallery', {
    action: 'sign-get-objects',
    keys: [key],
    download: 1,
  });
  expect(refused.status).toBe(400);
});

test('keys are signed under their exact spelling, and the URLs lead to the objects', async () => {
  const keys = AWKWARD.map((name) => `awkward/${name}`);
  const { status, body } = await sign([...keys, ...keys]);
  expect([status, body.success]).toEqual([200, true]);
  expect(Object.keys(body.data).sort()).toEqual([...keys].sort());
  for (const key of keys) {
    const { text } = await send(body.data[key]);
    expect(text).toBe(key);
    expect(body.data[key]).toContain('X-Amz-Expires=3600');
  }
});

test('a key named like a member of every object is a key', async () => {
  const keys = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
  const { text } = await sign(keys);
  for (const key of keys)
    expect(text).toMatch(new RegExp(`"${key}":"http[^"]*/${key}\\?[^"]*X-Amz-Signature`));
});

test('2,000 keys are signed in one request, 2,001 are not', async () => {
  const keys = Array.from({ length: 2000 }, (_, index) => `paged/${index}.jpg`);
  const { status, body } = await sign(keys);
  expect([status, Object.keys(body.data).length]).toEqual([200, 2000]);
  expect((await sign([...keys, 'one more'])).status).toBe(400);
});

test.each<[string, unknown, string?]>([
  ['another action', ['a'], 'sign-put-objects'],
  ['no keys', []],
  ['keys that are not a list', 'a'],
  ['keys absent', undefined],
  ['an empty key', ['']],
  ['a key that is not text', [1]],
  ['a key of 1,025 bytes', [`${'ü'.repeat(512)}a`]],
  ['a key with half a surrogate pair', ['\ud800']],
])('%s is 400', async (_, keys, action) => {
  const { status, body } = await sign(keys, action);
  expect([status, body.success]).toEqual([400, false]);
});

test.each(['', '?path=a&limit=4', '?path=a&path=b', '?x'])('the folder preview%s is gone', async (query) => {
  const { status, body } = await gallery.ask(`/api/gallery/folder-preview${query}`);
  expect([status, body.code, body.success]).toEqual([410, 'gone', false]);
});

/** Keys that no upload here makes, and that other tools do. */
const FOREIGN = [
  'odd/a\\b.jpg',
  'odd/line\nbreak.jpg',
  'odd/\u007f\u0085.jpg',
  'odd/sub\\folder/x.jpg',
  'odd//double.jpg',
  'odd/../up.jpg',
  'odd/./here.jpg',
  '/leading.jpg',
  '/deep/er.jpg',
];

test('keys of any spelling are found by the paths that the listing gives, and signed', async () => {
  const { s3, bucket } = gallery;
  for (const key of FOREIGN) {
    // Stores that keep objects as files refuse `.`, `..` and empty segments, or store another key instead.
    await put(s3, bucket, key, key).catch((error) => expect(error.$metadata?.httpStatusCode).toBe(400));
  }
  const isForeign = (key: string) => key.startsWith('odd/') || key.startsWith('/');
  const stored = (await listAll(s3, { Bucket: bucket })).keys.filter(isForeign);
  expect(stored).toEqual(expect.arrayContaining(FOREIGN.slice(0, 4)));
  const found: string[] = [];
  const walk = async (path: string) => {
    const { status, body } = await list(`json=1&path=${encodeURIComponent(path)}`);
    expect([path, status]).toEqual([path, 200]);
    found.push(...body.data.files.map((file: { path: string }) => file.path));
    for (const folder of body.data.folders) await walk(folder.path);
  };
  await walk('odd/');
  await walk('/');
  expect(found.sort()).toEqual([...stored].sort());
  const { status, body } = await sign(stored);
  expect([status, Object.keys(body.data).sort()]).toEqual([200, [...stored].sort()]);
  // Nothing that speaks URLs keeps `.` and `..`; all others lead to their objects.
  for (const key of stored.filter((name) => !/\/\.\.?\//.test(name))) {
    expect((await send(body.data[key])).text).toBe(await read(s3, bucket, key));
  }
  for (const key of FOREIGN) {
    await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: key })).catch(() => undefined);
  }
});

test('the token of another folder, or of nothing, is never an answer to try again', async () => {
  const { body } = await list('json=1&path=paged/&maxKeys=3');
  const token = encodeURIComponent(body.data.continuationToken);
  for (const query of [`path=mixed/&continuationToken=${token}`, 'continuationToken=made-up']) {
    const { status, body: answer } = await list(`json=1&${query}`);
    // Not every store tells its tokens from others; the embedded one does.
    if (status !== 200 || !namedServer(process.env))
      expect([status, answer.message]).toEqual([400, expect.stringContaining('continuationToken')]);
  }
});

test('a token that the store rejects, with any error, is 400', async () => {
  const store = createServer((_request, response) => {
    response.writeHead(501).end('<Error><Code>NotImplemented</Code></Error>');
  }).listen(0, '127.0.0.1');
  await once(store, 'listening');
  const S3_ENDPOINT = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
  const service = await startGallery({ ...gallery.settings, S3_ENDPOINT });
  const headers = { cookie: gallery.cookie };
  const withToken = await send(`${service.url}/api/gallery?json=1&continuationToken=t`, { headers });
  const without = await send(`${service.url}/api/gallery?json=1`, { headers });
  await service.close();
  store.close();
  expect([withToken.status, withToken.body.code]).toEqual([400, 'invalid_request']);
  // The store will not know it another time either.
  expect([without.status, without.body.message]).toEqual([500, expect.stringContaining('NotImplemented')]);
});

test.each([
  ['GET', '/api/gallery?json=1'],
  ['POST', '/api/gallery'],
  ['GET', '/api/gallery/folder-preview'],
  ['POST', '/api/gallery/delete'],
  ['POST', '/api/gallery/batch'],
])('%s %s needs the session', async (method, path) => {
  const { status, body } = await send(`${gallery.url}${path}`, { method });
  expect([status, body.code]).toEqual([401, 'unauthorized']);
});
