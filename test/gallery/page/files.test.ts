import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { findPlaces } from '@pressroom/pictures/find-places';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PLACED_HEIC } from '../../fixtures/stills.ts';
import { launchBrowser, skipWithout } from '../../support/browser.ts';
import {
  fillLogin,
  type GalleryPageFixture,
  galleryPageFixture,
  type Visit,
} from '../../support/gallery-page.ts';
import { readBytes } from '../../support/s3/objects.ts';

let gallery: GalleryPageFixture;
let browser: Browser | undefined;
let visit: Visit;
let page: Page;

beforeAll(async () => {
  browser = await launchBrowser();
  if (browser === undefined) return;
  gallery = await galleryPageFixture({ MEDIA_PUBLIC: 'public/' });
  visit = await gallery.visit(browser, { viewport: { width: 1100, height: 760 } });
  page = visit.page;
  await visit.open();
});
skipWithout(() => browser);
beforeEach(() => {
  // A test that hangs says where within the time of one step.
  page.setDefaultTimeout(30_000);
});
afterAll(async () => {
  expect(visit?.complaints).toEqual([]);
  await browser?.close();
  await gallery?.close();
});

const link = (name: string) => page.getByRole('grid').getByRole('link', { name, exact: true });
const go = (folder: string, more = '') =>
  page.goto(`${gallery.url}/?path=${encodeURIComponent(folder)}${more}`);
const names = () => page.getByRole('grid').getByRole('link').allTextContents();

async function exists(key: string): Promise<boolean> {
  const command = new HeadObjectCommand({ Bucket: gallery.bucket, Key: key });
  return gallery.s3.send(command).then(
    () => true,
    () => false,
  );
}

async function content(key: string): Promise<string | undefined> {
  const { Body } = await gallery.s3.send(new GetObjectCommand({ Bucket: gallery.bucket, Key: key }));
  return Body?.transformToString();
}

/** A WAV file of silence: 8,000 samples of a byte each second. */
function silence(seconds: number): Buffer {
  const samples = Buffer.alloc(8000 * seconds, 128);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

function upload(name: string, text: string): Promise<void> {
  const file = { name, mimeType: 'text/plain', buffer: Buffer.from(text) };
  return page.locator('[data-upload="files"]').setInputFiles(file);
}

describe('a folder', () => {
  beforeAll(async () => {
    await gallery?.put('see/b/x.txt', 'see/a10.txt', 'see/a2.txt', 'see/photo.jpg', 'see/b/deep.txt');
  });

  test('shows folders first, then files in natural order, with thumbnails', async () => {
    await go('see/', '&view=table');
    await link('b').waitFor();
    expect(await names()).toEqual(['b', 'a2.txt', 'a10.txt', 'photo.jpg']);
    await page.getByRole('button', { name: 'Grid' }).click();
    await expect
      .poll(() => page.evaluate('document.querySelector(".card img")?.naturalWidth ?? 0'))
      .toBeGreaterThan(100);
  });

  test('is sorted by a column, and the address says so', async () => {
    await go('see/', '&view=table');
    await page.getByRole('columnheader', { name: 'Size' }).getByRole('button').click();
    await page.getByRole('columnheader', { name: 'Size' }).getByRole('button').click();
    await expect.poll(names).toEqual(['b', 'photo.jpg', 'a10.txt', 'a2.txt']);
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-size');
    await page.reload();
    await expect.poll(names).toEqual(['b', 'photo.jpg', 'a10.txt', 'a2.txt']);
  });

  test('opens by its link; back and forward of the browser work', async () => {
    await go('see/');
    await link('b').click();
    await link('deep.txt').waitFor();
    await page.goBack();
    await link('a2.txt').waitFor();
    await page.goForward();
    await link('deep.txt').waitFor();
    await page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'see' }).click();
    await link('a2.txt').waitFor();
  });

  test('is filtered by name, and searched with its subfolders', async () => {
    await go('see/', '&view=table');
    await page.getByRole('searchbox').fill('A10');
    await expect.poll(names).toEqual(['a10.txt']);
    await page.getByRole('searchbox').fill('deep');
    await page.getByText('No name matches').waitFor();
    await page.getByRole('checkbox', { name: 'Include subfolders' }).check();
    await expect.poll(names).toEqual(['deep.txt']);
    await page.getByText(/\d files searched/).waitFor();
  });

  test('is walked with the arrows, and Space and Shift select', async () => {
    await go('see/', '&view=table');
    await link('b').focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('a2.txt');
    await page.keyboard.press('Space');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox').waitFor();
  });

  test('is selected from with Ctrl, Shift and a marquee', async () => {
    await go('see/', '&view=table');
    await link('a2.txt').click({ modifiers: ['Control'] });
    await link('photo.jpg').click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Grid' }).click();
    const box = await page.getByRole('gridcell').last().boundingBox();
    if (box === null) throw new Error('the last card is not there');
    await page.mouse.move(box.x + box.width + 60, box.y + box.height + 60);
    await page.mouse.down();
    await page.mouse.move(box.x - 20, box.y + 20, { steps: 6 });
    await page.mouse.up();
    await page.getByText(/[23] selected/).waitFor();
  });
});

