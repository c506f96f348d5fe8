import type { Browser, Page, Response } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { articleBody } from '../support/content-client.ts';
import { type DeskFixture, deskFixture } from '../support/desk.ts';
import type { Visit } from '../support/gallery-page.ts';
import { faultsOf, readAxe } from '../support/screen-faults.ts';

const LONG = 'The harbour was quiet in the morning, and the first boats came in after nine.';

let browser: Browser | undefined;
let desk: DeskFixture;
let visit: Visit;
let page: Page;

beforeAll(async () => {
  browser = await launchBrowser();
  if (browser === undefined) return;
  desk = await deskFixture();
  visit = await desk.visit(browser, 'articles', { viewport: { width: 1280, height: 860 } });
  page = visit.page;
});
afterAll(async () => {
  if (browser === undefined) return;
  expect(visit.complaints).toEqual([]);
  await browser.close();
  await desk.close();
});

const title = () => page.getByRole('textbox', { name: 'Title', exact: true });
const saved = () => page.getByText('Saved', { exact: true }).waitFor();
const stored = async (id: number) => (await desk.content.client.send(`/api/articles/${id}`)).body.data;
const row = (name: string) => page.getByRole('grid').getByRole('link', { name, exact: true });

/** Creates an article behind the desk's back. */
async function create(body: Record<string, unknown>): Promise<number> {
  const { body: answer } = await desk.content.client.post('/api/articles', articleBody(body));
  return answer.data.id;
}

test('finds articles by words, state and category', async () => {
  if (browser === undefined) return;
  const { body } = await desk.content.client.post('/api/categories', { name: 'Weather' });
  await create({ title: 'Rain at last', category_id: body.data.id, is_published: true });
  await create({ title: 'Rain again' });
  await desk.go(page, 'articles');
  await page.getByRole('searchbox', { name: 'Search articles' }).fill('rain');
  await row('Rain again').waitFor();
  await row('Rain at last').waitFor();
  await page.getByText('2 articles', { exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'Category' }).selectOption('Weather');
  await row('Rain again').waitFor({ state: 'detached' });
  await row('Rain at last').waitFor();
  await create({ title: 'Sun at last', category_id: body.data.id, is_published: true });
  await page.getByRole('searchbox', { name: 'Search articles' }).fill('');
  const titles = () => page.getByRole('grid').locator('.article-title').allInnerTexts();
  const order = page.getByRole('combobox', { name: 'Order' });
  await order.selectOption('Oldest first');
  await expect.poll(titles).toEqual(['Rain at last', 'Sun at last']);
  await order.selectOption('Newest first');
  await expect.poll(titles).toEqual(['Sun at last', 'Rain at last']);
  const head = page.getByRole('columnheader', { name: 'Title' });
  await head.getByRole('button').press('Enter');
  await expect.poll(titles).toEqual(['Rain at last', 'Sun at last']);
  expect(await head.getAttribute('aria-sort')).toBe('ascending');
  await head.getByRole('button').press('Enter');
  await expect.poll(titles).toEqual(['Sun at last', 'Rain at last']);
  expect(await head.getAttribute('aria-sort')).toBe('descending');
  const published = page.getByRole('columnheader', { name: 'Published' });
  expect(await published.getAttribute('aria-sort')).toBe('none');
  const time = page.getByRole('row', { name: 'Sun at last' }).locator('time').last();
  expect(await time.textContent()).toMatch(/now|min/);
  expect(await time.getAttribute('title')).toMatch(/\d{4}/);
});

