import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { GetBucketCorsCommand, ListBucketsCommand, PutBucketCorsCommand } from '@aws-sdk/client-s3';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PLACED_HEIC } from '../fixtures/stills.ts';
import { ADMIN, type GalleryFixture, galleryFixture, login, startGallery } from '../support/gallery.ts';
import { send } from '../support/http.ts';
import { put, removeBucket } from '../support/s3/objects.ts';

const CLI = fileURLToPath(new URL('../../services/gallery-admin/src/cli.ts', import.meta.url));

let gallery: GalleryFixture;
let storeSettings: Record<string, string>;
beforeAll(async () => {
  gallery = await galleryFixture();
  const isStore = ([name]: [string, string]) => name.startsWith('S3_');
  storeSettings = Object.fromEntries(Object.entries(gallery.settings).filter(isStore));
});
afterAll(() => gallery.close());

/** Stands before the store, and answers itself what `answers` does. */
async function proxyOfStore(answers: (request: IncomingMessage, response: ServerResponse) => boolean) {
  const { hostname, port } = new URL(gallery.store.endpoint);
  const proxy = createServer((incoming, outgoing) => {
    if (answers(incoming, outgoing)) return;
    const { method, url: path = '', headers } = incoming;
    const forwarded = httpRequest({ host: hostname, port, path, method, headers });
    forwarded.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return { endpoint, close: () => proxy.close() };
}

/** Runs `pnpm gallery …` to its end. */
async function run(args: string[], env: Record<string, string> = {}, input = '') {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [CLI, ...args], { env: { PATH, NODE_COMPILE_CACHE, ...env } });
  child.stdin.end(input);
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { out, errors, code: code as number };
}

describe('gallery hash-password', () => {
  test('prints a hash that the password logs in with', async () => {
    const { out, code } = await run(['hash-password'], {}, `${ADMIN.password}\n`);
    expect({ out, code }).toEqual({
      out: expect.stringMatching(/^\$argon2id\$v=19\$m=65536,t=3,p=4\$\S+\n$/),
      code: 0,
    });
    expect(out).not.toContain(ADMIN.password);
    const service = await startGallery({ ...gallery.settings, ADMIN_PASSWORD_HASH: out.trim() });
    expect(await login(service.url)).toMatch(/^gallery_session=/);
    await service.close();
  });

  test('wants a password', async () => {
    const { errors, out, code } = await run(['hash-password'], {}, '\n');
    expect({ errors, out, code }).toEqual({
      errors: expect.stringMatching(/^the password is empty.*\n$/),
      out: '',
      code: 1,
    });
  });
});

test('gallery hash-password refuses what would be refused as the password', async () => {
  const { errors, out, code } = await run(['hash-password'], {}, 'administrator\n');
  expect([errors, out, code]).toEqual([expect.stringMatching(/^choose a password that is not/), '', 1]);
});

describe('gallery bucket create', () => {
  const rules = async (Bucket: string) =>
    (await gallery.s3.send(new GetBucketCorsCommand({ Bucket }))).CORSRules ?? [];

  test('makes the bucket with one rule that exposes ETag, however often it is run', async () => {
    const S3_BUCKET = `${gallery.bucket.slice(0, 40)}-new`;
    const first = await run(['bucket', 'create'], { ...storeSettings, S3_BUCKET });
    expect(first).toMatchObject({ code: 0, errors: '', out: expect.stringContaining('Created the bucket') });
    const origins = ['--origin', 'https://a.example', '--origin', 'https://b.example'];
    const second = await run(['bucket', 'create', ...origins], { ...storeSettings, S3_BUCKET });
    expect(second).toMatchObject({ code: 0, errors: '', out: expect.stringContaining('already exists') });
    expect(await rules(S3_BUCKET)).toMatchObject([
      {
        AllowedOrigins: ['https://a.example', 'https://b.example'],
        AllowedMethods: expect.arrayContaining(['GET', 'HEAD', 'PUT', 'POST', 'DELETE']),
        ExposeHeaders: ['ETag'],
      },
    ]);
    await removeBucket(gallery.s3, S3_BUCKET);
  });

  test('keeps the rules that are there', async () => {
    const Bucket = gallery.bucket;
    const own = { ID: 'own', AllowedOrigins: ['https://own.example'], AllowedMethods: ['GET'] };
    await gallery.s3.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: [own] } }));
    expect((await run(['bucket', 'create', '--quiet'], storeSettings)).out).toBe('');
    const after = await rules(Bucket);
    expect(after.map(({ ID }) => ID).sort()).toEqual(['own', 'pressroom-uploads']);
    expect(after.find(({ ID }) => ID === 'own')).toMatchObject(own);
  });

  test('says so if the store does not support rules per bucket', async () => {
    const proxy = await proxyOfStore(({ url = '' }, outgoing) => {
      if (!/[?&]cors/.test(url)) return false;
      outgoing.writeHead(501).end('<Error><Code>NotImplemented</Code></Error>');
      return true;
    });
    const { out, errors, code } = await run(['bucket', 'create'], {
      ...storeSettings,
      S3_ENDPOINT: proxy.endpoint,
    });
    proxy.close();
    expect({ errors, code }).toEqual({ errors: '', code: 0 });
    expect(out).toMatch(/CORS rule was not set: .*docs\/gallery\.md/);
  });

  test.each([
    'https://a.example/',
    'a.example',
    'https://a.example/page',
    'ftp://a.example',
    'https://A.example',
    'null',
    '',
  ])('refuses %j, which is not an origin, before anything is made', async (origin) => {
    const S3_BUCKET = `${gallery.bucket.slice(0, 40)}-not`;
    const { out, errors, code } = await run(['bucket', 'create', '--origin', origin], {
      ...storeSettings,
      S3_BUCKET,
    });
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect(errors).toContain('An origin consists of a scheme, a host and a port only, such as https://');
    const { Buckets = [] } = await gallery.s3.send(new ListBucketsCommand({}));
    expect(Buckets.map(({ Name }) => Name)).not.toContain(S3_BUCKET);
  });

  test('says what the store refuses, and does not ask for a request id', async () => {
    const store = createServer((_incoming, outgoing) => {
      outgoing.writeHead(400).end('<Error><Code>InvalidRequest</Code></Error>');
    }).listen(0, '127.0.0.1');
    await once(store, 'listening');
    const S3_ENDPOINT = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
    const { errors, code } = await run(['bucket', 'create'], { ...storeSettings, S3_ENDPOINT });
    store.close();
    expect({ errors, code }).toEqual({
      errors: 'the object store refused the request: InvalidRequest\n',
      code: 1,
    });
  });

  test.each([
    ['a store that is away', { S3_ENDPOINT: 'http://127.0.0.1:9' }, /object store is not answering/],
    ['a wrong secret', { S3_SECRET_ACCESS_KEY: 'wrong' }, /secret key/],
    ['settings that are missing', { S3_BUCKET: '' }, /S3_BUCKET is not set/],
  ])('tells of %s without a stack and without a key', async (_what, more, message) => {
    const { out, errors, code } = await run(['bucket', 'create'], { ...storeSettings, ...more });
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect(errors).toMatch(message);
    expect(errors).not.toMatch(/\n\s+at /);
    expect(errors).not.toContain(gallery.store.secretAccessKey);
  });
});