describe('the viewer', () => {
  beforeAll(() => gallery?.put('look/1.jpg', 'look/2.jpg', 'look/notes.txt'));

  test('opens by link, steps with the arrows, shows what is known, and closes', async () => {
    await page.goto(`${gallery.url}/?file=${encodeURIComponent('look/1.jpg')}`);
    await page.getByRole('img', { name: '1.jpg' }).waitFor();
    await page.getByText('640 × 480').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('img', { name: '2.jpg' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('textbox', { name: 'notes.txt' }).waitFor();
    expect(new URL(page.url()).searchParams.get('file')).toBe('look/notes.txt');
    await page.keyboard.press('Escape');
    await link('notes.txt').waitFor();
  });

  test('copies what an article needs', async () => {
    await visit.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await gallery.put('public/1.jpg');
    await page.goto(`${gallery.url}/?file=${encodeURIComponent('public/1.jpg')}`);
    await page.getByRole('button', { name: 'Copy Markdown' }).click();
    const copied = async () => String(await page.evaluate('navigator.clipboard.readText()'));
    await expect.poll(copied).toMatch(/^!\[1\.jpg\]\(.*\/media\/v[0-9a-f]{12}\/public\/1\.jpg\)$/);
    await page.getByRole('button', { name: 'Close' }).click();
  });

  test('plays audio, and steps on when a file is deleted', async () => {
    await gallery.s3.send(
      new PutObjectCommand({
        Bucket: gallery.bucket,
        Key: 'play/a.wav',
        Body: silence(2),
        ContentType: 'audio/wav',
      }),
    );
    await gallery.put('play/b.jpg', 'play/c.jpg');
    const asked = page.waitForRequest(
      (request) => request.url().includes('play/a.wav') && 'range' in request.headers(),
    );
    await page.goto(`${gallery.url}/?file=${encodeURIComponent('play/a.wav')}`);
    await asked;
    await page.getByText('2 sec').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('img', { name: 'b.jpg' }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('dialog', { name: 'Delete 1 file?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.getByRole('img', { name: 'c.jpg' }).waitFor();
    expect(await exists('play/b.jpg')).toBe(false);
  });

  test('is swiped through on a touch screen', async () => {
    if (browser === undefined) return;
    const touch = await gallery.visit(browser, { hasTouch: true, viewport: { width: 360, height: 740 } });
    await touch.open();
    await touch.page.goto(`${gallery.url}/?file=${encodeURIComponent('look/1.jpg')}`);
    const picture = touch.page.getByRole('img', { name: '1.jpg' });
    await picture.waitFor();
    const at = (clientX: number) => ({ clientX, clientY: 300, pointerType: 'touch', bubbles: true });
    await picture.dispatchEvent('pointerdown', at(300));
    await picture.dispatchEvent('pointerup', at(100));
    await touch.page.getByRole('img', { name: '2.jpg' }).waitFor();
    await touch.context.close();
  });

  test('says that a file is gone', async () => {
    await page.goto(`${gallery.url}/?file=${encodeURIComponent('look/never.jpg')}`);
    await page.getByText('This file is no longer there.').waitFor();
  });
});

describe('an upload', () => {
  test('arrives, and the folder shows it', async () => {
    await go('up/');
    await upload('new.txt', 'first');
    await link('new.txt').waitFor();
    await page.getByText('1 file uploaded').waitFor();
    expect(await content('up/new.txt')).toBe('first');
  });

  test('asks about a taken name: keep both, skip, replace', async () => {
    await gallery.put('taken/a.txt', 'taken/a (2).txt');
    await go('taken/');
    await link('a.txt').waitFor();
    await upload('a.txt', 'another');
    await page
      .getByRole('dialog')
      .getByText(/^Is there: \d+ bytes · /)
      .waitFor();
    await page
      .getByRole('dialog')
      .getByText(/^New: \d+ bytes · /)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep both' }).click();
    await link('a (3).txt').waitFor();
    expect(await content('taken/a.txt')).toBe('content of taken/a.txt');
    await upload('a.txt', 'skipped');
    await page.getByRole('dialog').getByRole('button', { name: 'Skip' }).click();
    await upload('a.txt', 'replaced');
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    await expect.poll(() => content('taken/a.txt')).toBe('replaced');
    const { files } = (await gallery.ask('/api/gallery/trash')).body.data;
    const kept = files.find(({ original }: { original: string }) => original === 'taken/a.txt');
    expect(await content(kept.path)).toBe('content of taken/a.txt');
  });

  test('loses the place where it was made, unless somebody wants it, and a question decides on the rest', async () => {
    const exif = { IFD0: { Artist: 'Zoe' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1' } };
    const made = sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } }).withExif(exif);
    const photo = await made.jpeg().toBuffer();
    const choose = (...files: [name: string, bytes: Buffer][]) =>
      page
        .locator('[data-upload="files"]')
        .setInputFiles(files.map(([name, buffer]) => ({ name, mimeType: 'image/jpeg', buffer })));
    const stored = (file: Uint8Array) => {
      const bytes = new Uint8Array(file);
      return findPlaces(async (from, length) => bytes.slice(from, from + length), bytes.length);
    };
    const places = async (key: string) => stored(await readBytes(gallery.s3, gallery.bucket, key));
    const heic = Buffer.from('\0\0\0\x18ftypheic and the rest', 'latin1');
    await go('place/');
    expect(await stored(PLACED_HEIC)).toEqual(['EXIF']);
    await choose(['phone.heic', PLACED_HEIC]);
    await link('phone.heic').waitFor();
    expect(await places('place/phone.heic')).toEqual([]);
    await choose(['a.jpg', photo], ['b.heic', heic], ['c.jpg', photo.subarray(0, 60)]);
    const cut = page.getByRole('dialog', { name: '1 picture is cut off' });
    await cut.getByText('c.jpg').waitFor();
    await cut.getByRole('button', { name: 'Upload anyway' }).click();
    const question = page.getByRole('dialog', { name: '2 files may reveal where they were made' });
    await question.getByText('b.heic').waitFor();
    await question.getByRole('button', { name: 'Leave out' }).click();
    await link('a.jpg').waitFor();
    expect(await places('place/a.jpg')).toEqual([]);
    expect(await content('place/a.jpg')).toContain('Zoe');
    expect(await exists('place/b.heic')).toBe(false);
    await choose(['b.heic', heic]);
    await page.getByRole('dialog').getByRole('button', { name: 'Upload unchanged' }).click();
    await page.getByText('the file is damaged or incomplete').first().waitFor();
    await link('b.heic').waitFor();
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByRole('menuitemradio', { name: 'Remove places and serial numbers' }).click();
    await choose(['d.jpg', photo]);
    await link('d.jpg').waitFor();
    expect(await places('place/d.jpg')).toEqual(['EXIF']);
  });

  test('is dropped or pasted, with the folder that it was in', async () => {
    await go('dropped/');
    await page.getByText('Nothing here yet').waitFor();
    // The files of the system are not to be had here: the page is given what a browser would give it.
    await page.evaluate(`{
      const data = new DataTransfer();
      data.items.add(new File(['dropped'], 'a.txt', { type: 'text/plain' }));
      dispatchEvent(new DragEvent('drop', { dataTransfer: data }));
      const pasted = new DataTransfer();
      pasted.items.add(new File(['pasted'], 'b.txt', { type: 'text/plain' }));
      dispatchEvent(new ClipboardEvent('paste', { clipboardData: pasted }));
    }`);
    await link('a.txt').waitFor();
    await link('b.txt').waitFor();
    expect([await content('dropped/a.txt'), await content('dropped/b.txt')]).toEqual(['dropped', 'pasted']);
    const folder = await mkdtemp(join(tmpdir(), 'page-folder-'));
    await mkdir(join(folder, 'trip'));
    await writeFile(join(folder, 'trip/1.txt'), 'in a folder');
    await page.locator('[data-upload="folder"]').setInputFiles(join(folder, 'trip'));
    await link('trip').waitFor();
    await expect.poll(() => exists('dropped/trip/1.txt')).toBe(true);
    await rm(folder, { recursive: true });
  });

  test('goes on after the session has ended and somebody has logged in again', async () => {
    await go('later/');
    await page.getByText('Nothing here yet').waitFor();
    await visit.context.clearCookies();
    await upload('late.txt', 'late');
    await page.getByRole('dialog', { name: 'Log in again' }).waitFor();
    await fillLogin(page);
    await link('late.txt').waitFor();
    expect(await content('later/late.txt')).toBe('late');
  });
});

describe('files and folders', () => {
  const choose = async (...chosen: string[]) => {
    for (const name of chosen) await link(name).click({ modifiers: ['Control'] });
  };

  test('are moved by dialog, and the move is undone', async () => {
    await gallery.put('sort/in/1.txt', 'sort/in/2.txt', 'sort/in/sub/3.txt', 'sort/out/x.txt');
    await go('sort/in/');
    await choose('1.txt', 'sub');
    await page.getByRole('button', { name: 'Move to…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'sort' }).click();
    await dialog.getByRole('button', { name: 'out' }).click();
    await dialog.getByRole('button', { name: 'Move here' }).click();
    await page.getByText('Moved 2 files to sort/out').waitFor();
    expect(await exists('sort/out/sub/3.txt')).toBe(true);
    expect(await exists('sort/in/1.txt')).toBe(false);
    await page.getByRole('button', { name: 'Undo' }).click();
    await link('1.txt').waitFor();
    expect(await exists('sort/in/sub/3.txt')).toBe(true);
  });

  test('are moved by dragging onto a folder', async () => {
    await gallery.put('drag/a.txt', 'drag/to/b.txt');
    await go('drag/', '&view=table');
    await link('a.txt').waitFor();
    await page
      .getByRole('row')
      .filter({ hasText: 'a.txt' })
      .dragTo(page.getByRole('row').filter({ hasText: /^to/ }));
    await expect.poll(() => exists('drag/to/a.txt')).toBe(true);
  });

  test('are cut, copied and pasted with the keyboard', async () => {
    await gallery.put('keys/a.txt', 'keys/to/b.txt');
    await go('keys/', '&view=table');
    await link('to').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Control+x');
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await link('b.txt').waitFor();
    await page.keyboard.press('Control+v');
    await link('a.txt').waitFor();
    expect(await exists('keys/a.txt')).toBe(false);
  });

  test('ask about names that are taken where they go', async () => {
    await gallery.put('clash/a.txt', 'clash/b.txt', 'clash/to/a.txt');
    await go('clash/');
    await choose('a.txt', 'b.txt');
    await page.getByRole('button', { name: 'Copy to…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'to' }).click();
    await dialog.getByRole('button', { name: 'Copy here' }).click();
    await dialog.getByText('1 name is already taken').waitFor();
    await dialog.getByRole('button', { name: 'Skip' }).click();
    await page.getByText('Copied 1 file to clash/to').waitFor();
    expect(await content('clash/to/a.txt')).toBe('content of clash/to/a.txt');
    expect(await exists('clash/to/b.txt')).toBe(true);
  });

  test('are made and renamed, and the name is taken back', async () => {
    await gallery.put('names/old.txt', 'names/there.txt');
    await go('names/', '&view=table');
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Name of the new folder').fill('Új mappa');
    await page.getByRole('button', { name: 'Create' }).click();
    await link('Új mappa').waitFor();
    await choose('old.txt');
    await page.keyboard.press('F2');
    await page.getByLabel('New name').fill('there.txt');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByText('This name is already taken').waitFor();
    await page.getByLabel('New name').fill('a/b');
    await page.getByText('A name cannot contain /').waitFor();
    // A name without an extension keeps the former one.
    await page.getByLabel('New name').fill('new');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await link('new.txt').waitFor();
    expect(await exists('names/old.txt')).toBe(false);
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await link('old.txt').waitFor();
  });

  test('are deleted after a question that counts them', async () => {
    await gallery.put('bin/a.txt', 'bin/b/1.txt', 'bin/b/2.txt', 'bin/keep.txt');
    await go('bin/', '&view=table');
    await choose('a.txt', 'b');
    await page.keyboard.press('Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete 2 files?' });
    await dialog.getByText('1 file and 1 folder with everything in it').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted 3 files').waitFor();
    await expect.poll(names).toEqual(['keep.txt']);
    expect(await exists('bin/keep.txt')).toBe(true);
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await expect.poll(names).toEqual(['b', 'a.txt', 'keep.txt']);
  });

  test('are kept in the trash, come back beside what has their name now, or are deleted for good', async () => {
    await gallery.put('kept/in/a.txt', 'kept/in/b.txt', 'kept/c.txt');
    const remove = async (...chosen: string[]) => {
      await choose(...chosen);
      await page.keyboard.press('Delete');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    };
    await go('kept/', '&view=table');
    await remove('in', 'c.txt');
    await page.getByText('Nothing here yet').waitFor();
    await gallery.put('kept/c.txt');
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitem', { name: 'Trash' }).click();
    await page.getByRole('navigation', { name: 'Path' }).getByText('Trash').waitFor();
    expect(await page.getByRole('button', { name: 'Upload' }).count()).toBe(0);
    const line = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'in', exact: true }) });
    await line.getByText('kept', { exact: true }).waitFor();
    await link('in').click();
    await link('b.txt').waitFor();
    await page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'Trash' }).click();
    await choose('in', 'c.txt');
    await page.getByRole('button', { name: 'Restore' }).click();
    const question = page.getByRole('dialog', { name: '1 name is already taken' });
    await question.getByText('In kept:').waitFor();
    await question.getByRole('button', { name: 'Keep both' }).click();
    await page.getByText('Restored 3 files').waitFor();
    for (const key of ['in/a.txt', 'in/b.txt', 'c.txt', 'c (2).txt'])
      expect(await exists(`kept/${key}`)).toBe(true);
    await go('kept/', '&view=table');
    await remove('c.txt');
    await expect.poll(() => exists('kept/c.txt')).toBe(false);
    await go('.pressroom-trash/');
    await page.getByRole('button', { name: 'Empty the trash' }).click();
    await page.getByRole('dialog').getByText('This cannot be undone.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The trash is empty').waitFor();
    await go('kept/', '&view=table');
    await choose('c (2).txt');
    await page.keyboard.press('Delete');
    await page.getByRole('dialog').getByLabel('For good').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => exists('kept/c (2).txt')).toBe(false);
    await go('.pressroom-trash/');
    await page.getByText('The trash is empty').waitFor();
  });

  test('that somebody else has deleted are no trouble', async () => {
    await gallery.put('both/a.txt', 'both/b.txt');
    await go('both/');
    await choose('a.txt');
    await gallery.s3.send(new DeleteObjectCommand({ Bucket: gallery.bucket, Key: 'both/a.txt' }));
    await page.keyboard.press('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing was left to do').waitFor();
    await link('b.txt').waitFor();
  });
});