test('hides nothing published behind drafts in a search, and claims no total that it does not know', async () => {
  if (browser === undefined) return;
  for (const name of ['one', 'two']) await create({ title: `Quince ${name}`, is_published: true });
  for (const name of ['three', 'four', 'five']) await create({ title: `Quince ${name}` });
  const found = async () => (await desk.content.client.send('/api/articles?q=quince&status=all')).body.meta;
  await expect.poll(found).toMatchObject({ total: 5 });
  await desk.go(page, 'articles?q=quince');
  await page.getByText('5 articles', { exact: true }).waitFor();
  const states = await page.getByRole('row').locator('.badge').allTextContents();
  expect(states).toEqual(['Published', 'Draft', 'Published', 'Draft', 'Draft']);
  await page.route('**/api/desk/content/articles?*', async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    await route.fulfill({ response, json: { ...body, meta: { ...body.meta, total_is_exact: false } } });
  });
  await page.reload();
  await page.getByText('More than 5 articles', { exact: true }).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('finds tags and authors that are not among the first hundred', async () => {
  if (browser === undefined) return;
  await desk.content.database.pool.query(
    `insert into content.tag (name, slug) select 'Aa ' || n, 'aa-' || n from generate_series(1, 120) n`,
  );
  await desk.content.client.post('/api/tags', { name: 'Zoo' });
  await desk.content.client.post('/api/authors', { name: 'Ada Lovelace' });
  await create({ title: 'At the zoo', tags: ['zoo'], authors: ['ada-lovelace'] });
  const id = await create({ title: 'Of the animals' });
  await desk.go(page, `articles/${id}`);
  await expect.poll(() => title().inputValue()).toBe('Of the animals');
  const tags = page.getByLabel('Tags', { exact: true });
  await tags.pressSequentially('zo');
  // The browser itself shows them; nothing else sees its list.
  await page.locator('datalist option[value="Zoo"]').first().waitFor({ state: 'attached' });
  await tags.fill('zoo');
  await tags.press('Enter');
  await page.getByRole('button', { name: 'Remove Zoo' }).waitFor();
  // One after the other, however fast; a tag is found by its slug too.
  await desk.content.client.post('/api/tags', { name: 'Zebra crossing', slug: 'zebra' });
  for (const name of ['Fast', 'fast', 'Zebra crossing', 'zebra']) {
    await tags.fill(name);
    await tags.press('Enter');
  }
  await page.getByRole('button', { name: 'Remove Zebra crossing' }).waitFor();
  const authors = page.getByLabel('Authors', { exact: true });
  await authors.fill('Nobody');
  await authors.press('Enter');
  await page.getByText('There is no author called “Nobody”.').waitFor();
  await authors.fill('ada lovelace');
  await authors.press('Enter');
  await page.getByRole('button', { name: 'Remove Ada Lovelace' }).waitFor();
  expect(await page.getByText('There is no author called').count()).toBe(0);
  await saved();
  const { data } = (await desk.content.client.send(`/api/articles/${id}?include=tags,authors`)).body;
  expect(data.tags.map(({ slug }: { slug: string }) => slug)).toEqual(['zoo', 'fast', 'zebra']);
  expect(data.authors).toMatchObject([{ slug: 'ada-lovelace' }]);
  await desk.go(page, 'articles');
  const filter = page.getByRole('combobox', { name: 'Tags' });
  await filter.fill('zoo');
  await filter.press('Enter');
  await page.getByText('2 articles', { exact: true }).waitFor();
  await row('At the zoo').waitFor();
  await page.reload();
  await expect.poll(() => filter.inputValue()).toBe('Zoo');
  await filter.fill('no such tag');
  await filter.press('Enter');
  await expect.poll(() => filter.inputValue()).toBe('Zoo');
  await page.getByRole('combobox', { name: 'Authors' }).fill('Ada Lovelace');
  await page.getByRole('combobox', { name: 'Authors' }).press('Enter');
  await filter.fill('');
  await filter.press('Enter');
  await expect.poll(() => new URL(page.url()).search).toBe('?author=ada-lovelace');
  await page.getByText('2 articles', { exact: true }).waitFor();
});

test('looks through what is planned and through the trash', async () => {
  if (browser === undefined) return;
  const { body } = await desk.content.client.post('/api/categories', { name: 'Planning' });
  const planned = { publish_at: '2035-01-31T18:00:00Z' };
  await create({ title: 'Planned flood', ...planned, category_id: body.data.id });
  await create({ title: 'Planned drought', ...planned });
  for (const title of ['Old flood', 'Old drought']) {
    const id = await create({ title, category_id: title === 'Old flood' ? body.data.id : null });
    await desk.content.client.delete(`/api/articles/${id}`);
  }
  await desk.go(page, 'articles');
  await desk.content.client.post('/api/authors', { name: 'Ann' });
  await desk.content.client.post('/api/authors', { name: 'Joanna' });
  await create({ title: 'Planned calm', ...planned, authors: ['joanna', 'ann'] });
  await create({ title: 'Planned storm', ...planned, authors: ['joanna'] });
  await desk.go(page, 'articles?status=scheduled&author=ann');
  await row('Planned calm').waitFor();
  expect(await row('Planned storm').count()).toBe(0);
  await desk.go(page, 'articles');
  const state = page.getByRole('navigation', { name: 'Status' });
  await state.getByRole('link', { name: /^Scheduled/ }).click();
  await row('Planned drought').waitFor();
  await page.getByRole('row', { name: 'Planned flood' }).getByText('Planning').waitFor();
  await page.getByRole('searchbox', { name: 'Search titles and authors' }).fill('FLOOD planned');
  await row('Planned drought').waitFor({ state: 'detached' });
  await row('Planned flood').waitFor();
  await state.getByRole('link', { name: /^Trash/ }).click();
  await page.getByText('No article matches').waitFor();
  await page.getByRole('searchbox', { name: 'Search titles and authors' }).fill('old');
  const deleted = (name: string) => page.getByRole('row', { name });
  await deleted('Old drought').waitFor();
  await page.getByRole('combobox', { name: 'Category' }).selectOption('Planning');
  await deleted('Old drought').waitFor({ state: 'detached' });
  // There is nothing to open: the title selects, which shows what can be done.
  await deleted('Old flood').getByText('Old flood').click();
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByText(/^Brought back “.?Old flood/).waitFor();
  await desk.go(page, 'articles');
  await row('Old flood').waitFor();
});

test('publishes, tags and deletes several at once, each with a way back', async () => {
  if (browser === undefined) return;
  const ids = [await create({ title: 'Bulk one' }), await create({ title: 'Bulk two' })];
  const states = async () => Promise.all(ids.map(async (id) => (await stored(id)).is_published));
  const select = async () => {
    for (const name of ['Select Bulk one', 'Select Bulk two']) await page.getByLabel(name).check();
  };
  await desk.go(page, 'articles?status=all');
  await select();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText('Changed 2 articles').waitFor();
  expect(await states()).toEqual([true, true]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone').waitFor();
  expect(await states()).toEqual([false, false]);
  await select();
  await page.getByRole('button', { name: 'Add tag…' }).click();
  await page.getByRole('dialog').getByLabel('Tags').fill('Sea');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Changed 2 articles').waitFor();
  const tagged = await desk.content.client.send(`/api/articles/${ids[0]}?include=tags`);
  expect(tagged.body.data.tags).toMatchObject([{ name: 'Sea' }]);
  await select();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Moved 2 articles to the trash').waitFor();
  await row('Bulk one').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await row('Bulk one').waitFor();
  await row('Bulk two').waitFor();
});

test('counts each state, and changes all that a filter matches: with a stop, and what failed', async () => {
  if (browser === undefined) return;
  await desk.gallery.put('public/pier.jpg');
  const picture = `${desk.gallery.url}/media/public/pier.jpg`;
  await desk.content.client.post('/api/categories', { name: 'Quay' });
  await desk.content.database.pool.query(
    `insert into content.article (title, slug, content, author, title_words, category_id, featured_image)
     select 'Quay ' || n, 'quay-' || n, $1, 'Test', '{quay}', category.id, $2
     from generate_series(1, 130) n, content.category where category.slug = 'quay'`,
    [`<p>${LONG}</p>`, picture],
  );
  const counts = (await desk.content.client.send('/api/reviews')).body.data;
  await desk.go(page, 'articles?status=draft');
  const drafts = page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: /^Unpublished/ });
  await expect.poll(() => drafts.textContent()).toBe(`Unpublished ${counts.draft}`);
  await page.getByRole('combobox', { name: 'Category' }).selectOption('Quay');
  await page.getByText('130 articles', { exact: true }).waitFor();
  expect(await drafts.textContent()).toBe('Unpublished ');
  const isDrawn = () =>
    page.evaluate<boolean>('document.querySelector(".article-picture img")?.naturalWidth > 0');
  await expect.poll(isDrawn).toBe(true);
  await row('Quay 130').focus();
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByText('2 selected').waitFor();
  await page.getByRole('button', { name: 'Select all 130' }).click();
  await page.getByText('130 selected').waitFor();
  expect(await faultsOf(page, await readAxe())).toEqual([]);

  // One fails, and the work is stopped while others are under way.
  let isOpen: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    isOpen = resolve;
  });
  let deleted = 0;
  await page.route('**/api/desk/content/articles/*', async (route) => {
    if (route.request().method() !== 'DELETE') return route.fallback();
    deleted += 1;
    if (deleted === 1) return route.fulfill({ status: 403, json: { code: 'role_forbids', status: 403 } });
    if (deleted > 20) await gate;
    await route.fallback();
  });
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('17 of 130', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  isOpen();
  await page.getByText('Stopped: 109 articles are unchanged').waitFor();
  await page.getByText(/Moved 20 articles to the trash/).waitFor();
  await page.getByRole('button', { name: 'Which ones?' }).click();
  const failures = page.getByRole('dialog', { name: '1 article was not changed' });
  await failures.getByRole('link', { name: 'Quay 130' }).waitFor();
  await failures.getByRole('button', { name: 'Close' }).click();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByText('110 articles', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('130 articles', { exact: true }).waitFor();
});

