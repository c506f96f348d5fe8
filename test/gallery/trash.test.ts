import { HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { Bucket } from '@pressroom/gallery-admin/buckets/bucket';
import type { GalleryTables } from '@pressroom/gallery-admin/tables';
import { pruneTrash } from '@pressroom/gallery-admin/trash';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FaultyGallery, faultyGallery } from '../support/faulty-gallery.ts';
import type { GalleryFixture } from '../support/gallery.ts';
import type { JsonValue } from '../support/http.ts';
import { listAll, put, putAll, read } from '../support/s3/objects.ts';
import { until } from '../support/until.ts';

const TRASH = '.pressroom-trash/';
const DAY_MS = 86_400_000;

let service: FaultyGallery;
let gallery: GalleryFixture;

beforeAll(async () => {
  service = await faultyGallery();
  gallery = service.direct;
});
afterAll(() => service?.close());
beforeEach(async () => {
  await gallery.database.pool.query('truncate gallery.batch, gallery.original_date');
  const { folders, files } = (await gallery.ask('/api/gallery?json=1')).body.data;
  const paths = [TRASH, ...[...folders, ...files].map(({ path }: { path: string }) => path)];
  await gallery.post('/api/gallery/batch', { action: 'delete', paths });
});
afterEach(() => {
  service.proxy.choose = () => undefined;
});

const fill = (...names: string[]) => putAll(gallery.s3, gallery.bucket, names);
const batch = (json: object) => gallery.post('/api/gallery/batch', json);
const discard = (...paths: string[]) => batch({ action: 'delete', trash: true, paths });

async function keys(prefix = ''): Promise<string[]> {
  return (await listAll(gallery.s3, { Bucket: gallery.bucket, Prefix: prefix })).keys.sort();
}

/** Stores date an object that is asked for alone by the second. */
const seconds = (date: string) => date.slice(0, 19);

interface Page {
  folders: JsonValue[];
  files: JsonValue[];
}

/** All of the trash, page after page. */
async function trash(maxKeys = 1000): Promise<Page & { pages: number }> {
  const all: Page & { pages: number } = { folders: [], files: [], pages: 0 };
  for (let token: string | null = ''; token !== null; all.pages += 1) {
    const query: string = token === '' ? '' : `&continuationToken=${token}`;
    const { status, body } = await gallery.ask(`/api/gallery/trash?maxKeys=${maxKeys}${query}`);
    expect(status).toBe(200);
    all.folders.push(...body.data.folders);
    all.files.push(...body.data.files);
    token = body.data.continuationToken;
  }
  return all;
}

/** The paths in the trash, by their original path. */
async function paths(): Promise<Record<string, string>> {
  const { folders, files } = await trash();
  return Object.fromEntries([...folders, ...files].map(({ original, path }) => [original, path]));
}

