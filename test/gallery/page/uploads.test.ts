import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { skipWithout } from '../../support/browser.ts';
import { fillLogin } from '../../support/gallery-page.ts';
import { type GalleryWindow, openGalleryWindow } from '../../support/gallery-window.ts';

/** The size of a file of three parts, in bytes. */
const LARGE_BYTES = 20 * 2 ** 20;

let window: GalleryWindow;
let page: Page;
let folder: string;
/** A file of three parts, on disk: through the debugger it would take longer than to the store. */
let large: string;

beforeAll(async () => {
  const opened = await openGalleryWindow();
  if (opened === undefined) return;
  window = opened;
  page = window.page;
  folder = await mkdtemp(join(tmpdir(), 'page-uploads-'));
  large = join(folder, 'large.bin');
  await writeFile(large, Buffer.alloc(LARGE_BYTES, 'x'));
});
skipWithout(() => window?.browser);
afterEach(() => page?.unrouteAll({ behavior: 'ignoreErrors' }));
afterAll(async () => {
  expect((await window?.close()) ?? []).toEqual([]);
  if (folder) await rm(folder, { recursive: true });
});

const panel = () => page.getByRole('region', { name: 'Uploads' });
const button = (name: string) => panel().getByRole('button', { name });
const isToStore = (url: URL) => url.origin === new URL(window.gallery.store.endpoint).origin;
const partOf = (route: Route) => new URL(route.request().url()).searchParams.get('partNumber');

/** Opens an empty folder. */
async function open(folder: string): Promise<void> {
  await window.go(folder);
  await page.getByText('Nothing here yet').waitFor();
}

/** Holds what goes to the store and `isHeld` chooses; `release` lets it pass, and all that follows. */
async function hold(isHeld: (route: Route) => boolean): Promise<{ held: Route[]; release: () => void }> {
  const held: Route[] = [];
  let isOpen = false;
  await page.route(isToStore, async (route) => {
    if (isOpen || route.request().method() !== 'PUT' || !isHeld(route)) return route.continue();
    held.push(route);
  });
  const release = () => {
    isOpen = true;
    // Requests that were paused in the meantime have ended.
    for (const route of held) void route.continue().catch(() => undefined);
  };
  return { held, release };
}

/** The numbers of the parts that the page sends from now on, each as often as it is sent. */
function recordParts(): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    const part = new URL(request.url()).searchParams.get('partNumber');
    if (part !== null && request.method() === 'PUT') sent.push(part);
  });
  return sent;
}

test('files and a folder are chosen with the button', async () => {
  await open('button/');
  await mkdir(join(folder, 'album'));
  await writeFile(join(folder, 'album/1.txt'), 'one');
  await writeFile(join(folder, 'a.txt'), 'a');
  const choose = async (item: string, ...files: string[]) => {
    const asked = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByRole('menuitem', { name: item }).click();
    await (await asked).setFiles(files);
  };
  await choose('Files…', join(folder, 'a.txt'));
  await window.link('a.txt').waitFor();
  await choose('Folder…', join(folder, 'album'));
  await window.link('album').waitFor();
  expect(await window.keys('button/')).toEqual(['button/a.txt', 'button/album/1.txt']);
  // On a phone what is reported leaves the buttons for what is chosen in reach.
  const before = page.viewportSize();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByLabel('Select a.txt').check();
  for (const name of ['Delete', 'More actions', 'Clear the selection']) {
    await page.getByRole('button', { name, exact: true }).click({ trial: true });
  }
  await page.keyboard.press('Escape');
  if (before !== null) await page.setViewportSize(before);
});

test('a session that ends in the middle of a large file costs only the password', async () => {
  await open('ended/');
  const sent = recordParts();
  const { held, release } = await hold((route) => partOf(route) === '1');
  await page.locator('[data-upload="files"]').setInputFiles(large);
  await expect.poll(() => held.length).toBe(1);
  await window.gallery.database.pool.query('delete from gallery.session');
  release();
  await page.getByRole('dialog', { name: 'Log in again' }).waitFor();
  await fillLogin(page);
  await panel().getByText('1 file uploaded').waitFor();
  expect((await window.content('ended/large.bin')).length).toBe(LARGE_BYTES);
  expect(sent.filter((part) => part === '1')).toHaveLength(1);
});

test('files that are dropped while a question is open are asked about afterwards', async () => {
  await window.gallery.put('asked/a.txt', 'asked/b.txt');
  await window.go('asked/');
  await window.link('a.txt').waitFor();
  await window.upload({ name: 'a.txt', text: 'second a' });
  const question = page.getByRole('dialog', { name: '1 name is already taken' });
  await question.getByText('a.txt').waitFor();
  const answered = page.waitForResponse((response) => response.url().endsWith('/api/gallery/lookup'));
  await window.upload({ name: 'b.txt', text: 'second b' });
  await answered;
  await question.getByText('a.txt').waitFor();
  await question.getByRole('button', { name: 'Keep both' }).click();
  await question.getByText('b.txt').waitFor();
  await question.getByRole('button', { name: 'Replace' }).click();
  await window.link('a (2).txt').waitFor();
  await expect.poll(() => window.content('asked/b.txt')).toBe('second b');
});

