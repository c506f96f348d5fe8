import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, skipWithout } from '../../support/browser.ts';
import { type GalleryPageFixture, galleryPageFixture } from '../../support/gallery-page.ts';

/** Where the pictures of docs/gallery-page.md are. */
const PICTURES = fileURLToPath(new URL('../../../docs/pictures', import.meta.url));

const WIDTHS = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } } as const;

let gallery: GalleryPageFixture;
let browser: Browser | undefined;

beforeAll(async () => {
  browser = await launchBrowser();
  if (browser === undefined) return;
  gallery = await galleryPageFixture();
  await gallery.put(
    ...['archive/2024/a.jpg', 'portraits/a.jpg', 'field notes/a.txt', 'video/a.mp4'],
    ...Array.from({ length: 26 }, (_, index) => `coast-${index + 1}.jpg`),
    'interview.mp3',
    'programme.pdf',
  );
  await mkdir(PICTURES, { recursive: true });
});
skipWithout(() => browser);
afterAll(async () => {
  await browser?.close();
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
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitem', { name: 'Buckets' }).click();
    await page.getByRole('heading', { name: 'Buckets' }).waitFor();
  },
};

test.each(Object.keys(WIDTHS).flatMap((width) => ['light', 'dark'].map((theme) => [width, theme] as const)))(
  'the main screens, %s and %s',
  async (width, theme) => {
    if (browser === undefined) return;
    const viewport = WIDTHS[width as keyof typeof WIDTHS];
    const colorScheme = theme as 'light' | 'dark';
    const { context, page, open } = await gallery.visit(browser, { viewport, colorScheme });
    const shoot = async (screen: string) => {
      await expect.poll(() => page.evaluate('[...document.images].every((one) => one.complete)')).toBe(true);
      await page.screenshot({ path: `${PICTURES}/${screen}-${width}-${theme}.png` });
    };
    await open('', false);
    await page.getByLabel('Username').waitFor();
    await shoot('login');
    await open();
    for (const [screen, go] of Object.entries(SCREENS)) {
      await page.goto(gallery.url);
      await go(page);
      await shoot(screen);
    }
    await context.close();
  },
);