test('files and folders go to the trash whole, are nowhere else, and come back as they were', async () => {
  await fill('d/in/1.jpg', 'd/in/deep/2.jpg', 'd/in2/x', 'd/ü %+.jpg', 'd/stay.jpg', 'top.jpg');
  const Metadata = { credit: 'A. Photographer' };
  const object = { Bucket: gallery.bucket, Key: 'd/a b', Body: 'odd', ContentType: 'image/png', Metadata };
  await gallery.s3.send(new PutObjectCommand(object));
  const before = (await gallery.ask('/api/gallery?json=1&path=d')).body.data.files;
  const chosen = ['d/in', 'd/in/1.jpg', 'd/ü %+.jpg', 'top.jpg', 'd/a b', 'd/none'];
  const removed = await discard(...chosen);
  const message = '5 objects moved to the trash (1 path that was named twice or inside another went with it)';
  expect(removed.body).toEqual({ success: true, affected: 5, message });
  expect((await discard(...chosen)).body.affected).toBe(0);

  expect((await keys()).filter((key) => !key.startsWith(TRASH))).toEqual(['d/in2/x', 'd/stay.jpg']);
  const root = await gallery.ask('/api/gallery?json=1');
  expect(root.body.data.folders.map(({ path }: { path: string }) => path)).toEqual(['d/']);
  const folders = await gallery.ask('/api/gallery?json=1&foldersOnly=1');
  expect(folders.body.data.folders.map(({ path }: { path: string }) => path)).toEqual(['d/']);
  expect((await gallery.ask('/api/gallery/media?key=top.jpg')).status).not.toBe(200);

  const found = await trash();
  expect(found.folders.map(({ name, original }) => [name, original])).toEqual([['in', 'd/in/']]);
  expect(found.files.map(({ original }) => original).sort()).toEqual(['d/a b', 'd/ü %+.jpg', 'top.jpg']);
  const picture = found.files.find(({ original }) => original === 'd/ü %+.jpg');
  const was = before.find(({ path }: { path: string }) => path === 'd/ü %+.jpg');
  expect(picture).toMatchObject({ name: 'ü %+.jpg', size: was.size });
  expect(seconds(picture.lastModified)).toBe(seconds(was.lastModified));
  expect(Date.parse(picture.expiresAt) - Date.parse(picture.deletedAt)).toBe(30 * DAY_MS);
  expect(await (await fetch(picture.url)).text()).toBe('d/ü %+.jpg');
  const inside = await gallery.ask(`/api/gallery?json=1&path=${encodeURIComponent(found.folders[0].path)}`);
  expect(inside.body.data.files).toMatchObject([{ name: '1.jpg' }]);

  const back = [...found.folders, ...found.files].map(({ path }) => path);
  const restored = await batch({ action: 'restore', paths: back });
  expect(restored.body).toEqual({ success: true, affected: 5, message: '5 objects restored' });
  const all = ['d/a b', 'd/in/1.jpg', 'd/in/deep/2.jpg', 'd/in2/x', 'd/stay.jpg', 'd/ü %+.jpg', 'top.jpg'];
  expect(await keys()).toEqual(all);
  const after = (await gallery.ask('/api/gallery?json=1&path=d')).body.data.files;
  const dated = ({ path, lastModified }: JsonValue) => [path, seconds(lastModified)];
  expect(after.map(dated)).toEqual(before.map(dated));
  const head = await gallery.s3.send(new HeadObjectCommand({ Bucket: gallery.bucket, Key: 'd/a b' }));
  expect([head.ContentType, head.Metadata]).toEqual(['image/png', Metadata]);
});

test('a file whose name has an empty segment goes to the trash and comes back', async () => {
  await put(gallery.s3, gallery.bucket, 'd/a//b', 'odd');
  expect((await discard('d/a//b')).body.affected).toBe(1);
  const found = await paths();
  expect(Object.keys(found)).toEqual(['d/a//b']);
  expect((await batch({ action: 'restore', paths: Object.values(found) })).body.affected).toBe(1);
  expect(await keys()).toEqual(['d/a//b']);
});

test('a single deletion takes "trash", too, and without it nothing is kept', async () => {
  await fill('d/a.jpg', 'd/b.jpg', 'd/in/c.jpg');
  const remove = (json: object) => gallery.post('/api/gallery/delete', json);
  // The name of a folder is not an image.
  expect((await remove({ path: 'd/in', type: 'image', trash: true })).body.deleted).toBe(0);
  expect((await remove({ path: 'd/a.jpg', type: 'image', trash: true })).body.deleted).toBe(1);
  expect((await remove({ path: 'd/in', type: 'folder', trash: true })).body.deleted).toBe(1);
  expect((await remove({ path: 'd/b.jpg', type: 'image', trash: false })).body.deleted).toBe(1);
  expect(Object.keys(await paths()).sort()).toEqual(['d/a.jpg', 'd/in/']);
  const kept = Object.values(await paths());
  expect((await batch({ action: 'delete', paths: kept.slice(0, 1) })).body.affected).toBe(1);
  expect((await batch({ action: 'delete', paths: [TRASH] })).body.affected).toBe(1);
  expect(await keys()).toEqual([]);
});