test('gallery scan-location lists the pictures that name a place, and what cannot be looked into', async () => {
  const plain = sharp({ create: { width: 300, height: 200, channels: 3, background: 'teal' } });
  const gps = { IFD0: { Artist: 'Zoe' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1' } };
  const add = (key: string, bytes: Uint8Array) => put(gallery.s3, gallery.bucket, `scan/${key}`, bytes);
  for (const kind of ['jpeg', 'png', 'webp'] as const) {
    await add(`clean.${kind}`, await plain.clone().toFormat(kind).toBuffer());
    await add(`placed.${kind}`, await plain.clone().withExif(gps).toFormat(kind).toBuffer());
  }
  await add('placed.heic', PLACED_HEIC);
  await add('video.mp4', Buffer.from('\0\0\0\x18ftypmp42'));
  await add('empty.jpg', Buffer.alloc(0));
  await add('notes.txt', Buffer.from('no picture'));
  const { out, errors, code } = await run(['scan-location', 'scan/'], storeSettings);
  expect([errors, code]).toEqual(['', 0]);
  const lines = out.trim().split('\n');
  expect(lines.pop()).toBe('4 of 9 pictures and videos name a place; of 2 it is unknown.');
  const found = ['heic', 'jpeg', 'png', 'webp'].map((kind) => `EXIF\t"scan/placed.${kind}"`);
  const unknown = ['empty.jpg', 'video.mp4'].map(
    (name) => `unknown\t"scan/${name}"\tit is no JPEG, PNG, WebP, HEIC or AVIF`,
  );
  expect(lines.sort()).toEqual([...found, ...unknown]);
});

test('gallery scan-location goes on after a file whose bytes break off', async () => {
  for (const name of ['broken', 'placed'])
    await put(gallery.s3, gallery.bucket, `breaks/${name}.heic`, PLACED_HEIC);
  const proxy = await proxyOfStore(({ url = '' }, outgoing) => {
    if (!url.includes('/broken.heic')) return false;
    const etag = `"${createHash('md5').update(PLACED_HEIC).digest('hex')}"`;
    const validators = { etag, 'last-modified': new Date(0).toUTCString() };
    outgoing.writeHead(206, { 'content-length': PLACED_HEIC.length, ...validators });
    outgoing.write(PLACED_HEIC.subarray(0, 100), () => outgoing.destroy());
    return true;
  });
  const settings = { ...storeSettings, S3_ENDPOINT: proxy.endpoint };
  const { out, errors, code } = await run(['scan-location', 'breaks/'], settings);
  proxy.close();
  expect([errors, code]).toEqual(['', 0]);
  expect(out.trim().split('\n').sort()).toEqual([
    '1 of 2 pictures and videos name a place; of 1 it is unknown.',
    'EXIF\t"breaks/placed.heic"',
    'unknown\t"breaks/broken.heic"\tit could not be read',
  ]);
});

describe('gallery users', () => {
  const users = (...args: string[]) =>
    run(['users', ...args], { DATABASE_URL: gallery.settings.DATABASE_URL ?? '' });

  test('invite somebody, who logs in, gets another role and a new link, and is removed', async () => {
    const invited = await users('invite', 'Wanda@example.org', 'Wanda Pen', '--role', 'editor');
    expect(invited).toMatchObject({ code: 0, errors: '' });
    const tokenIn = (out: string) => /^\/desk\/invitation#(\S{43})$/m.exec(out)?.[1];
    const accept = (token = '') =>
      send(`${gallery.url}/api/invitation/accept`, {
        method: 'POST',
        json: { token, password: 'a password that nobody guesses' },
      });
    expect((await accept(tokenIn(invited.out))).status).toBe(200);
    expect((await users('list')).out).toBe('wanda@example.org\tWanda Pen\teditor\tactive\n');
    expect((await users('remove-factors', 'wanda@example.org')).code).toBe(0);
    expect((await users('role', 'wanda@example.org', 'reader')).code).toBe(0);
    expect((await accept(tokenIn((await users('link', 'wanda@example.org')).out))).status).toBe(200);
    const again = await users('invite', 'wanda@example.org', 'Another');
    expect(again).toMatchObject({ code: 1, errors: 'another person has this e-mail address\n' });
    expect((await users('invite', 'nothing', 'A')).errors).toBe('must be an e-mail address\n');
    expect((await users('remove', 'wanda@example.org')).code).toBe(0);
    expect((await users('remove', 'wanda@example.org')).errors).toContain('nobody has the e-mail address');
  });
});
