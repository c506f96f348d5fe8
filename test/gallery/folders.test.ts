import { PutObjectCommand } from '@aws-sdk/client-s3';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { listAll, putAll } from '../support/s3/objects.ts';

let gallery: GalleryFixture;
beforeAll(async () => {
  gallery = await galleryFixture();
});
afterAll(() => gallery?.close());
beforeEach(async () => {
  const { folders } = (await gallery.ask('/api/gallery?json=1')).body.data;
  for (const { path } of folders) await gallery.post('/api/gallery/delete', { path, type: 'folder' });
});

async function keys(prefix = ''): Promise<string[]> {
  return (await listAll(gallery.s3, { Bucket: gallery.bucket, Prefix: prefix })).keys.sort();
}
const fill = (...names: string[]) => putAll(gallery.s3, gallery.bucket, names);
const create = (path: unknown) => gallery.post('/api/gallery/folder', { path });
const lookUp = (...paths: string[]) => gallery.post('/api/gallery/lookup', { paths });
const rename = (path: unknown, name: unknown) => gallery.post('/api/gallery/rename', { path, name });
const media = (key: string, more = '', headers: Record<string, string> = {}) =>
  fetch(`${gallery.url}/api/gallery/media?key=${encodeURIComponent(key)}${more}`, {
    headers: { cookie: gallery.cookie, ...headers },
  });

test('a new folder is listed, and creating it again changes nothing', async () => {
  const created = await create('2026/été 📷');
  expect(created.body).toEqual({
    success: true,
    message: 'folder created',
    created: true,
    path: '2026/été 📷/',
  });
  const { folders, files } = (await gallery.ask('/api/gallery?json=1&path=2026')).body.data;
  expect([folders, files]).toEqual([[{ name: 'été 📷', path: '2026/été 📷/', type: 'folder' }], []]);
  expect((await create('2026/été 📷/')).body).toMatchObject({ created: false, path: '2026/été 📷/' });
  await fill('full/a.jpg');
  expect((await create('full')).body.created).toBe(false);
  expect(await keys('full/')).toEqual(['full/a.jpg']);
});

test('a folder cannot have the name of a file, or one that no folder may have', async () => {
  await fill('d/name');
  const taken = await create('d/name');
  expect([taken.status, taken.body.code]).toEqual([400, 'destination_conflict']);
  expect(taken.body.detail).toContain('"d/name"');
  for (const path of ['', '/', '/a', 'a//b', '../a', 'a\\b', 'a\u0000', 'ü'.repeat(512), 7, undefined]) {
    const { status, body } = await create(path);
    expect([status, body.code], String(path)).toEqual([400, 'invalid_request']);
  }
  expect(await keys()).toEqual(['d/name']);
});

const EMPTY_FOLDER = { folders: [], files: [], continuationToken: null };

const MARKED = 'old\u202egpj.exe';

test('a new name with a mark that turns text around is refused wherever one is given', async () => {
  await fill('a/1.jpg', `old/${MARKED}`);
  const contentType = 'image/jpeg';
  const upload = { filename: MARKED, path: 'a', contentType };
  const create = { action: 'create', size: 1, ...upload };
  const batch = { action: 'copy', paths: ['a/1.jpg'] };
  const names = [{ path: 'a/1.jpg', name: MARKED }];
  for (const [path, json] of [
    ['upload', upload],
    ['upload', { ...upload, filename: '1.jpg', path: `a/${MARKED}/b` }],
    ['upload/sign', { method: 'PUT', key: `a/${MARKED}`, contentType }],
    ['upload/sign', { method: 'POST', key: `${MARKED}/a` }],
    ['upload/multipart', create],
    ['upload/multipart', { ...create, filename: '1.jpg', path: MARKED }],
    ['gallery/folder', { path: `a/${MARKED}` }],
    ['gallery/rename', { path: 'a/1.jpg', name: MARKED }],
    ['gallery/batch', { ...batch, dest: MARKED }],
    ['gallery/batch', { ...batch, dest: 'to', names }],
  ] as const) {
    const { status, body } = await gallery.post(`/api/${path}`, json);
    expect([status, body.code], JSON.stringify(json)).toEqual([400, 'invalid_request']);
    // One message names all rules of the requests that can be signed.
    expect(body.message).toContain(
      path === 'upload/sign' && !json.key.includes('/a') ? 'cannot be seen' : 'U+202E',
    );
  }
  expect(await keys()).toEqual(['a/1.jpg', `old/${MARKED}`]);
});