test('never publishes what is scheduled by one click', async () => {
  if (browser === undefined) return;
  const publish_at = '2035-02-28T18:00:00Z';
  const id = await create({ title: 'Waits for its time', publish_at });
  const plan = async () => (await desk.content.client.send(`/api/articles/${id}?include=schedule`)).body.data;
  await desk.go(page, 'articles?status=scheduled');
  await page.getByLabel('Select Waits for its time').check();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Publish 1 article now?' });
  await dialog.getByText('1 of them is scheduled and would not wait for its time.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await plan()).toMatchObject({ is_published: false, schedule: { publish_at: expect.any(String) } });
  await page.getByRole('button', { name: 'Unschedule' }).click();
  await page.getByText('Changed 1 article').waitFor();
  expect(await plan()).toMatchObject({ is_published: false, schedule: { publish_at: null } });
});

test('asks before it deletes what readers see or wait for, and says which plan does not come back', async () => {
  if (browser === undefined) return;
  await create({ title: 'Deleted public', is_published: true });
  await create({ title: 'Deleted planned', publish_at: '2035-02-28T18:00:00Z' });
  await desk.go(page, 'articles');
  for (const name of ['public', 'planned']) await page.getByLabel(`Select Deleted ${name}`).check();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Move 2 articles to the trash?' });
  await dialog.getByText('1 is public: readers lose it.').waitFor();
  await dialog.getByText('1 is scheduled: its plan ends, also if it is brought back.').waitFor();
  expect(await faultsOf(page, await readAxe())).toEqual([]);
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Moved 2 articles to the trash').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone · 1 was scheduled: schedule it again').waitFor();
});

