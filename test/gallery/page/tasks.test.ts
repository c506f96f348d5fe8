import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchBrowser, skipWithout } from '../../support/browser.ts';
import { type FaultyProxy, type PassingRequest, startFaultyProxy } from '../../support/faulty-proxy.ts';
import { beginToClose, type RunningGallery, startGallery } from '../../support/gallery.ts';
import {
  fillLogin,
  type GalleryPageFixture,
  galleryPageFixture,
  type Visit,
} from '../../support/gallery-page.ts';
import { listAll, putAll } from '../../support/s3/objects.ts';

let gallery: GalleryPageFixture;
let browser: Browser | undefined;
/** Stands between the service and the store; browsers reach the store itself. */
let proxy: FaultyProxy;
let service: RunningGallery;
let visit: Visit;
let page: Page;

beforeAll(async () => {
  browser = await launchBrowser();
  if (browser === undefined) return;
  gallery = await galleryPageFixture();
  proxy = await startFaultyProxy(gallery.store.endpoint);
  service = await startBehindProxy();
  visit = await gallery.visit(browser, { viewport: { width: 1100, height: 760 } });
  page = visit.page;
  await page.goto(service.url);
  await fillLogin(page);
});
skipWithout(() => browser);
beforeEach(() => {
  page.setDefaultTimeout(60_000);
});
afterEach(() => {
  if (proxy !== undefined) proxy.choose = () => undefined;
});
afterAll(async () => {
  expect(visit?.complaints).toEqual([]);
  await browser?.close();
  await service?.close();
  await proxy?.close();
  await gallery?.close();
});

function startBehindProxy(): Promise<RunningGallery> {
  const endpoints = { S3_ENDPOINT: proxy.url, S3_PUBLIC_ENDPOINT: gallery.store.endpoint };
  return startGallery({ ...gallery.settings, ...endpoints });
}

const go = (folder: string, url = service.url) =>
  page.goto(`${url}/?path=${encodeURIComponent(folder)}&view=table`);
const link = (name: string) => page.getByRole('grid').getByRole('link', { name, exact: true });
const activity = () => page.getByRole('region', { name: 'Activity' });
const names = () => page.getByRole('grid').getByRole('link').allTextContents();
const fill = (...keys: string[]) => putAll(gallery.s3, gallery.bucket, keys);

async function keys(prefix: string): Promise<string[]> {
  return (await listAll(gallery.s3, { Bucket: gallery.bucket, Prefix: prefix })).keys.sort();
}

/** Lets this many copies pass and holds the others until the returned function is called. */
function holdCopiesAfter(count: number): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  let copies = 0;
  const isCopy = ({ method, path }: PassingRequest) => method === 'PUT' && path.includes('/to/');
  proxy.choose = (request) => {
    if (isCopy(request)) copies += 1;
    return isCopy(request) && copies > count ? promise : undefined;
  };
  return resolve;
}

/** Chooses entries, and moves or copies them to the folder `to` in the one that is shown. */
async function transfer(action: 'Move' | 'Copy', ...chosen: string[]): Promise<void> {
  for (const name of chosen) await link(name).click({ modifiers: ['Control'] });
  await page.getByRole('button', { name: `${action} to…` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'to', exact: true }).click();
  await dialog.getByRole('button', { name: `${action} here` }).click();
}

test('a move says how far it is, outlives a reload, and is undone', async () => {
  const files = Array.from({ length: 6 }, (_, index) => `reload/in/${index}.txt`);
  await fill(...files, 'reload/to/x.txt');
  await go('reload/');
  const release = holdCopiesAfter(2);
  await transfer('Move', 'in');
  await activity().getByText('1 of 6').or(activity().getByText('2 of 6')).waitFor();
  await page.reload();
  await activity().getByText('Moving 1 file to reload/to').waitFor();
  release();
  await activity().getByText('Moved 6 files to reload/to').waitFor();
  expect(await keys('reload/')).toContain('reload/to/in/5.txt');
  await activity().getByRole('button', { name: 'Undo' }).click();
  await activity().getByText('Put 6 files back').waitFor();
  expect(await keys('reload/')).toEqual([...files, 'reload/to/x.txt']);
  await expect.poll(names).toEqual(['in', 'to']);
});

test('a move that a stopped service has left is finished from the page', async () => {
  await fill('stop/in/1.txt', 'stop/in/2.txt', 'stop/in/3.txt', 'stop/to/x.txt');
  const stopping = await startBehindProxy();
  await go('stop/', stopping.url);
  const release = holdCopiesAfter(1);
  await transfer('Move', 'in');
  await activity().getByText('Moving 1 file to stop/to').waitFor();
  await expect.poll(() => keys('stop/to/')).toContain('stop/to/in/1.txt');
  const stopped = await beginToClose(stopping);
  release();
  await stopped();
  // Another origin: this page has kept nothing, and learns of the batch from the service.
  await go('stop/');
  await activity().getByText('Interrupted. Nothing is lost').waitFor();
  await activity().getByRole('button', { name: 'Finish it' }).click();
  await activity().getByText('Moved 3 files to stop/to').waitFor();
  expect(await keys('stop/')).toEqual([
    ...['stop/to/in/1.txt', 'stop/to/in/2.txt', 'stop/to/in/3.txt'],
    'stop/to/x.txt',
  ]);
  await activity().getByRole('button', { name: 'Dismiss' }).last().click();
  await page.reload();
  await link('to').waitFor();
  expect(await activity().getByText('stop/to').count()).toBe(0);
});

