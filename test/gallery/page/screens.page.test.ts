import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, skipWithout } from '../../support/browser.ts';
import { type GalleryPageFixture, galleryPageFixture } from '../../support/gallery-page.ts';
import { faultsOfScreens } from '../../support/gallery-screens.ts';

let gallery: GalleryPageFixture;
let browser: Browser | undefined;

beforeAll(async () => {
  browser = await launchBrowser();
  if (browser === undefined) return;
  gallery = await galleryPageFixture();
});
skipWithout(() => browser);
afterAll(async () => {
  await browser?.close();
  await gallery?.close();
});

// `screens.test.ts` has the other two.
test.each([
  ['dark', 360],
  ['light', 2560],
  ['light', 800],
] as const)('no screen has a fault: %s, %i px wide', async (colorScheme, width) => {
  if (browser === undefined) return;
  const viewport = { width, height: 800 };
  expect(await faultsOfScreens(gallery, browser, { colorScheme, viewport })).toEqual([]);
});