test('shows on a calendar what is planned and published, and moves plans by keys and by dragging', async () => {
  if (browser === undefined) return;
  const { client } = desk.content;
  const id = await create({ title: 'Spring tide', publish_at: '2035-01-10T18:00:00Z' });
  await client.put('/api/releases/flood', { publish_at: '2035-01-12T09:00:00Z' });
  await create({ title: 'Of the flood that nobody has foreseen', release: 'flood' });
  await create({ title: 'Seen already', is_published: true });
  const plan = async () =>
    (await client.send(`/api/articles/${id}?include=schedule`)).body.data.schedule.publish_at;
  const day = (date: string) =>
    page.getByRole('listitem').filter({ has: page.locator(`time[datetime="${date}"]`) });
  await desk.go(page, 'articles');
  await page.getByRole('link', { name: 'Calendar' }).click();
  const seen = page.getByRole('link', { name: /Seen already Published/ });
  await seen.waitFor();
  expect(await seen.getAttribute('draggable')).toBe(null);
  await page.getByRole('link', { name: 'See it on the site: Seen already' }).waitFor();
  await desk.go(page, 'articles/calendar?day=2035-01-01');
  const spring = page.getByRole('link', { name: /Spring tide/ });
  await day('2035-01-10')
    .getByRole('link', { name: /Spring tide/ })
    .waitFor();
  await spring.press('Shift+ArrowRight');
  await spring.press('Shift+ArrowDown');
  await day('2035-01-18')
    .getByRole('link', { name: /Spring tide/ })
    .waitFor();
  expect(Date.parse(await plan())).toBe(Date.parse('2035-01-18T18:00:00Z'));
  // An article of a release goes where that goes.
  await page.locator('[data-entry="release-flood"]').dragTo(day('2035-01-24'));
  await day('2035-01-24')
    .getByRole('link', { name: /Of the flood/ })
    .waitFor();
  // A long title stays within its day, whose date is written as everywhere.
  await day('2035-01-24')
    .getByText(/24 Jan/)
    .waitFor();
  const overhang = await day('2035-01-24').evaluate((one) => {
    const ends = [...one.querySelectorAll('.calendar-entry')].map(
      (entry) => entry.getBoundingClientRect().right,
    );
    return Math.max(...ends) - one.getBoundingClientRect().right;
  });
  expect(overhang).toBeLessThan(0);
  // Somebody else was quicker: what they have planned stays.
  await client.patch(`/api/articles/${id}`, { publish_at: '2035-01-20T18:00:00Z' });
  await spring.press('Shift+ArrowLeft');
  await page.getByRole('alert').getByText('Somebody has changed it meanwhile').waitFor();
  await day('2035-01-20')
    .getByRole('link', { name: /Spring tide/ })
    .waitFor();
  expect(await faultsOf(page, await readAxe())).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('link', { name: 'Week' }).click();
  await page.getByText('Times are in the zone of this browser').waitFor();
  expect(await faultsOf(page, await readAxe())).toEqual([]);
  // A finger neither drags nor has keys.
  await desk.go(page, 'articles/calendar?day=2035-01-01');
  await page.getByRole('button', { name: 'Move Spring tide…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move Spring tide…' });
  const time = dialog.getByLabel('Time', { exact: true });
  await time.fill('2025-01-20T18:00');
  await dialog.getByRole('button', { name: 'Move' }).click();
  await dialog.getByRole('alert').getByText(/\S/).waitFor();
  await time.fill('2035-01-21T07:30');
  await dialog.getByRole('button', { name: 'Move' }).click();
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent))
    .toMatch(/^0?7:30.*Spring tide/);
  await page.setViewportSize({ width: 1280, height: 860 });
});

