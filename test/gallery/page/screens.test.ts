import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mixedPictures } from '../../fixtures/mixed-pictures.ts';
import { launchBrowser, skipWithout } from '../../support/browser.ts';
import { ADMIN } from '../../support/gallery.ts';
import { fillLogin, type GalleryPageFixture, galleryPageFixture } from '../../support/gallery-page.ts';
import { faultsOfScreens } from '../../support/gallery-screens.ts';
import { coveredInGrid } from '../../support/grid-rectangles.ts';
import { send } from '../../support/http.ts';
import { startPrefixProxy } from '../../support/prefix-proxy.ts';
import { createBucket } from '../../support/s3/servers.ts';

/** A path that is longer than a narrow window. */
const DEEP = 'a/2026/november/portraits/';

let gallery: GalleryPageFixture;
let browser: Browser | undefined;

beforeAll(async () => {
  browser = await launchBrowser();
  if (browser === undefined) return;
  gallery = await galleryPageFixture();
  await gallery.put('a/x.txt', `${DEEP}one.jpg`, 'one.jpg', 'two.jpg', 'three.mp3');
});
skipWithout(() => browser);
afterAll(async () => {
  await browser?.close();
  await gallery?.close();
});

test.each([
  ['light', 360],
  ['dark', 2560],
] as const)('no screen has a fault: %s, %i px wide', async (colorScheme, width) => {
  if (browser === undefined) return;
  const viewport = { width, height: 800 };
  expect(await faultsOfScreens(gallery, browser, { colorScheme, viewport })).toEqual([]);
});

test('the page speaks Chinese where the browser does, and English when asked to', async () => {
  if (browser === undefined) return;
  const { context, page } = await gallery.visit(browser, { locale: 'zh-CN' });
  await page.goto(`${gallery.url}/desk/media`);
  await page.getByRole('button', { name: '登录' }).waitFor();
  await page.getByLabel('用户名').fill('editor');
  await page.getByLabel('密码').fill('correct horse battery staple');
  await page.getByRole('button', { name: '登录' }).click();
  await page.getByText(/\d+ 个文件/).waitFor();
  await page.getByRole('button', { name: '设置' }).click();
  await page.getByRole('menuitemradio', { name: 'English' }).click();
  await page.getByRole('button', { name: 'Upload' }).waitFor();
  expect(await page.evaluate('document.documentElement.lang')).toBe('en');
  await page.reload();
  await page.getByRole('button', { name: 'Upload' }).waitFor();
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('menuitemradio', { name: '中文' }).click();
  await page.getByRole('button', { name: '上传' }).waitFor();
  await context.close();
});

test.each([
  ['home', 100],
  ['media', 100],
  ['articles', 150],
  ['news', 150],
])('a first visit to the section %s loads at most %i kB of files', async (section, most) => {
  if (browser === undefined) return;
  const { context, page } = await gallery.visit(browser);
  const { username, password } = ADMIN;
  await context.request.post(`${gallery.url}/api/login`, { data: { username, password } });
  await page.goto(`${gallery.url}/desk/${section}`, { waitUntil: 'networkidle' });
  const sizes = await page.evaluate<number[]>(`
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .filter(({ name }) => !name.includes('/api/')).map(({ transferSize }) => transferSize)`);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThanOrEqual(most * 1000);
  await context.close();
});