/** With `odd/` before it, the longest key that S3 accepts. */
const LONG = `${'ü'.repeat(508)}.txt`;

let number = 0;

test.each([
  ['spaces  and + % # ? &', 'a b + 100% #1 ?x=1&y.txt'],
  ['quotes', `it's "quoted" <b>.txt`],
  ['emoji', '👩‍👩‍👧‍👦 family.txt'],
  ['right to left', 'שלום עולם.txt'],
  ['1,024 bytes', LONG],
])('a key with %s is shown, opened, renamed and deleted', async (_what, name) => {
  number += 1;
  const key = `odd/${name}`;
  await gallery.put(key);
  await go('odd/', '&view=table');
  await link(name).click();
  await page.getByRole('heading', { name }).waitFor();
  expect(new URL(page.url()).searchParams.get('file')).toBe(key);
  await page.reload();
  await page.getByRole('heading', { name }).waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await link(name).click({ modifiers: ['Control'] });
  await page.keyboard.press('F2');
  await page.getByLabel('New name').fill(`renamed ${number}.txt`);
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await link(`renamed ${number}.txt`).click({ modifiers: ['Control'] });
  expect(await exists(key)).toBe(false);
  await page.keyboard.press('Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => exists(`odd/renamed ${number}.txt`)).toBe(false);
});