test('a place that is taken is named, and nothing is restored until another name is given', async () => {
  await fill('d/a.jpg', 'd/b.jpg', 'd/in/x');
  await discard('d/a.jpg', 'd/in/', 'd/b.jpg');
  const { 'd/a.jpg': file = '', 'd/in/': folder = '', 'd/b.jpg': other = '' } = await paths();
  await put(gallery.s3, gallery.bucket, 'd/a.jpg', 'newer');
  await put(gallery.s3, gallery.bucket, 'd/in/y', 'newer');
  const restore = (more: object = {}) => batch({ action: 'restore', paths: [file, folder, other], ...more });
  const refused = await restore();
  expect([refused.status, refused.body.code]).toEqual([400, 'destination_conflict']);
  expect(refused.body.message).toContain('"d/a.jpg", "d/in/y"');
  expect(Object.keys(await paths()).sort()).toEqual(['d/a.jpg', 'd/b.jpg', 'd/in/']);
  const names = [
    { path: file, name: 'a (2).jpg' },
    { path: folder, name: 'in (2)' },
  ];
  expect((await restore({ names })).body.affected).toBe(3);
  expect(await keys()).toEqual(['d/a (2).jpg', 'd/a.jpg', 'd/b.jpg', 'd/in (2)/x', 'd/in/y']);
  expect(await read(gallery.s3, gallery.bucket, 'd/a (2).jpg')).toBe('d/a.jpg');
  // Two versions of one file do not fit into one place, either.
  await discard('d/a.jpg');
  await put(gallery.s3, gallery.bucket, 'd/a.jpg', 'newest');
  await discard('d/a.jpg');
  const both = (await trash()).files.map(({ path }) => path);
  expect(both).toHaveLength(2);
  expect((await batch({ action: 'restore', paths: both })).body.code).toBe('destination_conflict');
});

test('a deletion in the background can be taken back; a folder is one entry, of however many objects', async () => {
  const names = Array.from({ length: 30 }, (_, index) => `d/many/${index}`);
  await fill(...names, 'd/zz/1', 'e/1', 'e/2');
  const run = async (json: object) => {
    const started = await batch({ ...json, background: true });
    expect(started.status).toBe(202);
    return until('the batch has ended', async () => {
      const { body } = await gallery.ask(`/api/gallery/batches/${started.body.batch.id}`);
      return body.batch.state === 'running' ? undefined : body;
    });
  };
  const asked = { action: 'delete', trash: true, paths: ['d/many/', 'd/zz/', 'e/1', 'e/2'] };
  const { batch: done, undo } = await run(asked);
  expect(done).toMatchObject({ action: 'delete', state: 'done', affected: 33 });
  expect(done.progress).toEqual({ done: 66, total: 66 });
  const { folders, files, pages } = await trash(2);
  expect(folders.map(({ original }) => original)).toEqual(['d/many/', 'd/zz/']);
  expect(files.map(({ original }) => original)).toEqual(['e/1', 'e/2']);
  expect(pages).toBe(2);
  expect(undo).toEqual([{ action: 'restore', paths: expect.any(Array) }]);
  expect((await run(undo[0])).batch).toMatchObject({ action: 'restore', state: 'done', affected: 33 });
  expect(await keys()).toHaveLength(33);
});