test('a first visit loads neither other languages nor menus; the keyboard opens a menu all the same', async () => {
  if (browser === undefined) return;
  const { context, page } = await gallery.visit(browser);
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
  const later = () => loaded.filter((path) => /\/(?:zh|open-menu)-\w+\.js$/.test(path));
  const { username, password } = ADMIN;
  await context.request.post(`${gallery.url}/api/login`, { data: { username, password } });
  await page.goto(`${gallery.url}/desk/media`, { waitUntil: 'networkidle' });
  await page.getByRole('button', { name: 'Settings' }).waitFor();
  expect(later()).toEqual([]);
  const settings = page.getByRole('button', { name: 'Settings' });
  await settings.focus();
  await page.keyboard.press('ArrowUp');
  await page.locator('[data-highlighted]', { hasText: 'Log out' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await settings.and(page.locator(':focus')).waitFor();
  expect(later()).toHaveLength(1);
  await context.close();
});

test('a menu or a language that cannot be loaded says so, and is there when it can', async () => {
  if (browser === undefined) return;
  const { context, page, open, complaints } = await gallery.visit(browser);
  for (const name of ['open-menu', 'zh']) {
    await context.route(`**/assets/${name}-*.js`, (route) => route.abort());
  }
  await open();
  const settings = page.getByRole('button', { name: 'Settings' });
  await settings.click();
  await page.getByRole('dialog', { name: 'Settings' }).getByText('The service does not answer.').waitFor();
  await context.unroute('**/assets/open-menu-*.js');
  await page.getByRole('button', { name: 'Try again' }).click();
  await settings.click();
  await page.getByRole('menuitemradio', { name: '中文' }).click();
  await page.getByRole('dialog', { name: 'Language' }).getByText('The service does not answer.').waitFor();
  await context.unroute('**/assets/zh-*.js');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: '上传' }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('of two languages that are chosen one after the other, the last stays', async () => {
  if (browser === undefined) return;
  const { context, page, open } = await gallery.visit(browser);
  await open();
  let answer = () => {};
  const isDue = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/assets/zh-*.js', async (route) => {
    await isDue;
    await route.continue();
  });
  const asked = page.waitForRequest('**/assets/zh-*.js');
  for (const language of ['中文', 'English']) {
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitemradio', { name: language }).click();
  }
  answer();
  await page.evaluate(`import(${JSON.stringify((await asked).url())})`);
  expect(await page.evaluate('document.documentElement.lang')).toBe('en');
  await context.close();
});

test('a finger that rests opens one menu', async () => {
  if (browser === undefined) return;
  const { context, page } = await gallery.visit(browser, { hasTouch: true });
  const { username, password } = ADMIN;
  await context.request.post(`${gallery.url}/api/login`, { data: { username, password } });
  await page.clock.install();
  await page.goto(`${gallery.url}/?path=&view=table`);
  const file = page.getByRole('grid').getByRole('link', { name: 'one.jpg' });
  const at = { clientX: 300, clientY: 300, pointerType: 'touch', bubbles: true };
  await file.dispatchEvent('pointerdown', at);
  await file.dispatchEvent('contextmenu', at);
  await page.getByRole('menu').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await page.clock.runFor(1000);
  expect(await page.getByRole('menu').count()).toBe(0);
  await context.close();
});

test('the page is light or dark as chosen, whatever the system is', async () => {
  if (browser === undefined) return;
  const { context, page, open } = await gallery.visit(browser, { colorScheme: 'light' });
  await open();
  const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const [light, dark] = ['rgb(251, 251, 250)', 'rgb(22, 24, 23)'];
  expect(await paper()).toBe(light);
  const choose = async (theme: string) => {
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitemradio', { name: theme }).click();
  };
  await choose('Dark');
  await expect.poll(paper).toBe(dark);
  await page.reload();
  await page.getByRole('button', { name: 'Upload' }).waitFor();
  expect(await paper()).toBe(dark);
  await choose('System');
  await expect.poll(paper).toBe(light);
  await context.close();
});

test.each(['en-GB', 'zh-CN'])('each action on a file has its own words in %s', async (locale) => {
  if (browser === undefined) return;
  const { context, page } = await gallery.visit(browser, { locale });
  const { username, password } = ADMIN;
  await context.request.post(`${gallery.url}/api/login`, { data: { username, password } });
  await page.goto(`${gallery.url}/?path=&view=table`);
  const file = page.getByRole('grid').getByRole('link', { name: 'one.jpg' });
  await file.click({ modifiers: ['Control'] });
  await file.click({ button: 'right' });
  await page.getByRole('menuitem').first().waitFor();
  const actions: [words: string, name: string][] = await page.evaluate(
    `[...document.querySelectorAll('button, [role=menuitem]')].map((one) => {
      const [words] = one.innerText.split('\\n');
      return [words, one.getAttribute('aria-label') ?? words];
    })`,
  );
  const seen = actions.filter(([words]) => words !== '');
  expect(seen.length).toBeGreaterThan(8);
  const ambiguous = [...Map.groupBy(seen, ([words]) => words).values()]
    .map((same) => [...new Set(same.map(([, name]) => name))])
    .filter((names) => names.length > 1);
  expect(ambiguous).toEqual([]);
  await context.close();
});

test.each([360, 2560])('nothing lies outside a window of %i px', async (width) => {
  if (browser === undefined) return;
  const { context, page, open } = await gallery.visit(browser, { viewport: { width, height: 800 } });
  await open(`?path=${encodeURIComponent(DEEP)}`);
  await page.getByRole('link', { name: 'one.jpg' }).click({ modifiers: ['Control'] });
  for (const name of ['Settings', 'Upload', 'More actions']) {
    const box = await page.getByRole('button', { name }).boundingBox();
    expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= width, name).toBe(true);
  }
  const last = await page.getByRole('navigation', { name: 'Path' }).getByRole('link').last().boundingBox();
  expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(width);
  if (width === 360) {
    // On a phone, what can be done with a file stands before what is known of it.
    await page.goto(`${gallery.url}/desk/media?path=${DEEP}&file=${DEEP}one.jpg`);
    await page.getByRole('button', { name: 'Details' }).click();
    const details = page.getByRole('complementary', { name: 'Details' });
    const download = await details.getByRole('link', { name: 'Download' }).boundingBox();
    const name = await details.getByText('Name', { exact: true }).boundingBox();
    expect(download?.y).toBeLessThan(name?.y ?? 0);
  }
  await context.close();
});

