import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drawing } from '../../fixtures/drawing.ts';
import { launchBrowser, skipWithout } from '../../support/browser.ts';
import { type RunningGallery, startGallery } from '../../support/gallery.ts';
import { fillLogin, type GalleryPageFixture, galleryPageFixture } from '../../support/gallery-page.ts';
import { removeBucket } from '../../support/s3/objects.ts';

const PICTURES = fileURLToPath(new URL('../../../docs/pictures', import.meta.url));

const WIDTHS = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } } as const;

/** The buckets that the pictures show: the one of the environment, and one that has been added. */
const BUCKETS = ['press-photos', 'archive-2024'] as const;

const KEYS = [
  ...['archive/2024/a.jpg', 'portraits/a.jpg', 'field notes/a.txt', 'video/a.mp4'],
  ...Array.from({ length: 26 }, (_, index) => `coast-${index + 1}.jpg`),
  'interview.mp3',
  'programme.pdf',
];

let gallery: GalleryPageFixture;
let service: RunningGallery;
let browser: Browser | undefined;

beforeAll(async () => {
  browser = await launchBrowser();
  if (browser === undefined) return;
  gallery = await galleryPageFixture();
  const { endpoint, region, accessKeyId, secretAccessKey } = gallery.store;
  for (const Bucket of BUCKETS) await gallery.s3.send(new CreateBucketCommand({ Bucket }));
  const [Bucket, added] = BUCKETS;
  for (const [index, Key] of KEYS.entries()) {
    const isImage = Key.endsWith('.jpg');
    const Body = isImage ? await drawing(index) : Buffer.from(`content of ${Key}`);
    await gallery.s3.send(
      new PutObjectCommand({ Bucket, Key, Body, ...(isImage && { ContentType: 'image/jpeg' }) }),
    );
  }
  service = await startGallery({ ...gallery.settings, S3_BUCKET: Bucket });
  const keys = { accessKeyId, secretAccessKey, forcePathStyle: true };
  await gallery.post('/api/settings/buckets', {
    action: 'save',
    bucket: { name: added, endpoint, region, ...keys },
    setActive: false,
  });
  await mkdir(PICTURES, { recursive: true });
});
skipWithout(() => browser);
afterAll(async () => {
  await browser?.close();
  for (const bucket of BUCKETS) if (gallery) await removeBucket(gallery.s3, bucket);
  await service?.close();
  await gallery?.close();
});

/** The six main screens, each as a person gets there. */
const SCREENS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  grid: async (page) => {
    await page.getByRole('gridcell').first().waitFor();
  },
  table: async (page) => {
    await page.getByRole('button', { name: 'Table' }).click();
    await page.getByRole('columnheader', { name: 'Name' }).waitFor();
  },
  viewer: async (page) => {
    await page.getByRole('link', { name: 'coast-3.jpg' }).click();
    await page.getByRole('img', { name: 'coast-3.jpg' }).waitFor();
  },
  move: async (page) => {
    await page.getByRole('checkbox', { name: 'Select coast-2.jpg' }).check({ force: true });
    await page.getByRole('button', { name: 'Move to…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'portraits' }).waitFor();
  },
  buckets: async (page) => {
    await page.goto(`${service.url}/?screen=buckets`);
    await page.getByText('archive-2024').waitFor();
  },
};

test.each(Object.keys(WIDTHS).flatMap((width) => ['light', 'dark'].map((theme) => [width, theme] as const)))(
  'the main screens, %s and %s',
  async (width, theme) => {
    if (browser === undefined) return;
    const viewport = WIDTHS[width as keyof typeof WIDTHS];
    const colorScheme = theme as 'light' | 'dark';
    const { context, page } = await gallery.visit(browser, { viewport, colorScheme });
    const shoot = async (screen: string) => {
      await expect.poll(() => page.evaluate('[...document.images].every((one) => one.complete)')).toBe(true);
      await page.screenshot({ path: `${PICTURES}/${screen}-${width}-${theme}.png` });
    };
    const media = `${service.url}/desk/media`;
    await page.goto(media);
    await page.getByLabel('Username').waitFor();
    await shoot('login');
    await fillLogin(page);
    for (const [screen, go] of Object.entries(SCREENS)) {
      await page.goto(media);
      await go(page);
      await shoot(screen);
    }
    await context.close();
  },
);
