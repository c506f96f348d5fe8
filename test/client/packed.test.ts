import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { readVocabulary } from '@pressroom/news-feed/config';
import { addSample } from '@pressroom/news-feed/editing/sample';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { ADMIN, type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../support/news-feed.ts';

const ROOT = join(import.meta.dirname, '../..');
const PACKAGE = join(ROOT, 'packages/client');
const run = promisify(execFile);

let home: string;
let archive: string;
let content: ContentFixture;
let feed: NewsFeedFixture;
let gallery: GalleryFixture;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'pressroom-client-'));
  await run(join(ROOT, 'node_modules/.bin/pnpm'), ['pack', '--pack-destination', home], { cwd: PACKAGE });
  const [name = ''] = (await readdir(home)).filter((file) => file.endsWith('.tgz'));
  archive = join(home, name);
  [content, feed, gallery] = await Promise.all([
    contentFixture(),
    newsFeedFixture(),
    galleryFixture({ MEDIA_PUBLIC: 'public/' }),
  ]);
  const picture = { create: { width: 500, height: 250, channels: 3, background: '#246' } } as const;
  await gallery.s3.send(
    new PutObjectCommand({
      Bucket: gallery.bucket,
      Key: 'public/pier.jpg',
      Body: await sharp(picture).jpeg().toBuffer(),
      ContentType: 'image/jpeg',
    }),
  );
  const vocabulary = readVocabulary({ NEWS_CATEGORIES: 'technology' });
  await addSample(feed.db, vocabulary, new Date());
});
afterAll(async () => {
  await Promise.all([content, feed, gallery].map((fixture) => fixture?.close()));
  await rm(home, { recursive: true });
});

function tool(name: string, ...args: string[]) {
  return run(join(PACKAGE, 'node_modules/.bin', name), args, { cwd: PACKAGE });
}

test('the packed form pleases publint and attw', async () => {
  await tool('publint', 'run', archive, '--strict');
  await tool('attw', archive, '--profile', 'esm-only');
});

test('the programs of its README run as printed, on the packed form', async () => {
  const installed = join(home, 'node_modules/@pressroom/client');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', archive, '-C', installed, '--strip-components=1']);
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  expect([manifest.dependencies, manifest.exports['.'].default]).toEqual([
    { standardwebhooks: expect.any(String) },
    './dist/index.js',
  ]);

  const page = await readFile(join(installed, 'README.md'), 'utf8');
  const programs = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, program]) => program ?? '');
  const urls: Readonly<Record<string, string>> = {
    'http://127.0.0.1:4001': feed.url,
    'http://127.0.0.1:4002': gallery.url,
    'http://127.0.0.1:4003': content.url,
  };
  const printed: string[] = [];
  for (const [index, program] of programs.entries()) {
    const file = join(home, `program-${index}.mjs`);
    await writeFile(
      file,
      program
        // In one pass: the port of one of them may begin with that of another.
        .replace(/http:\/\/127\.0\.0\.1:400[123]\b/g, (url) => urls[url] ?? url)
        .replace("username: 'admin'", `username: '${ADMIN.username}'`),
    );
    const env = { ...process.env, GALLERY_PASSWORD: ADMIN.password };
    printed.push((await run(process.execPath, [file], { cwd: home, env })).stdout.trim());
  }
  expect(printed).toEqual([
    '0\n404 article 999999 does not exist',
    '12',
    '404',
    '[] [] []',
    '0',
    expect.stringMatching(/^200 304 \d+$/),
    '1 true',
    '1',
    'notes/hello.txt',
    expect.stringMatching(
      /^500 250 http.*\/pier\.jpg\?w=384&h=216&fit=cover&format=webp\nhttp.*\/pier\.jpg\?w=64 64w, .* 500w$/,
    ),
  ]);
});
