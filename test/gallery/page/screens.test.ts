import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, skipWithout } from '../../support/browser.ts';
import { type GalleryPageFixture, galleryPageFixture } from '../../support/gallery-page.ts';
import { send } from '../../support/http.ts';

let gallery: GalleryPageFixture;
let browser: Browser | undefined;
let axe: string;

beforeAll(async () => {
  browser = await launchBrowser();
  if (browser === undefined) return;
  gallery = await galleryPageFixture();
  await gallery.put('a/x.txt', 'one.jpg', 'two.jpg', 'three.mp3');
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
});
skipWithout(() => browser);
afterAll(async () => {
  await browser?.close();
  await gallery?.close();
});

/** What axe-core finds on the page, each as its rule and the elements. */
async function faults(page: Page): Promise<string[]> {
  // Through the debugger: the document's policy allows no script that is not its own.
  await page.evaluate(axe);
  return page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
       violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`,
  );
}

const SCREENS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  grid: async (page) => {
    await page.getByRole('link', { name: 'one.jpg' }).waitFor();
  },
  table: async (page) => {
    await page.getByRole('button', { name: 'Table' }).click();
    await page.getByRole('columnheader', { name: 'Name' }).waitFor();
  },
  'a selection': async (page) => {
    await page.getByRole('link', { name: 'one.jpg' }).click({ modifiers: ['Control'] });
    await page.getByText('1 selected').waitFor();
  },
  'the move dialog': async (page) => {
    await page.getByRole('link', { name: 'one.jpg' }).click({ modifiers: ['Control'] });
    await page.getByRole('button', { name: 'Move to…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'a' }).first().waitFor();
  },
  'the question before a deletion': async (page) => {
    await page.getByRole('link', { name: 'one.jpg' }).click({ modifiers: ['Control'] });
    await page.keyboard.press('Delete');
    await page.getByRole('dialog').waitFor();
  },
  'the menu': async (page) => {
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitem', { name: 'Buckets' }).waitFor();
  },
  'the viewer': async (page) => {
    await page.getByRole('link', { name: 'one.jpg' }).click();
    await page.getByRole('img', { name: 'one.jpg' }).waitFor();
  },
  'the uploads': async (page) => {
    const file = { name: 'new.txt', mimeType: 'text/plain', buffer: Buffer.from('new') };
    await page.goto(`${gallery.url}/?path=${encodeURIComponent(`up-${performance.now()}/`)}`);
    await page.locator('[data-upload="files"]').setInputFiles(file);
    await page.getByText('1 file uploaded').waitFor();
  },
  'the buckets': async (page) => {
    await page.goto(`${gallery.url}/?screen=buckets`);
    await page.getByText('From the environment').waitFor();
  },
  'the form of a bucket': async (page) => {
    await page.goto(`${gallery.url}/?screen=buckets`);
    await page.getByRole('button', { name: 'Add bucket' }).click();
    await page.getByLabel('Endpoint', { exact: true }).waitFor();
  },
};

test.each(['light', 'dark'] as const)('axe-core finds nothing on any screen, %s', async (colorScheme) => {
  if (browser === undefined) return;
  const { context, page, complaints, open } = await gallery.visit(browser, { colorScheme });
  page.setDefaultTimeout(30_000);
  await open('', false);
  await page.getByLabel('Username').waitFor();
  const found: Record<string, string[]> = { login: await faults(page) };
  await open();
  for (const [screen, show] of Object.entries(SCREENS)) {
    await page.goto(gallery.url);
    await show(page);
    found[screen] = await faults(page);
  }
  expect(Object.entries(found).filter(([, list]) => list.length > 0)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test('the page speaks Chinese where the browser does, and English when asked to', async () => {
  if (browser === undefined) return;
  const { context, page } = await gallery.visit(browser, { locale: 'zh-CN' });
  await page.goto(gallery.url);
  await page.getByRole('button', { name: '登录' }).waitFor();
  await page.getByLabel('用户名').fill('editor');
  await page.getByLabel('密码').fill('correct horse battery staple');
  await page.getByRole('button', { name: '登录' }).click();
  await page.getByText(/共 \d+ 项/).waitFor();
  await page.getByRole('button', { name: '设置' }).click();
  await page.getByRole('menuitemradio', { name: 'English' }).click();
  await page.getByRole('button', { name: 'Upload' }).waitFor();
  expect(await page.evaluate('document.documentElement.lang')).toBe('en');
  await context.close();
});

test.each([360, 2560])('nothing lies outside a window of %i px', async (width) => {
  if (browser === undefined) return;
  const { context, page, open } = await gallery.visit(browser, { viewport: { width, height: 800 } });
  await open();
  await page.getByRole('link', { name: 'one.jpg' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  await context.close();
});

test('a wrong password is said, and a bucket without a name is said at its field', async () => {
  if (browser === undefined) return;
  const { context, page, open } = await gallery.visit(browser);
  await open('', false);
  await page.getByLabel('Username').fill('editor');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('Wrong username or password.').waitFor();
  await open('?screen=buckets');
  await page.getByRole('button', { name: 'Add bucket' }).click();
  await page.getByLabel('Endpoint', { exact: true }).fill('nonsense');
  await page.getByRole('button', { name: 'Save' }).click();
  const field = page.getByLabel('Endpoint', { exact: true });
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
  await page.getByText('must be an http or https URL').waitFor();
  await context.close();
});

test('the document is checked each time, its files never again, and the policy names the bucket alone', async () => {
  const { status, headers, text } = await send(`${gallery.url}/?path=a%2F`);
  expect(status).toBe(200);
  expect(headers.get('cache-control')).toBe('private, no-cache');
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).not.toMatch(/unsafe|\*|data:/);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain(`connect-src 'self' ${new URL(gallery.store.endpoint).origin};`);
  const etag = headers.get('etag') ?? '';
  const again = await send(gallery.url, { headers: { 'if-none-match': etag } });
  expect(again.status).toBe(304);
  const [script = ''] = /assets\/page-[A-Z0-9]+\.js/.exec(text) ?? [];
  const asset = await send(`${gallery.url}/${script}`, { headers: { 'accept-encoding': 'br' } });
  expect(asset.status).toBe(200);
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect((await send(`${gallery.url}/assets/none.js`)).status).toBe(404);
});
