import { once } from 'node:events';
import { get } from 'node:http';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts';
import {
  type GalleryFixture,
  galleryFixture,
  type RunningGallery,
  startGallery,
} from '../support/gallery.ts';
import { until } from '../support/until.ts';
import { unzipped } from '../support/unzipped.ts';

let gallery: GalleryFixture;
let proxy: FaultyProxy;
/** The service with something between it and the store. */
let service: RunningGallery;

beforeAll(async () => {
  gallery = await galleryFixture();
  proxy = await startFaultyProxy(gallery.store.endpoint);
  service = await startGallery({ ...gallery.settings, S3_ENDPOINT: proxy.url });
});
afterAll(async () => {
  await service?.close();
  await proxy?.close();
  await gallery?.close();
});

async function put(Key: string, Body: string | Buffer = `content of ${Key}`): Promise<void> {
  await gallery.s3.send(new PutObjectCommand({ Bucket: gallery.bucket, Key, Body }));
}

function create(paths: readonly string[]) {
  return gallery.post('/api/gallery/archives', { paths });
}

async function download(id: string, url = gallery.url) {
  const response = await fetch(`${url}/api/gallery/archives/${id}`, { headers: { cookie: gallery.cookie } });
  return { response, body: Buffer.from(await response.arrayBuffer()) };
}

/** The names and contents of the archive of `paths`. */
async function archived(...paths: string[]): Promise<Record<string, string>> {
  const { body } = await create(paths);
  return unzipped((await download(body.data.id)).body);
}

test('files and folders come as one zip of a known length, each under its path', async () => {
  await put('desk/a b+ü.txt');
  await put('desk/trip/1.txt');
  await put('desk/trip/deep/2.txt');
  await put('desk/trip/empty/', '');
  await put('desk/other.txt');
  const { status, body } = await create(['desk/a b+ü.txt', 'desk/trip/', 'desk/trip/1.txt']);
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ files: 3 });
  const { response, body: zip } = await download(body.data.id);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/zip',
    'content-length': String(zip.length),
    'content-disposition': `attachment; filename="desk.zip"; filename*=UTF-8''desk.zip`,
    'cache-control': expect.stringContaining('private'),
  });
  expect(unzipped(zip)).toEqual({
    'a b+ü.txt': 'content of desk/a b+ü.txt',
    'trip/1.txt': 'content of desk/trip/1.txt',
    'trip/deep/2.txt': 'content of desk/trip/deep/2.txt',
    'trip/empty/': '',
  });
});

test('what a search has found in several folders keeps them apart', async () => {
  await put('twins/east/photo.txt');
  await put('twins/west/photo.txt');
  expect(await archived('twins/east/photo.txt', 'twins/west/photo.txt')).toEqual({
    'east/photo.txt': 'content of twins/east/photo.txt',
    'west/photo.txt': 'content of twins/west/photo.txt',
  });
});

test('no name in it leads out of the folder where it is unpacked, or looks like another', async () => {
  await put('odd/../up.txt');
  await put('odd/a\\b.txt');
  await put('odd/a_b.txt');
  await put('odd/\u202Egpj.exe');
  await put('odd//x.txt');
  expect(
    Object.keys(await archived('odd/..', 'odd//', 'odd/a\\b.txt', 'odd/a_b.txt', 'odd/\u202Egpj.exe')).sort(),
  ).toEqual(['2 a_b.txt', '_/up.txt', '_/x.txt', '_gpj.exe', 'a_b.txt']);
});

test('every name in it is one that Windows accepts', async () => {
  const keys = [
    'a:b?.txt',
    'a"<b>|*.txt',
    'CON',
    'nul.txt',
    'Com1 .txt',
    'console.txt',
    'end.',
    'end',
    'dots. ./x',
    'LPT9/y',
  ];
  for (const key of keys) await put(`win/${key}`, key);
  expect(await archived('win/')).toEqual({
    'win/a_b_.txt': 'a:b?.txt',
    'win/a__b___.txt': 'a"<b>|*.txt',
    'win/CON_': 'CON',
    'win/nul_.txt': 'nul.txt',
    'win/Com1_ .txt': 'Com1 .txt',
    'win/console.txt': 'console.txt',
    'win/end': 'end',
    'win/end_': 'end.',
    'win/dots_/x': 'dots. ./x',
    'win/LPT9_/y': 'LPT9/y',
  });
});