test('files and folders that have such a name go on working', async () => {
  await fill(`old/${MARKED}`, `${MARKED}/1.jpg`);
  const [listed] = (await gallery.ask('/api/gallery?json=1&path=old')).body.data.files;
  expect(await (await fetch(listed.url)).text()).toBe(`old/${MARKED}`);
  const upload = { filename: '2.jpg', path: `${MARKED}/new`, contentType: 'image/jpeg' };
  expect((await gallery.post('/api/upload', upload)).body.key).toBe(`${MARKED}/new/2.jpg`);
  expect((await create(MARKED)).body.created).toBe(false);
  expect((await create(`${MARKED}/new`)).body.created).toBe(true);
  const move = { action: 'move', paths: [`old/${MARKED}`], dest: `${MARKED}/new/` };
  expect((await gallery.post('/api/gallery/batch', move)).status).toBe(200);
  expect((await rename(`${MARKED}/new/${MARKED}`, 'plain.exe')).body.undo).toBeNull();
  expect(
    (await gallery.post('/api/gallery/batch', { action: 'move', paths: [MARKED], dest: 'to' })).status,
  ).toBe(200);
  expect(await keys()).toEqual([`to/${MARKED}/1.jpg`, `to/${MARKED}/new/`, `to/${MARKED}/new/plain.exe`]);
  expect((await gallery.post('/api/gallery/delete', { path: 'to', type: 'folder' })).body.deleted).toBe(3);
});

test('a look-up says of each name whether a file, a folder or both have it', async () => {
  await fill('d/both', 'd/file.jpg', 'd/folder/x');
  await create('d/empty');
  const asked = ['d/file.jpg', 'd/folder', 'd/empty', 'd/empty/', 'd/none', 'd/fil', 'd/file.jpg'];
  const { status, body } = await lookUp(...asked);
  expect(status).toBe(200);
  expect(body.data.map(({ path }: { path: string }) => path)).toEqual(asked);
  const file = {
    size: expect.any(Number),
    lastModified: expect.stringMatching(/Z$/),
    etag: expect.any(String),
  };
  expect(body.data.map((entry: object) => ({ ...entry, path: undefined }))).toEqual([
    { file, folder: false },
    { file: null, folder: true },
    { file: null, folder: true },
    { file: null, folder: true },
    { file: null, folder: false },
    { file: null, folder: false },
    { file, folder: false },
  ]);
  const many = Array.from({ length: 1000 }, (_, index) => `d/${index % 10}.jpg`);
  expect((await lookUp(...many)).body.data).toHaveLength(1000);
  expect((await lookUp(...many, 'one more')).status).toBe(400);
  expect((await lookUp()).status).toBe(400);
});

test('a file is renamed in its folder, and the undo that comes with the answer takes it back', async () => {
  await fill('d/a b+%#".jpg', 'd/other.jpg');
  const renamed = await rename('d/a b+%#".jpg', 'שלום 🎉.jpg');
  expect(renamed.body).toEqual({
    success: true,
    message: '1 object renamed',
    affected: 1,
    path: 'd/שלום 🎉.jpg',
    undo: { path: 'd/שלום 🎉.jpg', name: 'a b+%#".jpg' },
  });
  expect(await keys()).toEqual(['d/other.jpg', 'd/שלום 🎉.jpg']);
  const { path, name } = renamed.body.undo;
  expect((await rename(path, name)).body.path).toBe('d/a b+%#".jpg');
  expect(await keys()).toEqual(['d/a b+%#".jpg', 'd/other.jpg']);
});

test('a folder is renamed with everything in it', async () => {
  await fill('d/old/1.jpg', 'd/old/deep/2.jpg', 'd/older.jpg');
  await create('d/old');
  const { body } = await rename('d/old', 'new');
  expect(body).toMatchObject({ affected: 2, path: 'd/new/', undo: { path: 'd/new/', name: 'old' } });
  expect(await keys()).toEqual(['d/new/1.jpg', 'd/new/deep/2.jpg', 'd/older.jpg']);
});

