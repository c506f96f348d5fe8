import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { articleBody } from '../support/content-client.ts';
import { type DeskWindows, withDeskWindows } from '../support/desk-windows.ts';
import type { JsonBody } from '../support/http.ts';

const PASSWORD = 'nobody types this twice';

let desk: DeskWindows;
let page: Page;

withDeskWindows(async (windows) => {
  desk = windows;
  ({ page } = await desk.visit('organise'));
});
beforeEach(async () => {
  await desk.content.database.pool.query(
    'truncate content.article, content.category, content.tag, content.author restart identity cascade',
  );
});

const make = async (kind: string, body: object): Promise<JsonBody> =>
  (await desk.content.client.post(`/api/${kind}`, body)).body.data;

const read = async (path: string): Promise<JsonBody> =>
  (await desk.content.client.anonymously(`/api/${path}`)).body.data;

/** Chooses something of the menu of one. */
async function act(name: string, item: string) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

const rows = () => page.getByRole('rowheader').allInnerTexts();

test('categories are made, described, ordered and deleted', async () => {
  await desk.go(page, 'articles');
  await page.getByText('No articles yet').waitFor();
  await page.getByRole('link', { name: 'Organise' }).click();
  await page.getByText('No categories yet').waitFor();
  for (const name of ['Politics', 'Culture', 'Sport']) {
    await page.getByRole('button', { name: 'New category' }).click();
    const dialog = page.getByRole('dialog', { name: 'New category' });
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    if (name === 'Politics') {
      await dialog.getByLabel('Description').fill('Town and country');
      await dialog.getByLabel('Picture').fill('https://media.example/town.jpg');
    }
    await page.keyboard.press('Enter');
    await page.getByRole('rowheader', { name }).waitFor();
  }
  // A section that was open before knows them too.
  await desk.content.client.article({ title: 'In no category' });
  await page.getByRole('link', { name: 'Articles', exact: true }).click();
  await page.getByLabel('Category', { exact: true }).selectOption({ label: 'Sport' });
  await page.getByRole('link', { name: 'Organise' }).click();
  expect(await read('categories/by-slug/politics?include=picture')).toMatchObject({
    description: 'Town and country',
    picture: 'https://media.example/town.jpg',
  });

  await act('Sport', 'Move up');
  await expect
    .poll(async () => (await read('categories')).map(({ name }: JsonBody) => name))
    .toEqual(['Culture', 'Sport', 'Politics']);
  await expect.poll(rows).toEqual(['Culture', 'Sport', 'Politics\nTown and country']);

  await act('Politics', 'Edit…');
  await page.getByLabel('Name', { exact: true }).fill('Town');
  await page.getByLabel('Address').fill('sport');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Another one has this address, or had it.').waitFor();
  await page.getByLabel('Address').fill('town');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /^Town/ }).waitFor();
  expect((await desk.content.client.anonymously('/api/categories/by-slug/politics')).status).toBe(308);

  await act('Sport', 'Delete…');
  await page.getByRole('dialog', { name: 'Delete Sport?' }).getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('rowheader', { name: 'Sport' }).waitFor({ state: 'detached' });
});

test('what articles have is not deleted, and the page says what to do', async () => {
  const { id } = await make('categories', { name: 'Used' });
  await make('articles', articleBody({ category_id: id, is_published: true }));
  const { id: drafts } = await make('categories', { name: 'Of drafts' });
  await make('articles', articleBody({ category_id: drafts }));
  await desk.go(page, 'organise');
  await page.getByRole('link', { name: 'Show 1 article of Used' }).waitFor();
  await act('Used', 'Delete…');
  await page.getByText('1 published article uses it, so it cannot be deleted.').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await act('Of drafts', 'Delete…');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Articles still use it, perhaps as drafts').waitFor();
  await page.getByRole('link', { name: 'Show all articles, drafts too' }).click();
  await page.getByRole('heading', { name: 'Articles', exact: true }).waitFor();
  expect(page.url()).toContain('articles?category=of-drafts');
});

test('tags are found, renamed and merged', async () => {
  await make('tags', { name: 'Harbor' });
  const { slug: into } = await make('tags', { name: 'Harbour' });
  await make('tags', { name: 'Ships' });
  const article = await make('articles', articleBody({ tags: ['harbor'], is_published: true }));
  await desk.go(page, 'organise/tags');
  await page.getByText('3 tags in all').waitFor();
  await page.getByRole('searchbox', { name: 'Search by name' }).fill('harb');
  await page.getByText('2 tags in all').waitFor();
  await act('Harbor', 'Merge into another…');
  const dialog = page.getByRole('dialog', { name: 'Merge Harbor' });
  await dialog.getByText('Its 1 published article and its drafts').waitFor();
  await dialog.getByLabel('Merge it into').fill('Harbors');
  await dialog.getByRole('button', { name: 'Merge' }).click();
  await dialog.getByText('There is none called “Harbors”.').waitFor();
  await dialog.getByLabel('Merge it into').fill('Harbor');
  await dialog.getByRole('button', { name: 'Merge' }).click();
  await dialog.getByText('Choose another one').waitFor();
  await dialog.getByLabel('Merge it into').fill('harbour');
  await dialog.getByRole('button', { name: 'Merge' }).click();
  await page.getByText('1 tag in all').waitFor();
  expect((await read(`articles/${article.id}?include=tags`)).tags).toMatchObject([{ slug: into }]);
  await page.getByRole('link', { name: 'Show 1 article of Harbour' }).waitFor();
});

