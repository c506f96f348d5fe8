import { afterAll, beforeAll, expect, test } from 'vitest';
import { skipWithout } from '../../support/browser.ts';
import { type ContentFixture, contentFixture } from '../../support/content.ts';
import { type GalleryWindow, openGalleryWindow } from '../../support/gallery-window.ts';
import { until } from '../../support/until.ts';

const DESK_KEY = 'a-key-of-the-desk-that-nobody-guesses';

let content: ContentFixture;
let window: GalleryWindow;

beforeAll(async () => {
  content = await contentFixture({ DESK_KEY });
  const opened = await openGalleryWindow({ CONTENT_URL: content.url, DESK_KEY, MEDIA_PUBLIC: 'open/' });
  if (opened !== undefined) window = opened;
});
skipWithout(() => window?.browser);
afterAll(async () => {
  const complaints = await window?.close();
  await content?.close();
  expect(complaints ?? []).toEqual([]);
});

const address = (path: string) => `https://site.example/media/${path}`;

/** An article that shows a file. */
async function articleWith(title: string, path: string): Promise<() => Promise<string>> {
  const { client } = content;
  const text = `<p>${'Boats in the harbour. '.repeat(5)}</p>`;
  const { id } = await client.article({
    title,
    content: text,
    featured_image: address(path),
    is_published: true,
  });
  return async () => (await client.send(`/api/articles/${id}`)).body.data.featured_image;
}

const button = (name: string) => window.page.getByRole('dialog').getByRole('button', { name });

test('a deletion says in which articles a file is used', async () => {
  await articleWith('The pier at dawn', 'used/pier.jpg');
  await window.gallery.put('used/pier.jpg', 'used/other.jpg');
  await window.go('used/');
  await window.choose('pier.jpg');
  await window.page.keyboard.press('Delete');
  const dialog = window.page.getByRole('dialog');
  await dialog.getByText('Used in 1 article').waitFor();
  await dialog.getByText('The pier at dawn').waitFor();
  await button('Cancel').click();
  expect(await window.exists('used/pier.jpg')).toBe(true);
});

test('a new name is written into articles, and back by Undo', async () => {
  const { page } = window;
  const image = await articleWith('Boats', 'named/a.jpg');
  await window.gallery.put('named/a.jpg');
  await window.go('named/');
  await window.choose('a.jpg');
  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: 'New name' }).fill('b.jpg');
  await button('Rename').click();
  await page.getByText('Used in 1 article').waitFor();
  await button('Cancel').click();
  expect(await window.exists('named/a.jpg')).toBe(true);

  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: 'New name' }).fill('b.jpg');
  await button('Rename').click();
  await button('Change the articles').click();
  await page.getByText('1 article has the new address').waitFor();
  expect(await image()).toBe(address('named/b.jpg'));
  await page.getByRole('button', { name: 'Undo' }).click();
  await until('the article has its address back', async () => (await image()) === address('named/a.jpg'));
  expect(await window.exists('named/a.jpg')).toBe(true);
});

test('a folder is moved, and its articles stay or follow', async () => {
  const { page } = window;
  await window.gallery.put('moved/to/x.jpg');
  const move = async (folder: string, name: string, choice: string) => {
    await window.go(folder);
    await window.choose(name);
    await page.keyboard.press('Control+x');
    await page
      .getByRole('navigation', { name: 'Path' })
      .getByRole('link', { name: 'moved', exact: true })
      .click();
    await window.link(name).waitFor({ state: 'detached' });
    await window.choose('to');
    await page.keyboard.press('Enter');
    await window.link('x.jpg').waitFor();
    await page.keyboard.press('Control+v');
    await button(choice).click();
  };
  await window.gallery.put('moved/in/2027/c.jpg');
  const other = await articleWith('Old pier', 'moved/in/2027/c.jpg');
  await move('moved/in/', '2027', 'Leave the articles');
  await until('it is moved', () => window.exists('moved/to/2027/c.jpg'));
  expect(await other()).toBe(address('moved/in/2027/c.jpg'));

  await window.gallery.put('moved/in/2026/a.jpg');
  const third = await articleWith('Mole', 'moved/in/2026/a.jpg');
  await move('moved/in/', '2026', 'Change the articles');
  await page.getByText('1 article has the new address').waitFor();
  expect(await third()).toBe(address('moved/to/2026/a.jpg'));
});

test('a folder that leaves a public one is said to be lost for readers, and its articles stay', async () => {
  const { page } = window;
  await window.gallery.put('open/a.jpg');
  const image = await articleWith('Harbour', 'open/a.jpg');
  await window.go('');
  await window.choose('open');
  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: 'New name' }).fill('harbour');
  await button('Rename').click();
  await page.getByText('so readers will no longer see it').waitFor();
  expect(await button('Change the articles').count()).toBe(0);
  await button('Hide it anyway').click();
  await page.getByText('1 article keeps the old address').waitFor();
  expect(await image()).toBe(address('open/a.jpg'));
});

test('an undo that takes files away from readers asks first, and its articles keep the address', async () => {
  const { page } = window;
  await window.gallery.put('shut/b.jpg');
  const image = await articleWith('Mole', 'shut/b.jpg');
  await window.go('');
  await window.choose('shut');
  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: 'New name' }).fill('open');
  await button('Rename').click();
  await button('Change the articles').click();
  await page.getByText('1 article has the new address').waitFor();
  expect(await image()).toBe(address('open/b.jpg'));
  const undo = page.getByRole('region', { name: 'Activity' }).getByRole('button', { name: 'Undo' }).last();
  await undo.click();
  await page.getByText('Readers will no longer see it').waitFor();
  await button('Cancel').click();
  expect(await window.exists('open/b.jpg')).toBe(true);
  await undo.click();
  await button('Hide it anyway').click();
  // Also the article that has shown another file of that folder.
  await page
    .getByText(/keeps? the old address/)
    .last()
    .waitFor();
  expect(await window.exists('shut/b.jpg')).toBe(true);
  expect(await image()).toBe(address('open/b.jpg'));
});
