import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { GetObjectCommand, ListObjectsV2Command, ListPartsCommand } from '@aws-sdk/client-s3';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, skipWithout } from '../support/browser.ts';
import { ADMIN, type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { type PageServer, servePage } from './browser/page-server.ts';
import type { PageResult, PageUpload } from './browser/page-upload.ts';
import { sampleBytes } from './browser/sample-bytes.ts';

const CLI = fileURLToPath(new URL('../../services/gallery-admin/src/cli.ts', import.meta.url));

let gallery: GalleryFixture;
let site: PageServer;
let browser: Browser | undefined;
let page: Page;

beforeAll(async () => {
  browser = await launchBrowser();
  if (browser === undefined) return;
  gallery = await galleryFixture();
  site = await servePage(() => gallery.url);
  const args = [CLI, 'bucket', 'create', '--origin', site.origin];
  await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...gallery.settings } });
  page = await browser.newPage();
  // Without a network besides loopback, the browser believes itself offline, and Uppy waits.
  await page.addInitScript('Object.defineProperty(navigator, "onLine", { value: true })');
  await page.goto(site.origin);
  await page.evaluate(`post('/api/login', ${JSON.stringify(ADMIN)})`);
});
skipWithout(() => browser);
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await gallery?.close();
});

function upload(what: PageUpload): Promise<PageResult> {
  return page.evaluate(`upload(${JSON.stringify(what)})`);
}

async function expectStored(key: string, size: number): Promise<void> {
  const command = new GetObjectCommand({ Bucket: gallery.bucket, Key: key });
  const { Body, ContentType } = await gallery.s3.send(command);
  expect(ContentType).toBe('video/mp4');
  const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
  expect(bytes.equals(sampleBytes(size, size))).toBe(true);
}

function expectParts({ actions }: PageResult, parts: number): void {
  expect(actions.at(0)).toBe('create');
  expect(actions.filter((action) => action === 'sign-part').length).toBe(parts);
  expect(actions.at(-1)).toBe('complete');
}

const MB = 1_000_000;

describe('a page with Uppy 6, of another origin than the store', () => {
  test('uploads a small file with one PUT', async () => {
    const result = await upload({ name: 'clip “one” +1.mp4', folder: 'Видео/new', size: 300_000 });
    expect(result).toEqual({ successful: 1, failed: [], actions: [], keys: ['Видео/new/clip “one” +1.mp4'] });
    await expectStored(result.keys[0] ?? '', 300_000);
  });

  test('uploads 40 MB in parts', async () => {
    const result = await upload({ name: 'film.mp4', folder: 'films', size: 40 * MB });
    expect(result).toMatchObject({ successful: 1, failed: [], keys: ['films/film.mp4'] });
    expectParts(result, 8);
    await expectStored('films/film.mp4', 40 * MB);
  });

  test('pauses in the middle and resumes with what has arrived', async () => {
    const result = await upload({
      name: 'paused.mp4',
      folder: 'films',
      size: 40 * MB,
      afterFirstPart: 'pause and resume',
    });
    expect(result).toMatchObject({ successful: 1, failed: [] });
    expect(result.actions).toContain('list-parts');
    expect(result.actions.indexOf('list-parts')).toBeGreaterThan(result.actions.indexOf('resumed'));
    await expectStored('films/paused.mp4', 40 * MB);
  });

  test('gives an upload up, and nothing of it stays', async () => {
    const result = await upload({
      name: 'cancelled.mp4',
      folder: 'films',
      size: 40 * MB,
      afterFirstPart: 'cancel',
    });
    expect(result).toMatchObject({ successful: 0, keys: ['films/cancelled.mp4'] });
    expect(result.actions).not.toContain('complete');
    const Bucket = gallery.bucket;
    const target = { Bucket, Key: 'films/cancelled.mp4', UploadId: result.uploadId };
    await expect
      .poll(async () => {
        const listed = gallery.s3.send(new ListPartsCommand(target));
        return listed.then(
          () => 'open',
          ({ $metadata }) => $metadata.httpStatusCode,
        );
      })
      .toBe(404);
    const listed = await gallery.s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'films/cancelled' }));
    expect(listed.KeyCount).toBe(0);
  });
});

test('a page with Uppy 5 uploads 40 MB in parts', async () => {
  await page.goto(`${site.origin}/uppy5`);
  const result = await upload({ name: 'film5.mp4', folder: 'films', size: 40 * MB });
  expect(result).toMatchObject({ successful: 1, failed: [], keys: ['films/film5.mp4'] });
  expectParts(result, 8);
  await expectStored('films/film5.mp4', 40 * MB);
});

test('the cookie is out of reach for scripts', async () => {
  expect(await page.evaluate('document.cookie')).toBe('');
  const asked = { filename: 'x', path: '', contentType: 'text/plain' };
  expect(
    await page.evaluate(`post('/api/upload', ${JSON.stringify(asked)}).then(({ success }) => success)`),
  ).toBe(true);
});
