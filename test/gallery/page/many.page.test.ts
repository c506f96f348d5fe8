import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, skipWithout } from '../../support/browser.ts';
import { type GalleryPageFixture, galleryPageFixture } from '../../support/gallery-page.ts';
import { listAll, putAll } from '../../support/s3/objects.ts';

const COUNT = 20_000;

let gallery: GalleryPageFixture;
let browser: Browser | undefined;

beforeAll(async () => {
  browser = await launchBrowser();
  if (browser === undefined) return;
  gallery = await galleryPageFixture();
  const keys = Array.from({ length: COUNT }, (_, index) => `many/${index}.txt`);
  await putAll(gallery.s3, gallery.bucket, keys);
});
skipWithout(() => browser);
afterAll(async () => {
  await browser?.close();
  await gallery?.close();
});

test('20,000 objects are scrolled through, sorted, filtered, selected and deleted', async () => {
  if (browser === undefined) return;
  const { context, page, complaints, open } = await gallery.visit(browser);
  page.setDefaultTimeout(240_000);
  const link = (name: string) => page.getByRole('grid').getByRole('link', { name, exact: true });
  await open('?path=many%2F&view=table');
  await page.getByText(/^[\d,]+ files so far$/).waitFor();
  await page.getByRole('button', { name: 'Load all' }).click();
  await page.getByText('20,000 files').waitFor();
  // Only what can be seen is in the document.
  expect(await page.getByRole('row').count()).toBeLessThan(60);
  await link('0.txt').focus();
  await page.keyboard.press('End');
  await link('19999.txt').waitFor();
  await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
  await page.keyboard.press('Home');
  await page.getByRole('searchbox').fill('1999');
  await page.getByText('12 of 20,000 match').waitFor();
  await page.getByRole('searchbox').fill('');
  await link('19998.txt').click({ modifiers: ['Control'] });
  await page.keyboard.press('Control+a');
  await page.getByText('20,000 selected').waitFor();
  await page.keyboard.press('Delete');
  const question = page.getByRole('dialog', { name: 'Delete 20,000 files?' });
  await question.getByLabel('For good').check();
  await question.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted 20,000 files').waitFor();
  await page.getByText('Nothing here yet').waitFor();
  expect((await listAll(gallery.s3, { Bucket: gallery.bucket, Prefix: 'many/' })).keys).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test('more objects than one request holds are selected, moved and deleted', async () => {
  if (browser === undefined) return;
  const { context, page, open } = await gallery.visit(browser);
  page.setDefaultTimeout(240_000);
  const link = (name: string) => page.getByRole('grid').getByRole('link', { name, exact: true });
  const activity = page.getByRole('region', { name: 'Activity' });
  const files = Array.from({ length: 1203 }, (_, index) => `more/${index}.txt`);
  await putAll(gallery.s3, gallery.bucket, [...files, 'more/to/x.txt']);
  await open('?path=more%2F&view=table');
  await link('0.txt').click({ modifiers: ['Control'] });
  await page.keyboard.press('Control+a');
  await page.getByText('1,204 selected').waitFor();
  await link('to').click({ modifiers: ['Control'] });
  await page.getByRole('button', { name: 'Move to…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move 1,203 files to' });
  await dialog.getByRole('button', { name: 'to', exact: true }).click();
  await dialog.getByRole('button', { name: 'Move here' }).click();
  await activity.getByText('Moved 1,203 files to more/to').waitFor();
  await page.getByText('1 file', { exact: true }).waitFor();
  await link('to').click({ modifiers: ['Control'] });
  await page.keyboard.press('Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await activity.getByText('Deleted 1,204 files').waitFor();
  expect((await listAll(gallery.s3, { Bucket: gallery.bucket, Prefix: 'more/' })).keys).toEqual([]);
  await context.close();
});
