import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { articleBody } from '../support/content-client.ts';
import { type DeskWindows, withDeskWindows } from '../support/desk-windows.ts';
import type { JsonBody } from '../support/http.ts';

let desk: DeskWindows;
let page: Page;

withDeskWindows(async (windows) => {
  desk = windows;
  ({ page } = await desk.visit('organise/redirects'));
});
beforeEach(async () => {
  await desk.content.database.pool.query(
    'truncate content.article restart identity cascade; delete from content.redirect',
  );
});

async function add(from: string, to: string | null, status = 301): Promise<void> {
  const { status: got, text } = await desk.content.client.post('/api/redirects', { from, to, status });
  expect([got, text]).toEqual([201, text]);
}

const saved = async (): Promise<unknown[]> =>
  (await desk.content.client.anonymously('/api/redirects')).body.data.map(
    ({ from, to, status, source }: JsonBody) => [from, to, status, source],
  );

async function act(from: string, item: string) {
  await page.getByRole('button', { name: `Actions for ${from}`, exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** Types an address to try, and waits for the sentence about it. */
async function tried(address: string, sentence: string) {
  await page.getByLabel('Try an address').fill(address);
  await page.getByText(sentence, { exact: true }).waitFor();
}

test('an old address leads elsewhere, is changed, tried and removed, by keyboard alone', async () => {
  await desk.go(page, 'organise/redirects');
  await page.getByText('No redirects yet').waitFor();
  await page.getByRole('button', { name: 'New redirect' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'New redirect' });
  await dialog.waitFor();
  await page.keyboard.type(' https://site.example/Old-News/?p=5 ');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('/news');
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: '/Old-News?p=5 /news Moved permanently (301)' }).waitFor();
  await tried('/Old-News?p=5', '/Old-News?p=5 leads to /news, for good (301).');

  await act('/Old-News?p=5', 'Edit…');
  await page.getByLabel('Type of redirect').selectOption('Moved temporarily (302)');
  await page.getByLabel('Leads to').fill('https://shop.example/?a=b');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('/Old-News?p=5 leads to https://shop.example/?a=b, for now (302).').waitFor();
  await act('/Old-News?p=5', 'Edit…');
  await page.getByLabel('Type of redirect').selectOption('Gone (410)');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('What was at /Old-News?p=5 is gone for good (410).').waitFor();
  expect(await saved()).toEqual([['/Old-News?p=5', null, 410, 'manual']]);

  await act('/Old-News?p=5', 'Delete…');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No redirects yet').waitFor();
  await page.getByText('Nothing leads away from /Old-News?p=5: readers see').waitFor();
});

test('the page says what is wrong, at once and when it is saved', async () => {
  await add('/a', '/b');
  await add('/b', '/c');
  await desk.go(page, 'organise/redirects');
  await tried('news', 'The old address begins with /, such as /old-news, and has at most 2,000 characters.');
  await tried('/a/?utm=x', '/a/?utm=x leads to /c, for good (301).');
  await page.getByRole('button', { name: 'New redirect' }).click();
  const dialog = page.getByRole('dialog', { name: 'New redirect' });
  for (const [from, to, field, sentence] of [
    ['old', '/b', 'Old address', 'The old address begins with /'],
    [
      'https://elsewhere.example/old',
      '/b',
      'Old address',
      'Write what follows the name of yours, such as /old.',
    ],
    ['/x', 'javascript:alert(1)', 'Leads to', 'This leads to no page'],
    ['/c', '/a', 'Leads to', 'This leads back to where it began.'],
    ['/b/', '/x', undefined, 'This address is redirected already.'],
  ] as const) {
    await dialog.getByLabel('Old address').fill(from);
    await dialog.getByLabel('Leads to').fill(to);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText(sentence).waitFor();
    if (field !== undefined) expect(await dialog.getByLabel(field).getAttribute('aria-invalid')).toBe('true');
  }
  expect(await saved()).toEqual([
    ['/b', '/c', 301, 'manual'],
    ['/a', '/b', 301, 'manual'],
  ]);
});

test('what slugs and imports brought is marked; that of a slug is led elsewhere by another', async () => {
  const { client, database } = desk.content;
  const article = articleBody({ slug: 'first', is_published: true });
  const { id } = (await client.post('/api/articles', article)).body.data;
  await client.patch(`/api/articles/${id}`, { slug: 'second' });
  await database.pool.query(
    "insert into content.redirect (from_address, to_address, status, source) values ('/2016/first.html', '/articles/first', 301, 'import')",
  );
  await desk.go(page, 'organise/redirects');
  await page.getByRole('row', { name: /^\/2016\/first.html From an import .*and from there to/ }).waitFor();
  await tried('/2016/first.html', '/2016/first.html leads to /articles/second, for good (301).');
  await page.getByRole('row', { name: '/articles/first Former address of a page' }).waitFor();
  await act('/articles/first', 'Lead elsewhere…');
  await page.getByLabel('Leads to').fill('/archive');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('/2016/first.html leads to /archive, for good (301).').waitFor();
});

test('they are searched, read page by page, and downloaded for nginx', async () => {
  await desk.content.database.pool.query(`
    insert into content.redirect (from_address, to_address, status, source)
    select '/page-' || n, '/new', 301, 'import' from generate_series(1, 101) as n order by n desc`);
  await desk.go(page, 'organise/redirects');
  await page.getByRole('rowheader', { name: '/page-100' }).waitFor();
  expect(await page.getByRole('rowheader').count()).toBe(100);
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('rowheader', { name: '/page-101' }).waitFor();
  await page.getByRole('searchbox').fill('PAGE-77');
  await page.getByRole('rowheader', { name: '/page-101' }).waitFor({ state: 'detached' });
  expect(await page.getByRole('rowheader').count()).toBe(1);
  await page.getByRole('searchbox').fill('nowhere');
  await page.getByText('No redirect has this text in an address').waitFor();

  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download for nginx' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('pressroom-redirects.conf');
  expect(await readFile(await file.path(), 'utf8')).toContain('"/page-77" "301 /new";');
});

test('editors write them, and a writer only looks', async () => {
  await add('/seen', '/new');
  const editor = await desk.enter('Edi', 'editor');
  await desk.go(editor, 'organise/redirects');
  await editor.getByRole('button', { name: 'New redirect' }).click();
  await editor.getByLabel('Old address').fill('/by-edi');
  await editor.getByLabel('Leads to').fill('/new');
  await editor.getByRole('button', { name: 'Save' }).click();
  await editor.getByRole('row', { name: '/by-edi' }).waitFor();
  const writer = await desk.enter('Wri', 'writer');
  await desk.go(writer, 'organise/redirects');
  await writer.getByRole('row', { name: '/seen' }).waitFor();
  expect(await writer.getByRole('button', { name: /New redirect|Actions for/ }).count()).toBe(0);
});

test.each([
  ['light', 360],
  ['dark', 1280],
] as const)('no screen has a fault: %s, %i px wide', async (colorScheme, width) => {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  await desk.go(page, 'organise/redirects');
  await page.getByText('No redirects yet').waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
  await add(`/a-rather-long-address/${'without-a-break'.repeat(6)}?and=a-query`, '/b');
  await add('/b', '/c', 302);
  await desk.go(page, 'organise/redirects');
  await page.getByRole('row', { name: '/b /c' }).waitFor();
  await tried('/b', '/b leads to /c, for now (302).');
  expect(await desk.faultsOf(page)).toEqual([]);
  await act('/b', 'Edit…');
  await page.getByRole('dialog').waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await act('/b', 'Delete…');
  await page.getByRole('dialog', { name: 'Delete the redirect from /b?' }).waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('it speaks Chinese', async () => {
  await add('/旧闻', '/新闻');
  const { page } = await desk.visit('organise/redirects');
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('menuitemradio', { name: '中文' }).click();
  await page.getByRole('row', { name: '/旧闻 /新闻 永久重定向（301）' }).waitFor();
  await page.getByLabel('试一个网址').fill('/旧闻');
  await page.getByText('/旧闻 永久转到 /新闻（301）。').waitFor();
  await page.getByRole('button', { name: '对 /旧闻 的操作' }).click();
  await page.getByRole('menuitem', { name: '删除…' }).click();
  await page.getByRole('dialog', { name: '删除 /旧闻 的重定向？' }).waitFor();
});