test('what an upload replaces stays in its place until it has arrived, and then in the trash', async () => {
  await fill('d/a.jpg', 'd/in/x');
  const before = (await gallery.ask('/api/gallery?json=1&path=d')).body.data.files[0];
  const sign = (json: object) => gallery.post('/api/upload/sign', json);
  const send = async (request: { method: string; [member: string]: unknown }, body: string) => {
    const { url, headers } = (await sign(request)).body;
    return fetch(url, { method: request.method, headers, body });
  };
  const whole = { method: 'PUT', key: 'd/a.jpg', contentType: 'image/jpeg' };
  expect((await sign({ ...whole, trash: true })).status).toBe(200);
  expect(await read(gallery.s3, gallery.bucket, 'd/a.jpg')).toBe('d/a.jpg');
  expect((await send(whole, 'newer')).status).toBe(200);
  const [kept] = (await trash()).files;
  expect([kept.original, seconds(kept.lastModified)]).toEqual(['d/a.jpg', seconds(before.lastModified)]);
  expect(await (await fetch(kept.url)).text()).toBe('d/a.jpg');

  // An upload in parts keeps the old file on completion, and only if it replaces one.
  const begun = await send({ method: 'POST', key: 'd/a.jpg', contentType: 'image/jpeg' }, '');
  const uploadId = /<UploadId>([^<]+)</.exec(await begun.text())?.[1] ?? '';
  const upload = { key: 'd/a.jpg', uploadId };
  const etag = (await send({ method: 'PUT', ...upload, partNumber: 1 }, 'newest')).headers.get('etag');
  const xml = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`;
  expect((await send({ method: 'POST', ...upload, trash: true }, xml)).status).toBe(200);
  expect((await send({ ...whole, key: 'd/new.jpg', trash: true }, 'none before')).status).toBe(200);
  const all = await trash();
  expect(all.files.map(({ original }) => original)).toEqual(['d/a.jpg', 'd/a.jpg']);
  const contents = await Promise.all(all.files.map(({ path }) => read(gallery.s3, gallery.bucket, path)));
  expect(contents.sort()).toEqual(['d/a.jpg', 'newer']);

  await fill(LONG_KEY);
  expect((await sign({ ...whole, key: LONG_KEY, trash: true })).status).toBe(400);
  expect((await sign({ ...whole, key: LONG_KEY })).status).toBe(200);
  expect((await sign({ ...whole, partNumber: 1, uploadId, trash: true })).status).toBe(400);
});

/** The one name of two uploads that are signed before either arrives. */
const ONE_NAME = { path: 'd', filename: 'one.jpg', contentType: 'image/jpeg', trash: true };

test.each([
  ['/api/upload', ONE_NAME],
  ['/api/upload/sign', { method: 'PUT', key: 'd/one.jpg', contentType: 'image/jpeg', trash: true }],
])('of two uploads of one name that %s signs at once, both are kept', async (path, json) => {
  const sign = async () => (await gallery.post(path, json)).body;
  const put = async ({ url, headers }: JsonValue, body: string) =>
    (await fetch(url, { method: 'PUT', headers, body })).status;
  for (const round of ['new', 'replaced']) {
    const [first, second] = [await sign(), await sign()];
    expect(await put(first, `${round} 1`)).toBe(200);
    expect(await put(second, `${round} 2`)).toBe(412);
    expect(await put(await sign(), `${round} 2`)).toBe(200);
  }
  const { files } = await trash();
  const kept = await Promise.all(files.map(({ path: key }) => read(gallery.s3, gallery.bucket, key)));
  // Both replaced files are kept.
  expect(kept.sort()).toEqual(['new 1', 'new 2', 'new 2', 'replaced 1']);
  expect(await read(gallery.s3, gallery.bucket, 'd/one.jpg')).toBe('replaced 2');
  expect((await keys()).filter((key) => !key.startsWith(TRASH))).toEqual(['d/one.jpg']);
});

test('of two uploads in parts of one name that are completed at once, both are kept', async () => {
  const begin = async () => {
    const create = { action: 'create', ...ONE_NAME, trash: undefined, size: 6 };
    const { key, uploadId } = (await gallery.post('/api/upload/multipart', create)).body.data;
    const upload = { key, uploadId };
    const part = { action: 'sign-part', ...upload, partNumber: 1 };
    const { url } = (await gallery.post('/api/upload/multipart', part)).body.data;
    return { upload, url };
  };
  const complete = async (body: string) => {
    const { upload, url } = await begin();
    const etag = (await fetch(url, { method: 'PUT', body })).headers.get('etag');
    const parts = [{ partNumber: 1, etag }];
    return () => gallery.post('/api/upload/multipart', { action: 'complete', ...upload, parts, trash: true });
  };
  const both = [await complete('part 1'), await complete('part 2')];
  const answers = await Promise.all(both.map((send) => send()));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const [kept] = (await trash()).files;
  const contents = [
    await read(gallery.s3, gallery.bucket, kept.path),
    await read(gallery.s3, gallery.bucket, 'd/one.jpg'),
  ];
  expect(contents.sort()).toEqual(['part 1', 'part 2']);
});

/** A key that has no room for its place in the trash, of names that every store can keep. */
const LONG_KEY = `d/${Array.from({ length: 5 }, () => 'k'.repeat(200)).join('/')}`;

test.each<[string, string, object]>([
  ['an upload', '/api/upload', { path: TRASH, filename: 'a', contentType: 'image/png' }],
  ['a signed upload', '/api/upload/sign', { method: 'PUT', key: `${TRASH}a/b`, contentType: 'image/png' }],
  ['a folder', '/api/gallery/folder', { path: '.pressroom-trash' }],
  ['a copy', '/api/gallery/batch', { action: 'copy', paths: ['d/a'], dest: TRASH }],
  ['a new name', '/api/gallery/rename', { path: 'd', name: '.pressroom-trash' }],
  ['what is there', '/api/gallery/batch', { action: 'delete', trash: true, paths: [`${TRASH}x/d/a`] }],
  ['the trash', '/api/gallery/delete', { path: '.pressroom-trash', type: 'folder', trash: true }],
  ['a restoration of others', '/api/gallery/batch', { action: 'restore', paths: ['d/a'] }],
  ['a restoration of all', '/api/gallery/batch', { action: 'restore', paths: [TRASH] }],
  ['too long a key', '/api/gallery/batch', { action: 'delete', trash: true, paths: [LONG_KEY] }],
])('%s is 400 in the trash, and changes nothing', async (_, path, json) => {
  const all = ['d/a', LONG_KEY];
  await fill(...all);
  const { status, body } = await gallery.post(path, json);
  expect([status, body.success]).toEqual([400, false]);
  expect(await keys()).toEqual(all);
});

test('a token that no page has given is 400', async () => {
  const made = Buffer.from(`${TRASH}\0`).toString('base64url');
  const ask = (token: string) => gallery.ask(`/api/gallery/trash?continuationToken=${token}`);
  for (const token of ['', 'a', '%20', 'ZC9h', made, `${made}&maxKeys=0`]) {
    expect((await ask(token)).status, token).toBe(400);
  }
  // Folders that only look like the trash's list nothing.
  for (const path of [TRASH, `${TRASH}\u0001`, `${TRASH}\uffff/`, `${TRASH}${'k'.repeat(1006)}/`]) {
    const { status, body } = await ask(Buffer.from(path).toString('base64url'));
    expect([status, body.data?.files], path).toEqual([200, []]);
  }
});

test('an interrupted deletion is finished in the same place, and keeps what has come since', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `d/${index}`);
  await fill(...names);
  let copies = 0;
  service.proxy.choose = ({ method, path }) => {
    if (method !== 'PUT' || !path.includes(TRASH)) return undefined;
    copies += 1;
    return copies > 10 ? 'refuse' : undefined;
  };
  const json = { action: 'delete', trash: true, paths: ['d/'] };
  const again = () => service.ask('/api/gallery/batch', { method: 'POST', json });
  expect((await again()).body.code).toBe('operation_incomplete');
  expect(await keys('d/')).toHaveLength(40);
  service.proxy.choose = () => undefined;
  expect((await again()).body.affected).toBe(40);
  expect((await keys()).length).toBe(40);
  expect((await trash()).folders).toHaveLength(1);

  // The store has deleted, and the answer is lost; meanwhile somebody uploads a file with the same name.
  await fill('d/0');
  service.proxy.choose = ({ method, path }) =>
    method === 'POST' && path.includes('delete') ? 'cut-answer' : undefined;
  await again();
  service.proxy.choose = () => undefined;
  await put(gallery.s3, gallery.bucket, 'd/0', 'newer');
  expect((await again()).status).toBe(200);
  expect(await keys('d/')).toEqual([]);
  const kept = await Promise.all((await keys()).map((key) => read(gallery.s3, gallery.bucket, key)));
  expect(kept.filter((content) => content === 'newer')).toHaveLength(1);
});

test('what was deleted 30 days ago is removed in steps, by one replica at a time, and nothing else', async () => {
  await fill('d/1', 'd/2', 'e/3', 'stay');
  await discard('d/', 'e/3');
  await put(gallery.s3, gallery.bucket, `${TRASH}other`, 'of another tool');
  const db = new Kysely<GalleryTables>({ dialect: new PostgresDialect({ pool: gallery.database.pool }) });
  const bucket = { id: 'default', name: gallery.bucket, s3: gallery.s3 } as Bucket;
  const prune = (days: number) => {
    const now = new Date(Date.now() + days * DAY_MS);
    return pruneTrash(bucket, { db, direct: db, signal: new AbortController().signal, now });
  };
  expect(await prune(29.9)).toBe(0);
  expect(Object.keys(await paths()).sort()).toEqual(['d/', 'e/3']);
  const [one = 0, two = 0] = await Promise.all([prune(30.1), prune(30.1)]);
  expect(one + two).toBe(3);
  expect(await keys()).toEqual([`${TRASH}other`, 'stay']);
  const { rows } = await gallery.database.pool.query(
    'select count(*)::integer as dates from gallery.original_date',
  );
  expect(rows[0].dates).toBe(0);
});