test('a session that is revoked in mid-batch costs only the password', async () => {
  await fill('revoked/1.txt', 'revoked/2.txt', 'revoked/to/x.txt');
  await go('revoked/');
  const release = holdCopiesAfter(1);
  await transfer('Move', '1.txt', '2.txt');
  await activity().getByText('Moving 2 files').waitFor();
  await gallery.database.pool.query('delete from gallery.session');
  await page.getByRole('dialog', { name: 'Log in again' }).waitFor();
  release();
  await fillLogin(page);
  await activity().getByText('Moved 2 files to revoked/to').waitFor();
  await expect.poll(names).toEqual(['to']);
});

test('a store that is gone is said, and the work goes on when it is back', async () => {
  await fill('gone/1.txt', 'gone/2.txt', 'gone/to/x.txt');
  await go('gone/');
  await link('1.txt').waitFor();
  let isGone = false;
  proxy.choose = ({ method }) => {
    if (method === 'PUT') isGone = true;
    return isGone ? 'refuse' : undefined;
  };
  await transfer('Move', '1.txt', '2.txt');
  await activity().getByText('Not finished').waitFor();
  await go('gone/');
  await activity().getByText('Not finished').waitFor();
  await page.getByText('The object store does not answer at the moment.').waitFor();
  proxy.choose = () => undefined;
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
  await link('1.txt').waitFor();
  await activity()
    .getByRole('button', { name: /Finish it|Try again/ })
    .click();
  await activity().getByText('Moved 2 files to gone/to').waitFor();
  expect(await keys('gone/')).toEqual(['gone/to/1.txt', 'gone/to/2.txt', 'gone/to/x.txt']);
});

test('both are kept where names are taken, of files and of folders', async () => {
  await fill('both/a.txt', 'both/b/1.txt', 'both/to/a.txt', 'both/to/a (2).txt', 'both/to/b/1.txt');
  await go('both/');
  await transfer('Copy', 'a.txt', 'b');
  const dialog = page.getByRole('dialog', { name: '2 names are already taken' });
  await dialog.getByText('a.txt').waitFor();
  expect(await dialog.getByRole('button', { name: 'Replace' }).count()).toBe(0);
  await dialog.getByRole('button', { name: 'Keep both' }).click();
  await activity().getByText('Copied 2 files to both/to').waitFor();
  expect(await keys('both/to/')).toEqual([
    ...['both/to/a (2).txt', 'both/to/a (3).txt', 'both/to/a.txt', 'both/to/b (2)/1.txt', 'both/to/b/1.txt'],
  ]);
  await transfer('Move', 'a.txt');
  await page.getByRole('dialog').getByRole('button', { name: 'Keep both' }).click();
  await activity().getByText('Moved 1 file to both/to').waitFor();
  expect(await keys('both/to/a (4)')).toEqual(['both/to/a (4).txt']);
  await activity().getByRole('button', { name: 'Undo' }).click();
  await link('a.txt').waitFor();
  expect(await keys('both/a')).toEqual(['both/a.txt']);
});

test('a copy that is pasted next to its original gets another name', async () => {
  await fill('twice/a.txt');
  await go('twice/');
  await link('a.txt').focus();
  await page.keyboard.press('Control+c');
  await page.keyboard.press('Control+v');
  await link('a (2).txt').waitFor();
  await link('a.txt').waitFor();
});

test('a file replaces the one of its name when the person says so', async () => {
  await gallery.put('replace/a.txt', 'replace/to/a.txt');
  await go('replace/');
  await transfer('Move', 'a.txt');
  const question = page.getByRole('dialog', { name: '1 name is already taken' });
  await question.getByText('a.txt').waitFor();
  await question.getByRole('button', { name: 'Replace' }).click();
  await activity().getByText('Moved 1 file to replace/to').waitFor();
  expect(await keys('replace/')).toEqual(['replace/to/a.txt']);
  const object = { Bucket: gallery.bucket, Key: 'replace/to/a.txt' };
  const { Body } = await gallery.s3.send(new GetObjectCommand(object));
  expect(await Body?.transformToString()).toBe('content of replace/a.txt');
});

test('files that are chosen while the store is gone stay in the list, and overwrite nothing', async () => {
  await gallery.allowUploads(service.url);
  await fill('away/a.txt');
  await go('away/');
  await link('a.txt').waitFor();
  proxy.choose = () => 'refuse';
  const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('new') };
  await page.locator('[data-upload="files"]').setInputFiles(file);
  const uploads = page.getByRole('region', { name: 'Uploads' });
  await uploads.getByText('1 upload failed').waitFor();
  await uploads.getByText('The object store does not answer at the moment.').waitFor();
  proxy.choose = () => undefined;
  await uploads.getByRole('button', { name: 'Retry a.txt' }).click();
  const question = page.getByRole('dialog', { name: '1 name is already taken' });
  await question.getByRole('button', { name: 'Keep both' }).click();
  await link('a (2).txt').waitFor();
  expect(await keys('away/')).toEqual(['away/a (2).txt', 'away/a.txt']);
  await gallery.allowUploads(gallery.url);
});

test('a destination whose folders cannot be read says why', async () => {
  await fill('unread/a.txt', 'unread/to/x.txt');
  await go('unread/');
  await link('a.txt').click({ modifiers: ['Control'] });
  proxy.choose = () => 'refuse';
  await page.getByRole('button', { name: 'Move to…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move 1 file to' });
  await dialog.getByText('The object store does not answer at the moment.').waitFor();
  expect(await dialog.getByText('No folders in here').count()).toBe(0);
  proxy.choose = () => undefined;
  await dialog.getByRole('button', { name: 'Cancel' }).click();
});