test('a name that is taken, unusable or its own is refused, and nothing is changed', async () => {
  await fill('d/a', 'd/b', 'd/c/x', 'd/e/y');
  const before = await keys();
  for (const [path, name] of [
    ['d/a', 'b'],
    ['d/c/', 'e'],
    ['d/a', 'a'],
  ]) {
    const { status, body } = await rename(path, name);
    expect([status, body.code], `${path} ${name}`).toEqual([400, 'destination_conflict']);
  }
  for (const [path, name] of [
    ['d/a', 'x/y'],
    ['d/a', ''],
    ['d/a', '..'],
    ['', 'x'],
    ['d/none', 'x'],
    ['a//b', 'x'],
    ['d/a', 'x'.repeat(256)],
  ]) {
    const { status, body } = await rename(path, name);
    expect([status, body.code], `${path} ${name}`).toEqual([400, 'invalid_request']);
  }
  expect(await keys()).toEqual(before);
});

test('a renaming that is repeated with its key has the outcome of the first', async () => {
  await fill('d/a');
  const again = () =>
    gallery.ask('/api/gallery/rename', {
      method: 'POST',
      json: { path: 'd/a', name: 'b' },
      headers: { 'idempotency-key': 'rename-a' },
    });
  const first = await again();
  await fill('d/a');
  expect((await again()).body).toEqual(first.body);
  expect(await keys()).toEqual(['d/a', 'd/b']);
});

test('media and thumbnails are read by key, and kept by the browser only under a version', async () => {
  const image = await sharp({ create: { width: 960, height: 480, channels: 3, background: '#369' } })
    .jpeg()
    .toBuffer();
  const key = 'd/a b+%&?ü.jpg';
  const stored = { Bucket: gallery.bucket, Key: key, Body: image, ContentType: 'image/jpeg' };
  await gallery.s3.send(new PutObjectCommand(stored));

  const thumbnail = await media(key, '&thumbnail=true');
  expect(await sharp(Buffer.from(await thumbnail.arrayBuffer())).metadata()).toMatchObject({
    width: 480,
    height: 240,
  });
  expect(thumbnail.headers.get('cache-control')).toBe('private, no-cache');
  const etag = thumbnail.headers.get('etag') ?? '';
  expect((await media(key, '&thumbnail=true', { 'if-none-match': etag })).status).toBe(304);
  const versioned = await media(key, '&thumbnail=true&version=2026-11-21');
  expect(versioned.headers.get('cache-control')).toBe('private, max-age=604800, immutable');

  const whole = await media(key);
  expect(Buffer.from(await whole.arrayBuffer()).equals(image)).toBe(true);
  expect(whole.headers.get('content-security-policy')).toBe('sandbox');
  const part = await media(key, '', { range: 'bytes=2-5' });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 2-5/${image.length}`]);
  expect((await media(key, '', { range: `bytes=${image.length}-` })).status).toBe(416);
});

test('a name that a store cannot have is a file that is missing and a folder that is empty', async () => {
  for (const name of ['d/../x', 'd/./x', 'd//x', 'd/..']) {
    const { status, body } = await gallery.ask(`/api/gallery?json=1&path=${encodeURIComponent(name)}`);
    expect([status, body.data], name).toEqual([200, { ...EMPTY_FOLDER, currentPath: `${name}/` }]);
    for (const more of ['', '&thumbnail=true']) expect((await media(name, more)).status, name).toBe(404);
  }
});

test('media by key says what is missing or not media', async () => {
  await fill('d/text.txt');
  for (const more of ['', '&thumbnail=true']) {
    const missing = await media('d/none.jpg', more);
    expect([missing.status, (await missing.json()).code]).toEqual([404, 'not_found']);
    expect((await media('d/text.txt', more)).status).toBe(400);
  }
  expect((await fetch(`${gallery.url}/api/gallery/media?key=d/none.jpg`)).status).toBe(401);
  expect((await media('')).status).toBe(400);
});