test('keeps filters under a name on the service', async () => {
  if (browser === undefined) return;
  await page.setViewportSize({ width: 360, height: 800 });
  await desk.go(page, 'articles?status=draft&sort=title');
  await page.getByRole('button', { name: 'Save these filters…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save these filters under a name' });
  await dialog.getByLabel('Name of the filter').fill('Drafts by title');
  await dialog.getByLabel('For everybody').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  const tab = page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'Drafts by title' });
  await tab.waitFor();
  // On a phone it lies beyond the other tabs, and comes into sight.
  const end = async () => {
    const box = await tab.boundingBox();
    return box === null ? 9999 : box.x + box.width;
  };
  await expect.poll(end).toBeLessThanOrEqual(360);
  await page.setViewportSize({ width: 1280, height: 860 });
  await desk.go(page, 'articles');
  await tab.click();
  await expect.poll(() => tab.getAttribute('aria-current')).toBe('page');
  expect(new URL(page.url()).search).toBe('?status=draft&sort=title');
  await page.getByRole('button', { name: 'Remove the saved filter' }).click();
  await tab.waitFor({ state: 'detached' });
});

test('deletes for good what is in the trash, some or all of it, once somebody confirms how many', async () => {
  const { client } = desk.content;
  for (const title of ['Gone one', 'Gone two', 'Gone three'])
    await client.delete(`/api/articles/${await create({ title })}`);
  const trash = async () => (await client.send('/api/trash')).body.meta.total as number;
  const before = await trash();
  await desk.go(page, 'articles?status=trash');
  await page.getByLabel('Select Gone one').check();
  await page.getByRole('button', { name: 'Delete for good…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 1 article for good?' });
  await dialog.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText('Deleted 1 article for good').waitFor();
  await page.getByText('Gone one').waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  expect(await trash()).toBe(before - 1);

  await page.getByRole('button', { name: 'Empty the trash…' }).click();
  const all = page.getByRole('dialog', { name: `Delete ${before - 1} articles for good?` });
  await all.getByRole('button', { name: 'Cancel' }).click();
  expect(await trash()).toBe(before - 1);
  await page.getByRole('button', { name: 'Empty the trash…' }).click();
  await all.waitFor();
  // Articles deleted after somebody has looked stay.
  await client.delete(`/api/articles/${await create({ title: 'Gone later' })}`);
  await all.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText(`Deleted ${before - 1} articles for good`).waitFor();
  await page.getByRole('row', { name: 'Gone later' }).waitFor();
  expect(await trash()).toBe(1);
});