test('a large file is paused, and goes on with the parts that are missing', async () => {
  await open('paused/');
  const sent = recordParts();
  const { held, release } = await hold((route) => partOf(route) === '2');
  await page.locator('[data-upload="files"]').setInputFiles(large);
  await expect.poll(() => held.length).toBe(1);
  await button('Pause large.bin').click();
  await panel().getByText('Uploads paused').waitFor();
  await panel().getByText('Paused', { exact: false }).first().waitFor();
  release();
  await button('Resume large.bin').click();
  await panel().getByText('1 file uploaded').waitFor();
  expect((await window.content('paused/large.bin')).length).toBe(LARGE_BYTES);
  expect(sent.filter((part) => part === '1')).toHaveLength(1);
});

test('the progress of a file has its rate and the time that is left', async () => {
  await open('rate/');
  const { held, release } = await hold((route) => partOf(route) === '2' || partOf(route) === '3');
  await page.clock.setFixedTime(new Date('2026-11-21T08:00:00Z'));
  await page.locator('[data-upload="files"]').setInputFiles(large);
  await expect.poll(() => held.length).toBe(1);
  await page.clock.setFixedTime(new Date('2026-11-21T08:00:02Z'));
  await held[0]?.continue();
  await expect.poll(() => held.length).toBe(2);
  await panel()
    .getByText(/of 21 MB/)
    .waitFor();
  await panel().getByText(/MB\/s/).waitFor();
  await panel()
    .getByText(/sec left/)
    .waitFor();
  release();
  await panel().getByText('1 file uploaded').waitFor();
});

test('an upload that is cancelled leaves nothing in the store', async () => {
  await open('cancelled/');
  const { held, release } = await hold((route) => partOf(route) === '2');
  await page.locator('[data-upload="files"]').setInputFiles(large);
  await expect.poll(() => held.length).toBe(1);
  const aborted = page.waitForResponse(
    (response) => isToStore(new URL(response.url())) && response.request().method() === 'DELETE',
  );
  await button('Cancel large.bin').click();
  await expect.poll(() => panel().count()).toBe(0);
  release();
  expect((await aborted).status()).toBe(204);
  expect(await window.exists('cancelled/large.bin')).toBe(false);
});

test('what the store refuses is said at once, and is tried again when the person wants it', async () => {
  await open('refused/');
  let isRefused = true;
  await page.route(isToStore, (route) => {
    if (!isRefused || route.request().method() !== 'PUT') return route.continue();
    const headers = { 'access-control-allow-origin': '*', 'content-type': 'application/xml' };
    return route.fulfill({ status: 400, headers, body: '<Error><Code>EntityTooLarge</Code></Error>' });
  });
  await window.upload({ name: 'a.txt', text: 'again' });
  await panel().getByText('1 upload failed').waitFor();
  await panel()
    .getByText(/The store refused this file \(status 400\)/)
    .waitFor();
  isRefused = false;
  await button('Retry a.txt').click();
  await panel().getByText('1 file uploaded').waitFor();
  expect(await window.content('refused/a.txt')).toBe('again');
});

test('a file that is paused after a lost connection goes on when it is resumed, and not before', async () => {
  await open('lost/');
  let tries = 0;
  let isLost = true;
  await page.route(isToStore, (route) => {
    if (route.request().method() === 'PUT') tries += 1;
    return isLost ? route.abort() : route.continue();
  });
  await window.upload({ name: 'a.txt', text: 'late' });
  await expect.poll(() => tries).toBeGreaterThan(0);
  await button('Pause a.txt').click();
  await panel().getByText('Uploads paused').waitFor();
  isLost = false;
  const before = tries;
  // Another file is not held up by it, and does not wake it.
  await window.upload({ name: 'b.txt', text: 'other' });
  await window.link('b.txt').waitFor();
  expect(tries).toBe(before + 1);
  await button('Resume a.txt').click();
  await panel().getByText('2 files uploaded').waitFor();
  expect(await window.content('lost/a.txt')).toBe('late');
});

test('many files go up a few at a time, and are paused and resumed together', async () => {
  await open('many/');
  const { held, release } = await hold(() => true);
  const files = Array.from({ length: 9 }, (_, index) => ({ name: `${index}.txt`, text: `${index}` }));
  await window.upload(...files);
  await panel().getByText('Uploading 9 files').waitFor();
  await expect.poll(() => held.length).toBe(4);
  await button('Pause all').click();
  await panel().getByText('Uploads paused').waitFor();
  expect(held).toHaveLength(4);
  release();
  await button('Resume all').click();
  await panel().getByText('9 files uploaded').waitFor();
  expect(await window.keys('many/')).toHaveLength(9);
});

test('a folder is dropped with everything in it', async () => {
  await open('dropped/');
  await mkdir(join(folder, 'trip/day 1'), { recursive: true });
  await writeFile(join(folder, 'trip/1.txt'), 'one');
  await writeFile(join(folder, 'trip/day 1/2.txt'), 'two');
  const debug = await page.context().newCDPSession(page);
  const data = { items: [], files: [join(folder, 'trip')], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver'] as const) {
    await debug.send('Input.dispatchDragEvent', { type, x: 500, y: 400, data });
  }
  await page.getByText('Drop to upload to dropped').waitFor();
  await debug.send('Input.dispatchDragEvent', { type: 'drop', x: 500, y: 400, data });
  await panel().getByText('2 files uploaded').waitFor();
  expect(await window.keys('dropped/')).toEqual(['dropped/trip/1.txt', 'dropped/trip/day 1/2.txt']);
});
