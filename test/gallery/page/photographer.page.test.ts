import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drawing } from '../../fixtures/drawing.ts';
import { skipWithout } from '../../support/browser.ts';
import { type GalleryWindow, openGalleryWindow } from '../../support/gallery-window.ts';

const COUNT = 50;

let window: GalleryWindow;
let folder: string;

beforeAll(async () => {
  const opened = await openGalleryWindow();
  if (opened === undefined) return;
  window = opened;
  folder = await mkdtemp(join(tmpdir(), 'page-photographer-'));
});
skipWithout(() => window?.browser);
afterAll(async () => {
  expect((await window?.close()) ?? []).toEqual([]);
  if (folder) await rm(folder, { recursive: true, force: true });
});

test('a photographer uploads a series, sorts it into folders, changes her mind, and shows it', async () => {
  const { page } = window;
  const activity = page.getByRole('region', { name: 'Activity' });
  const files: string[] = [];
  for (let index = 1; index <= COUNT; index += 1) {
    const file = join(folder, `DSC_${String(index).padStart(4, '0')}.jpg`);
    await writeFile(file, await drawing(index));
    files.push(file);
  }
  await window.go('wedding/', '');
  await page.getByText('Nothing here yet').waitFor();
  await page.locator('[data-upload="files"]').setInputFiles(files);
  await page.getByText(`${COUNT} files uploaded`).waitFor();
  await page.getByText(`${COUNT} entries`, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).click();

  // The portraits go into a folder, by hand.
  await page.getByRole('button', { name: 'New folder' }).click();
  await page.getByLabel('Name of the new folder').fill('Portraits');
  await page.getByRole('button', { name: 'Create' }).click();
  await window.link('Portraits').waitFor();
  await window.link('DSC_0003.jpg').click({ modifiers: ['Control'] });
  await window.link('DSC_0012.jpg').click({ modifiers: ['Shift'] });
  await page.getByText('10 selected').waitFor();
  await page
    .getByRole('gridcell')
    .filter({ has: page.getByRole('link', { name: 'DSC_0005.jpg' }) })
    .dragTo(page.getByRole('gridcell').filter({ has: page.getByRole('link', { name: 'Portraits' }) }));
  await activity.getByText('Moved 10 objects to wedding/Portraits').waitFor();
  await page.getByText(`${COUNT - 9} entries`, { exact: true }).waitFor();

  // No: they stay.
  await activity.getByRole('button', { name: 'Undo' }).click();
  await activity.getByText('Put 10 objects back').waitFor();
  await page.getByText(`${COUNT + 1} entries`, { exact: true }).waitFor();

  // The best one is found, renamed and looked at.
  await page.getByRole('searchbox').fill('0042');
  await expect.poll(() => window.names()).toEqual(['DSC_0042.jpg']);
  await window.link('DSC_0042.jpg').focus();
  await page.keyboard.press('F2');
  await page.getByLabel('New name').fill('The kiss.jpg');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await activity.getByText('Renamed “DSC_0042.jpg” to “The kiss.jpg”').waitFor();
  await page.getByRole('searchbox').fill('kiss');
  await window.link('The kiss.jpg').click();
  await page.getByRole('img', { name: 'The kiss.jpg' }).waitFor();
  await page.getByText('640 × 480').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox').fill('');

  // A second upload of one of them is kept next to the first.
  await page.locator('[data-upload="files"]').setInputFiles(files.slice(0, 1));
  await page.getByRole('dialog').getByRole('button', { name: 'Keep both' }).click();
  await window.link('DSC_0001 (2).jpg').waitFor();
  expect(await window.keys('wedding/')).toHaveLength(COUNT + 2);
});
