import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type DeskWindows, withDeskWindows } from '../support/desk-windows.ts';

let desk: DeskWindows;
let wanda: Page;
let edgar: Page;
let chinese: Page;

withDeskWindows(async (windows) => {
  desk = windows;
  wanda = await windows.enter('Wanda Pen', 'editor');
  edgar = await windows.enter('Edgar Blue', 'editor');
  const phone = { locale: 'zh-CN', viewport: { width: 360, height: 800 } };
  chinese = await windows.enter('Wang Fang', 'editor', phone);
});

const title = (page: Page) => page.getByRole('textbox', { name: 'Title', exact: true });
const body = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true });
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const isWritable = (page: Page) => expect.poll(() => title(page).isEditable()).toBe(true);

async function create(name: string): Promise<number> {
  return (await desk.content.client.article({ title: name })).id;
}

test('who has an article open is seen in the list, live, and gone with the page', async () => {
  const id = await create('Seen in the list');
  await desk.go(edgar, 'articles');
  await row(edgar, 'Seen in the list').waitFor();
  await desk.go(wanda, `articles/${id}`);
  await row(edgar, 'Seen in the list').getByText('Open: Wanda Pen').waitFor();
  expect(await desk.faultsOf(edgar)).toEqual([]);
  await wanda.goto('about:blank');
  await row(edgar, 'Seen in the list').getByText('Open: Wanda Pen').waitFor({ state: 'detached' });
});

test('the second waits, and writes what the first has left once it is closed', async () => {
  const id = await create('One after the other');
  await desk.go(wanda, `articles/${id}`);
  await isWritable(wanda);
  await desk.go(edgar, `articles/${id}`);
  await edgar.getByText('Wanda Pen has this article open.').waitFor();
  expect([await title(edgar).isEditable(), await body(edgar).isEditable()]).toEqual([false, false]);
  expect(await desk.faultsOf(edgar)).toEqual([]);
  await wanda.getByText('Also open: Edgar Blue').waitFor();
  await press(edgar, 'Wait');
  await edgar.getByText('You can write once Wanda Pen has closed this article.').waitFor();
  await title(wanda).fill('One after another');
  await saved(wanda);
  await press(wanda, 'Back to the articles');
  await isWritable(edgar);
  await expect.poll(() => title(edgar).inputValue()).toBe('One after another');
});

test('who is taken over from is told so, and loses nothing', async () => {
  const id = await create('Taken over');
  await desk.go(wanda, `articles/${id}`);
  await isWritable(wanda);
  await desk.go(edgar, `articles/${id}`);
  await press(edgar, 'Just look');
  await edgar.getByText('You only look at this article.').waitFor();
  await press(edgar, 'Write');
  await title(wanda).fill('Typed just before');
  await press(edgar, 'Take over');
  await wanda.getByText('Edgar Blue has taken over this article.').waitFor();
  expect(await title(wanda).isEditable()).toBe(false);
  expect(await title(wanda).inputValue()).toBe('Typed just before');
  expect(await desk.faultsOf(wanda)).toEqual([]);
  await saved(wanda);
  await isWritable(edgar);
  await press(wanda, 'Take it back');
  await isWritable(wanda);
  await edgar.getByText('Wanda Pen has taken over this article.').waitFor();
  const { body: stored } = await desk.content.client.send(`/api/articles/${id}`);
  expect(stored.data.title).toBe('Typed just before');
});

test('a page that the service has forgotten says again what it has open', async () => {
  const id = await create('Forgotten');
  await desk.go(wanda, `articles/${id}`);
  await isWritable(wanda);
  const { pool } = desk.gallery.database;
  const pages = async () =>
    (await pool.query('select from gallery.presence where article_id = $1', [id])).rows.length;
  await expect.poll(pages).toBe(1);
  await pool.query('delete from gallery.presence');
  await expect.poll(pages).toBe(1);
});

test('without events it asks, and sees as much', async () => {
  const id = await create('Without events');
  await edgar.route('**/api/presence/events*', (route) => route.fulfill({ status: 404, body: '' }));
  await desk.go(edgar, 'articles?status=draft');
  await edgar.reload();
  await row(edgar, 'Without events').waitFor();
  await desk.go(wanda, `articles/${id}`);
  await row(edgar, 'Without events').getByText('Open: Wanda Pen').waitFor();
  await edgar.unroute('**/api/presence/events*');
});

test('a page follows what is decided about its article, and says that it was deleted, and how it comes back', async () => {
  const id = await create('Decided elsewhere');
  const look = () => wanda.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await desk.go(wanda, `articles/${id}`);
  await isWritable(wanda);
  await desk.content.client.put(`/api/articles/${id}/review`, { state: 'submitted', comment: null });
  await look();
  await wanda.locator('.standing').getByText('Submitted', { exact: true }).waitFor();
  await desk.go(edgar, 'articles');
  await row(edgar, 'Decided elsewhere').getByText('Open: Wanda Pen').waitFor();
  await edgar.getByLabel('Select Decided elsewhere').check();
  await press(edgar, 'Delete');
  const dialog = edgar.getByRole('dialog', { name: /^Move “.?Decided elsewhere.?” to the trash\?$/ });
  await dialog.getByText('Open at the moment: Wanda Pen').waitFor();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await edgar.getByText(/^Moved “.?Decided elsewhere.?” to the trash/).waitFor();
  await title(wanda).fill('Decided here');
  await wanda.getByText('This article was moved to the trash meanwhile.').waitFor();
  expect(await desk.faultsOf(wanda)).toEqual([]);
  await press(wanda, 'Restore');
  await saved(wanda);
  const { body: stored } = await desk.content.client.send(`/api/articles/${id}`);
  expect(stored.data.title).toBe('Decided here');
});

test('all of it in Chinese, on a phone', async () => {
  const id = await create('灯塔');
  await desk.go(wanda, `articles/${id}`);
  await isWritable(wanda);
  await desk.go(chinese, `articles/${id}`);
  await chinese.getByText('Wanda Pen 已打开此文章。').waitFor();
  expect(await desk.faultsOf(chinese)).toEqual([]);
  await press(chinese, '接手编辑');
  await wanda.getByText('Wang Fang has taken over this article.').waitFor();
  await press(wanda, 'Take it back');
  await chinese.getByText('Wanda Pen 已接手编辑此文章。').waitFor();
  expect(await desk.faultsOf(chinese)).toEqual([]);
});