test('keeps its place, its range and its focus, and asks for nothing that is not there', async () => {
  if (browser === undefined) return;
  await desk.content.database.pool.query(
    `insert into content.article (title, slug, content, author, title_words)
     select 'Line ' || n, 'line-' || n, $1, 'Test', '{line}' from generate_series(1, 150) n`,
    [`<p>${LONG}</p>`],
  );
  const missing: string[] = [];
  const note = (response: Response) => {
    if (response.status() === 404) missing.push(response.url());
  };
  page.on('response', note);
  await desk.go(page, 'articles?status=draft');
  await row('Line 150').waitFor();
  await page.getByLabel('Select Line 150').click();
  await page.getByLabel('Select Line 148').click({ modifiers: ['Shift'] });
  await page.getByText('3 selected').waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Moved 3 articles to the trash').waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Line 147');
  const scrolled = () => page.evaluate<number>('document.querySelector(".articles-scroller").scrollTop');
  const isThere = async () => {
    await page.evaluate('document.querySelector(".articles-scroller").scrollTop = 6300');
    return row('Line 30').isVisible();
  };
  await expect.poll(isThere).toBe(true);
  await row('Line 30').click();
  await title().fill('Line 30, changed');
  await saved();
  await page.goBack();
  await row('Line 29').waitFor();
  expect(await scrolled()).toBeGreaterThan(6000);
  await page.getByRole('link', { name: 'New article' }).click();
  await page.getByRole('button', { name: 'Back to the articles' }).click();
  const icon = await page.evaluate<string>('document.querySelector("link[rel=icon]").href');
  expect((await fetch(icon)).status).toBe(200);
  page.off('response', note);
  expect(missing).toEqual([]);
});

test('shows what others have done: on the way back at once, and without moving rows while it is open', async () => {
  if (browser === undefined) return;
  await create({ title: 'Written before' });
  await desk.go(page, 'articles');
  await row('Written before').waitFor();
  await page.getByRole('link', { name: 'Media', exact: true }).click();
  await create({ title: 'Written meanwhile' });
  await page.getByRole('link', { name: 'Articles', exact: true }).click();
  await row('Written meanwhile').waitFor();
  await page.getByRole('checkbox', { name: 'Select Written meanwhile' }).check();
  await create({ title: 'Written beside' });
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await page.getByRole('button', { name: '1 new: show' }).waitFor();
  expect(await row('Written beside').count()).toBe(0);
  await page.getByRole('button', { name: '1 new: show' }).click();
  await row('Written beside').waitFor();
  await page.getByText('1 selected').waitFor();
  await desk.gallery.put('meanwhile/pier.jpg');
  await page.getByRole('link', { name: 'Media', exact: true }).click();
  await page.getByRole('grid').getByText('meanwhile').waitFor();
});

test('is walked by keyboard, far beyond what is in the document', async () => {
  if (browser === undefined) return;
  await desk.content.database.pool.query(
    `insert into content.article (title, slug, content, author, title_words)
     select 'Row ' || n, 'row-' || n, $1, 'Test', '{row}' from generate_series(1, 1000) n`,
    [`<p>${LONG}</p>`],
  );
  await desk.go(page, 'articles?status=draft');
  await page.getByText(/^1,\d\d\d articles$/).waitFor();
  const active = () => page.evaluate('document.activeElement?.textContent');
  await page.getByRole('grid').getByRole('link').first().focus();
  const first = await active();
  await page.keyboard.press('ArrowDown');
  await expect.poll(active).not.toBe(first);
  for (let turn = 0; turn < 3; turn += 1) {
    await page.keyboard.press('End');
    const rows = () => page.evaluate('Number(document.querySelector("[role=grid]").ariaRowCount)');
    await expect.poll(rows).toBeGreaterThan((turn + 1) * 100);
  }
  expect(await page.getByRole('row').count()).toBeLessThan(60);
  const last = await active();
  await page.keyboard.press('Enter');
  await expect.poll(() => title().inputValue()).toBe(last);
  await page.keyboard.press('Alt+ArrowLeft');
  await page.getByRole('grid').waitFor();
});