test.each([360, 1280, 2560])('pictures of any shape cover nothing in a grid of %i px', async (width) => {
  if (browser === undefined) return;
  for (const { name, type, body } of await mixedPictures()) {
    const object = { Bucket: gallery.bucket, Key: `mixed/${name}`, Body: body, ContentType: type };
    await gallery.s3.send(new PutObjectCommand(object));
  }
  const { context, page, open } = await gallery.visit(browser, { viewport: { width, height: 800 } });
  await open('?path=mixed%2F');
  await page.getByRole('gridcell').first().waitFor();
  expect(await coveredInGrid(page)).toEqual([]);
  await context.close();
});

test('a browser whose language its own formats refuse shows sizes, dates and an order', async () => {
  if (browser === undefined) return;
  await gallery.put('odd-language/b10.txt', 'odd-language/b2.txt');
  const { context, page, open, complaints } = await gallery.visit(browser, { locale: 'en-US@posix' });
  await open('?path=odd-language%2F&view=table');
  await expect
    .poll(() => page.getByRole('grid').getByRole('link').allTextContents())
    .toEqual(['b2.txt', 'b10.txt']);
  const cells = await page.getByRole('row').nth(1).getByRole('gridcell').allTextContents();
  expect(cells.slice(2)).toEqual([
    expect.stringMatching(/^\d+ bytes$/),
    expect.stringContaining(String(new Date().getFullYear())),
  ]);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a wrong password is said, and a bucket without a name is said at its field', async () => {
  if (browser === undefined) return;
  const { context, page, open } = await gallery.visit(browser);
  await open('desk/media', false);
  await page.getByLabel('Username').fill('editor');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('Wrong username or password.').waitFor();
  // Not the editor, who logs in below.
  await page.getByLabel('Username').fill('somebody');
  const tooMany = page.getByText(/^Too many attempts\. Try again in \d+ min\.$/);
  await expect
    .poll(async () => {
      await page.getByRole('button', { name: 'Log in' }).click();
      return tooMany.count();
    })
    .toBe(1);
  await open('?screen=buckets');
  await page.getByRole('button', { name: 'Add bucket' }).click();
  await page.getByLabel('Endpoint', { exact: true }).fill('nonsense');
  await page.getByRole('button', { name: 'Save' }).click();
  const field = page.getByLabel('Endpoint', { exact: true });
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
  await page.getByText('Write a web address that begins with https:// or http://.').first().waitFor();
  // Each message is with its field, and read out with it.
  for (const label of ['Bucket', 'Endpoint']) {
    const input = page.getByLabel(label, { exact: true });
    await expect.poll(() => input.getAttribute('aria-invalid')).toBe('true');
    const id = await input.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${id}"]`).textContent()).not.toBe('');
  }
  await context.close();
});