test('an archive has a tag that tells its content, and is not served in ranges', async () => {
  await put('tagged/a.txt', 'first');
  const { id } = (await create(['tagged/'])).body.data;
  const ask = (headers: Record<string, string> = {}) =>
    fetch(`${gallery.url}/api/gallery/archives/${id}`, { headers: { cookie: gallery.cookie, ...headers } });
  const first = await ask();
  const etag = first.headers.get('etag') ?? '';
  expect([first.headers.get('accept-ranges'), etag]).toEqual(['none', expect.stringMatching(/^"[^"]+"$/)]);
  await first.arrayBuffer();
  const ranged = await ask({ range: 'bytes=1-2' });
  expect([ranged.status, ranged.headers.get('etag')]).toEqual([200, etag]);
  await ranged.arrayBuffer();
  expect((await ask({ 'if-none-match': etag })).status).toBe(304);
  await put('tagged/a.txt', 'other');
  const other = await ask({ 'if-none-match': etag });
  expect(other.status).toBe(200);
  expect(Object.values(unzipped(Buffer.from(await other.arrayBuffer())))).toEqual(['other']);
});

test('no file in it takes the place of another where case does not count, or of a folder', async () => {
  const keys = ['A.txt', 'a.txt', 'deep/é.txt', 'deep/E\u0301.txt', 'Deep/x.txt', 'f', 'F/a.txt', 'g/', 'G'];
  for (const key of keys) await put(`same/${key}`, key.endsWith('/') ? '' : key);
  expect(await archived('same/')).toEqual({
    'same/A.txt': 'A.txt',
    'same/2 a.txt': 'a.txt',
    'same/Deep/x.txt': 'Deep/x.txt',
    'same/deep/E\u0301.txt': 'deep/E\u0301.txt',
    'same/deep/2 é.txt': 'deep/é.txt',
    'same/F/a.txt': 'F/a.txt',
    'same/2 f': 'f',
    'same/g/': '',
    'same/2 G': 'G',
  });
});

test('nothing at a path, and an archive that is unknown or an hour old, are said before anything is sent', async () => {
  await put('said/a.txt');
  const missing = await create(['said/a.txt', 'said/never.txt']);
  expect([missing.status, missing.body.message]).toEqual([400, expect.stringContaining('"said/never.txt"')]);
  expect((await create([])).status).toBe(400);
  const unknown = await download('00000000-0000-4000-8000-000000000000');
  expect(unknown.response.status).toBe(404);
  const { body } = await create(['said/a.txt']);
  await gallery.database.pool.query(
    "update gallery.archive set created_at = created_at - interval '61 minutes'",
  );
  expect((await download(body.data.id)).response.status).toBe(404);
  const anonymous = await fetch(`${gallery.url}/api/gallery/archives/${body.data.id}`);
  expect(anonymous.status).toBe(401);
});

test('an archive of which a file has changed or cannot be read breaks off, so that it is not taken for complete', async () => {
  await put('breaks/1.bin', Buffer.alloc(3_000_000, 1));
  await put('breaks/2.bin', Buffer.alloc(3_000_000, 2));
  const { body } = await create(['breaks/']);
  proxy.choose = ({ method, path }) =>
    method === 'GET' && path.includes('2.bin') ? 'cut-answer' : undefined;
  await expect(download(body.data.id, service.url)).rejects.toThrow();
  proxy.choose = () => undefined;
  expect(Object.keys(unzipped((await download(body.data.id, service.url)).body))).toHaveLength(2);
  await gallery.s3.send(new DeleteObjectCommand({ Bucket: gallery.bucket, Key: 'breaks/2.bin' }));
  expect(Object.keys(unzipped((await download(body.data.id, service.url)).body))).toHaveLength(1);
});

test('a HEAD of an archive tells its length and reads no file', async () => {
  for (const name of ['1.bin', '2.bin']) await put(`head/${name}`, Buffer.alloc(1_000_000, 7));
  const read: string[] = [];
  proxy.choose = ({ method, path }) => {
    if (method === 'GET' && path.includes('.bin')) read.push(path);
    return undefined;
  };
  const { body } = await create(['head/']);
  const head = await fetch(`${service.url}/api/gallery/archives/${body.data.id}`, {
    method: 'HEAD',
    headers: { cookie: gallery.cookie },
  });
  const { response, body: zip } = await download(body.data.id, service.url);
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(zip.length)]);
  for (const name of ['content-type', 'content-disposition']) {
    expect(head.headers.get(name)).toBe(response.headers.get(name));
  }
  expect(read).toHaveLength(2);
  proxy.choose = () => undefined;
});

test('the store is read only as fast as the archive, and let go when the reader leaves', async () => {
  for (const name of ['1.bin', '2.bin', '3.bin']) await put(`slow/${name}`, Buffer.alloc(20_000_000, 7));
  const read: string[] = [];
  proxy.choose = ({ method, path }) => {
    if (method === 'GET' && path.includes('.bin')) read.push(path);
    return undefined;
  };
  const { body } = await create(['slow/']);
  const asked = get(`${service.url}/api/gallery/archives/${body.data.id}`, {
    headers: { cookie: gallery.cookie },
  });
  const [response] = await once(asked, 'response');
  await until('the first file is read', () => read.length === 1);
  response.destroy();
  // The next archive is whole, and nothing more of this one was read.
  const { body: zip } = await download((await create(['slow/1.bin'])).body.data.id, service.url);
  expect(unzipped(zip)['1.bin']).toHaveLength(20_000_000);
  expect(read.filter((path) => path.includes('3.bin'))).toEqual([]);
  proxy.choose = () => undefined;
});