test('an author has a portrait, a biography and links', async () => {
  await desk.go(page, 'organise/authors');
  await page.getByText('No authors yet').waitFor();
  await page.getByRole('button', { name: 'New author' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Ada Byron');
  await page.getByLabel('Biography').fill('Writes about engines.');
  await page.getByLabel('Portrait').fill('https://media.example/ada.jpg');
  await page.getByRole('button', { name: 'Add a link' }).click();
  await page.getByRole('button', { name: 'Add a link' }).click();
  await page.getByLabel('What link 1 is called').fill('Notes');
  await page.getByLabel('Address of link 1').fill('http://ada.example');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Each link needs an address that begins with https://').waitFor();
  await page.getByLabel('Address of link 1').fill('https://ada.example/notes');
  await page.getByLabel('Address of link 2').fill('https://ada.example');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /Ada Byron/ }).waitFor();
  const ada = await read('authors/by-slug/ada-byron');
  expect(ada).toMatchObject({
    bio: 'Writes about engines.',
    picture: 'https://media.example/ada.jpg',
    links: [{ label: 'Notes', url: 'https://ada.example/notes' }, { url: 'https://ada.example' }],
  });
  await act('Ada Byron', 'Edit…');
  expect(await page.getByLabel('What link 1 is called').inputValue()).toBe('Notes');
  await page.getByRole('button', { name: 'Remove link 1' }).click();
  await desk.gallery.put('public/ada.jpg');
  await page.getByRole('button', { name: 'Choose from the gallery' }).press('Enter');
  const gallery = page.getByRole('dialog', { name: 'Pictures' });
  await gallery.getByRole('searchbox').fill('nobody');
  // Neither key is one of the form beneath.
  await gallery.getByRole('searchbox').press('Enter');
  await gallery.getByRole('searchbox').fill('ada');
  expect(await desk.faultsOf(page)).toEqual([]);
  await gallery.getByRole('button', { name: 'ada.jpg' }).press('Enter');
  const chosen = `${desk.gallery.url}/media/public/ada.jpg`;
  await expect.poll(() => page.getByLabel('Portrait').inputValue()).toBe(chosen);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Keep writing' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(async () => await read(`authors/${ada.id}`))
    .toMatchObject({ links: [{ url: 'https://ada.example' }], picture: chosen });
});

test('a writer looks, and is offered nothing that changes it', async () => {
  await make('tags', { name: 'Looked at' });
  const { gallery } = desk;
  const person = { name: 'Wri Ter', email: 'writer@example.org', role: 'writer' };
  const { invitation } = (await gallery.post('/api/people', person)).body.data;
  const visit = await desk.window();
  await visit.page.goto(`${gallery.url}/desk/invitation#${invitation.token}`);
  await visit.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await visit.page.getByRole('button', { name: 'Save and begin' }).click();
  await visit.page.getByRole('link', { name: 'Organise' }).click();
  await visit.page.getByRole('link', { name: 'Tags' }).click();
  await visit.page.getByRole('rowheader', { name: 'Looked at' }).waitFor();
  expect(await visit.page.getByRole('button', { name: /New tag|Actions for/ }).count()).toBe(0);
});

test.each([
  ['light', 360],
  ['dark', 1280],
] as const)('no screen has a fault: %s, %i px wide', async (colorScheme, width) => {
  await make('categories', { name: 'A rather long name of a category', description: 'What it is about' });
  await make('tags', { name: 'Tagged' });
  await make('authors', {
    name: 'Ada',
    bio: 'Writes.',
    links: [{ label: 'Site', url: 'https://ada.example' }],
  });
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  for (const [kind, name] of [
    ['categories', 'A rather long name'],
    ['tags', 'Tagged'],
    ['authors', 'Ada'],
  ] as const) {
    await desk.go(page, `organise/${kind}`);
    await page.getByRole('rowheader', { name }).waitFor();
    expect(await desk.faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: /Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    const choose = page.getByRole('button', { name: 'Choose from the gallery' });
    await (kind === 'tags' ? page.getByRole('dialog') : choose).waitFor();
    expect(await desk.faultsOf(page)).toEqual([]);
  }
  await desk.go(page, 'organise/tags');
  await act('Tagged', 'Merge into another…');
  expect(await desk.faultsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('it speaks Chinese', async () => {
  await make('categories', { name: '文化' });
  await desk.go(page, 'organise');
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('menuitemradio', { name: '中文' }).click();
  await page.getByRole('heading', { name: '整理' }).waitFor();
  await page.getByRole('button', { name: '对 文化 的操作' }).click();
  await page.getByRole('menuitem', { name: '删除…' }).click();
  await page.getByText('没有已发布的文章使用它').waitFor();
});
