import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPlaces } from '@pressroom/pictures/find-places';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drawing } from '../../fixtures/drawing.ts';
import { cameraRaw, HEIC_10_BITS, PLACED_HEIC } from '../../fixtures/stills.ts';
import { skipWithout } from '../../support/browser.ts';
import { type GalleryWindow, openGalleryWindow } from '../../support/gallery-window.ts';

const COUNT = 200;

/** On a busy machine. */
const TAKES_LONG = { timeout: 240_000 };

/** The paths of the pictures in the document, once all of their thumbnails are drawn. */
const DRAWN = `(() => {
  const all = [...document.querySelectorAll('[data-path] img')];
  const isDrawn = (one) => one.complete && one.naturalWidth > 1 && one.naturalWidth !== 481;
  return all.every(isDrawn) ? all.map((one) => one.closest('[data-path]').dataset.path) : [];
})()`;

/** Files from which nothing can be removed, so that a person decides about them. */
const UNKNOWN = ['DSC_9001.NEF', 'Scan.tif'];

/** Metadata as a phone or a camera writes it. */
const EXIF = {
  IFD0: { Artist: 'Zoe Photographer', Copyright: 'The Agency' },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1' },
};

let window: GalleryWindow;
let folder: string;

beforeAll(async () => {
  const opened = await openGalleryWindow({ MEDIA_PUBLIC: 'public/' });
  if (opened === undefined) return;
  window = opened;
  folder = await mkdtemp(join(tmpdir(), 'page-photographer-'));
});
skipWithout(() => window?.browser);
afterAll(async () => {
  expect((await window?.close()) ?? []).toEqual([]);
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Pictures with the other metadata that phones, cameras and programs write. */
async function others(): Promise<Record<string, Buffer>> {
  const picture = () =>
    sharp({ create: { width: 300, height: 200, channels: 3, background: '#c63' } }).withExif(EXIF);
  return {
    'IMG_0001.HEIC': PLACED_HEIC,
    'IMG_0002.HEIF': HEIC_10_BITS,
    'IMG_0003.avif': await picture().avif().toBuffer(),
    'Screen.png': await picture().png().toBuffer(),
    'Edited.webp': await picture().webp().toBuffer(),
    'DSC_9001.NEF': cameraRaw([await picture().jpeg().toBuffer()], 1),
    'Scan.tif': await picture().tiff().toBuffer(),
  };
}

test('a photographer uploads a series, sorts it into folders, changes her mind, and shows it', async () => {
  const { page } = window;
  const activity = page.getByRole('region', { name: 'Activity' });
  const files: string[] = [];
  for (const [name, bytes] of Object.entries(await others())) {
    files.push(join(folder, name));
    await writeFile(join(folder, name), bytes);
  }
  for (let index = 1; files.length < COUNT; index += 1) {
    const file = join(folder, `DSC_${String(index).padStart(4, '0')}.jpg`);
    await writeFile(
      file,
      await sharp(await drawing(index))
        .resize(1000)
        .withExif(EXIF)
        .jpeg()
        .toBuffer(),
    );
    files.push(file);
  }
  await window.go('wedding/', '');
  await page.getByText('Nothing here yet').waitFor();
  await page.locator('[data-upload="files"]').setInputFiles(files);
  const question = page.getByRole('dialog', {
    name: `${UNKNOWN.length} files may reveal where they were made`,
  });
  for (const name of UNKNOWN) await question.getByText(name).waitFor();
  await question.getByRole('button', { name: 'Upload unchanged' }).click();
  await page.getByText(`${COUNT} files uploaded`).waitFor();
  await page.getByText(`${COUNT} files`, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).click();

  // Every one of them can be seen.
  await window.go('wedding/', '&view=grid');
  await page.mouse.move(550, 500);
  const seen = new Set<string>();
  await expect
    .poll(async () => {
      const drawn = await page.evaluate<string[]>(DRAWN);
      for (const path of drawn) seen.add(path);
      // Down to the last one, and up again past what was scrolled over.
      if (drawn.length > 0) await page.mouse.wheel(0, seen.has('wedding/Screen.png') ? -400 : 400);
      return seen.size;
    }, TAKES_LONG)
    .toBe(COUNT);
  await window.go('wedding/');

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
  await activity.getByText('Moved 10 files to wedding/Portraits').waitFor();
  await page.getByText(`${COUNT - 9} files`, { exact: true }).waitFor();

  // No: they stay.
  await activity.getByRole('button', { name: 'Undo' }).click();
  await activity.getByText('Put 10 files back').waitFor();
  await page.getByText(`${COUNT + 1} files`, { exact: true }).waitFor();

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
  await page.getByText('1000 × 750').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox').fill('');

  // A second upload of one of them is kept next to the first.
  await page.locator('[data-upload="files"]').setInputFiles(join(folder, 'DSC_0001.jpg'));
  await page.getByRole('dialog').getByRole('button', { name: 'Keep both' }).click();
  await window.link('DSC_0001 (2).jpg').waitFor();
  expect(await window.keys('wedding/')).toHaveLength(COUNT + 2);

  // One is deleted by mistake, and found missing only later.
  await window.choose('DSC_0007.jpg');
  await page.keyboard.press('Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await activity.getByText('Deleted 1 file').waitFor();
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('menuitem', { name: 'Trash' }).click();
  await window.choose('DSC_0007.jpg');
  await page.getByRole('button', { name: 'Restore' }).click();
  await activity.getByText('Restored 1 file').waitFor();
  expect(await window.exists('wedding/DSC_0007.jpg')).toBe(true);

  // The best ones are published, and a site shows them in three sizes, without their places.
  await window.gallery.post('/api/gallery/folder', { path: 'public/' });
  await window.visit.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  for (const name of ['The kiss.jpg', 'IMG_0001.HEIC', 'DSC_9001.NEF']) {
    await window.go('wedding/', `&filter=${encodeURIComponent(name)}&view=table`);
    await window.choose(name);
    await page.getByRole('button', { name: 'Copy to…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'All files' }).click();
    await dialog.getByRole('button', { name: 'public', exact: true }).click();
    await dialog.getByRole('button', { name: 'Copy here' }).click();
    await expect.poll(() => window.exists(`public/${name}`)).toBe(true);
    await window.go('public/');
    await window.link(name).click();
    await page.getByRole('button', { name: 'Copy link', exact: true }).click();
    const link = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(new URL(link).pathname).toMatch(/^\/media\/v[0-9a-f]{12}\/public\//);
    expect(decodeURIComponent(link)).toContain(`/public/${name}`);
    if (name === 'IMG_0001.HEIC') {
      await page.getByRole('button', { name: 'Copy <img>', exact: true }).click();
      const tag = String(await page.evaluate('navigator.clipboard.readText()'));
      expect(tag).toContain(`src="${link}?w=1920"`);
    }
    // Raw files cannot be cleaned: readers get what is drawn of them.
    const original = name.endsWith('.NEF') ? [] : [''];
    for (const query of [...original, '?w=256', '?w=640', '?w=1080']) {
      const answer = await fetch(`${link}${query}`, { headers: { accept: 'image/webp' } });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      expect([link, query, answer.status, await placesIn(bytes)]).toEqual([link, query, 200, []]);
      // The original that the page has cleaned is what it was.
      if (name === 'IMG_0001.HEIC' && query === '') continue;
      const { width, exif, xmp } = await sharp(bytes).metadata();
      const own = { 'The kiss.jpg': 1000, 'IMG_0001.HEIC': 120, 'DSC_9001.NEF': 300 }[name];
      expect([query, width]).toEqual([query, Math.min(own ?? 0, Number(query.slice(3)) || 1000)]);
      expect(`${exif}${xmp}`).toContain('Zoe Photographer');
    }
  }
});

function placesIn(bytes: Uint8Array<ArrayBuffer>) {
  return findPlaces(async (from, length) => bytes.slice(from, from + length), bytes.length);
}