test('behind a proxy the page works under its own path', async () => {
  if (browser === undefined) return;
  const proxy = await startPrefixProxy('/site/gallery/', gallery.url);
  await gallery.allowUploads(proxy.url);
  const { context, page, complaints } = await gallery.visit(browser);
  await page.goto(`${proxy.url}/site/gallery/`);
  await fillLogin(page);
  expect(new URL(page.url()).pathname).toBe('/site/gallery/desk/');
  await page.getByRole('banner').getByRole('link', { name: 'Media' }).click();
  await expect
    .poll(() => page.evaluate('document.querySelector("[role=gridcell] img")?.naturalWidth ?? 0'))
    .toBeGreaterThan(0);
  await page.getByRole('grid').getByRole('link', { name: 'a', exact: true }).click();
  const file = { name: 'new.txt', mimeType: 'text/plain', buffer: Buffer.from('new') };
  await page.locator('[data-upload="files"]').setInputFiles(file);
  await page.getByRole('grid').getByRole('link', { name: 'new.txt' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/site/gallery/desk/media');
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByLabel('Password').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
  await gallery.allowUploads(gallery.url);
  await proxy.close();
});

test('a bucket is added, tested, edited, made the active one, and removed', async () => {
  if (browser === undefined) return;
  const name = await createBucket(gallery.s3);
  const { context, page, open } = await gallery.visit(browser);
  await open('?screen=buckets');
  await page.getByRole('button', { name: 'Add bucket' }).click();
  await page.getByLabel('Bucket', { exact: true }).fill(name);
  await page.getByLabel('Endpoint', { exact: true }).fill(gallery.store.endpoint);
  await page.getByLabel('Access key ID').fill(gallery.store.accessKeyId);
  await page.getByLabel('Secret access key').fill('wrong');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Test' }).click();
  await dialog.getByRole('alert').filter({ hasText: 'The secret key is wrong. Check it.' }).waitFor();
  await page.getByLabel('Secret access key').fill(gallery.store.secretAccessKey);
  await dialog.getByRole('button', { name: 'Test' }).click();
  await dialog.getByRole('status').filter({ hasText: 'The desk can list this bucket' }).waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: `Edit ${name}` }).click();
  await page.getByLabel('Region').fill('eu-central-1');
  await page.getByLabel('Region').fill(gallery.store.region);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: `Make ${name} active` }).click();
  await page.getByRole('button', { name: `Make ${gallery.bucket} active` }).waitFor();
  await page.getByRole('button', { name: 'Back to the files' }).click();
  await page.getByText('No files yet').waitFor();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Files…' }).click();
  expect((await chooser).isMultiple()).toBe(true);
  await page.goto(`${gallery.url}/?screen=buckets`);
  await page.getByRole('button', { name: `Make ${gallery.bucket} active` }).click();
  // The page loads itself again, and a dialog would go with it.
  await page.getByRole('button', { name: `Make ${name} active` }).waitFor();
  await page.getByRole('button', { name: `Remove ${name}` }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await expect.poll(() => page.getByText(name).count()).toBe(0);
  await context.close();
});

test('the document is checked each time, its files never again, and the policy names the bucket alone', async () => {
  const { status, headers, text } = await send(`${gallery.url}/desk/media?path=a%2F`);
  expect(status).toBe(200);
  expect(headers.get('cache-control')).toBe('private, no-cache');
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).not.toMatch(/unsafe|\*|data:/);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain(`connect-src 'self' ${new URL(gallery.store.endpoint).origin};`);
  const etag = headers.get('etag') ?? '';
  const again = await send(`${gallery.url}/desk/media`, { headers: { 'if-none-match': etag } });
  expect(again.status).toBe(304);
  const [script = ''] = /assets\/main-[A-Z0-9]+\.js/.exec(text) ?? [];
  const asset = await send(`${gallery.url}/${script}`, { headers: { 'accept-encoding': 'br' } });
  expect(asset.status).toBe(200);
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect((await send(`${gallery.url}/assets/none.js`)).status).toBe(404);
});

test('the root leads to the desk, and an address from before it to the same folder in it', async () => {
  expect((await send(`${gallery.url}/`)).headers.get('location')).toBe('desk/');
  const { status, headers } = await send(`${gallery.url}/?path=a%2F&view=table`);
  expect(status).toBe(302);
  expect(headers.get('location')).toBe('desk/media?path=a%2F&view=table');
  expect((await send(`${gallery.url}/desk/`)).status).toBe(200);
  expect((await send(`${gallery.url}/desk/nothing`)).status).toBe(404);
});
