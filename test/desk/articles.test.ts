import type { Browser, Page, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawing } from '../fixtures/drawing.ts';
import { launchBrowser } from '../support/browser.ts';
import { articleBody } from '../support/content-client.ts';
import { type DeskFixture, deskFixture } from '../support/desk.ts';
import { ADMIN, startGallery } from '../support/gallery.ts';
import { fillLogin, type Visit } from '../support/gallery-page.ts';
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
const text = () => page.getByRole('textbox', { name: 'Text', exact: true });
const saved = () => page.getByText('Saved', { exact: true }).waitFor();
const row = (name: string) => page.getByRole('grid').getByRole('link', { name, exact: true });
const stored = async (id: number) => (await desk.content.client.send(`/api/articles/${id}`)).body.data;

/** Creates an article behind the desk's back. */
async function create(body: Record<string, unknown>): Promise<number> {
  const { body: answer } = await desk.content.client.post('/api/articles', articleBody(body));
  return answer.data.id;
}

/** Opens an article of the service, once it is there to be changed. */
async function openArticle(id: number): Promise<void> {
  await desk.go(page, `articles/${id}`);
  await expect.poll(() => title().inputValue()).not.toBe('');
}

/** Shows the source of the text. */
async function showSource(): Promise<void> {
  const source = page.getByRole('button', { name: 'Source' });
  if ((await source.getAttribute('aria-pressed')) === 'false') await source.click();
}

/** Chooses something that is in the menu of an article. */
async function choose(item: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

describe('an article', () => {
  test('is written, saved by itself, published, and changed without showing it', async () => {
    if (browser === undefined) return;
    await page.getByRole('link', { name: 'New article' }).click();
    await title().fill('The harbour');
    await text().pressSequentially('Short. ');
    await page.getByText(/Kept in this browser/).waitFor();
    await text().pressSequentially(LONG);
    await saved();
    const id = Number(new URL(page.url()).pathname.split('/').at(-1));
    const written = { title: 'The harbour', content: `<p>Short. ${LONG}</p>`, is_published: false };
    expect(await stored(id)).toMatchObject(written);
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText(/^Published on/).waitFor();
    await title().fill('The old harbour');
    await saved();
    expect((await stored(id)).title).toBe('The harbour');
    await page.getByText('Changes that readers do not see yet').waitFor();
    await page.getByRole('button', { name: 'Publish changes' }).click();
    await page.getByText(/^Published on/).waitFor();
    expect((await stored(id)).title).toBe('The old harbour');
    await page.getByRole('button', { name: 'Back to the articles' }).click();
    await row('The old harbour').waitFor();
  });

  test('is published by Ctrl + Enter as it is written, without a line break more', async () => {
    if (browser === undefined) return;
    const id = await create({ title: 'By keys', content: `<p>${LONG}</p>` });
    await openArticle(id);
    await text().focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Control+Enter');
    await page.getByText(/^Published on/).waitFor();
    expect(await stored(id)).toMatchObject({ is_published: true, content: `<p>${LONG}</p>` });
  });

  test('is in the list as it is now, whichever way leads there', async () => {
    if (browser === undefined) return;
    await create({ title: 'Before going back' });
    await desk.go(page, 'articles');
    await row('Before going back').click();
    await title().fill('After going back');
    await saved();
    await page.goBack();
    await row('After going back').waitFor();
  });

  test('that somebody else has changed is shown side by side, and overwrites nothing', async () => {
    if (browser === undefined) return;
    const id = await create({ title: 'Two people' });
    await openArticle(id);
    await desk.content.client.patch(`/api/articles/${id}`, { title: 'Theirs of two people' });
    await title().fill('Mine of two people');
    const dialog = page.getByRole('dialog', { name: 'Test has changed this article' });
    await dialog.getByText('Theirs of two people').first().waitFor();
    expect((await stored(id)).title).toBe('Theirs of two people');
    await dialog.getByRole('button', { name: 'Save yours' }).click();
    await saved();
    expect((await stored(id)).title).toBe('Mine of two people');
    await desk.content.client.patch(`/api/articles/${id}`, { title: 'Theirs again' });
    await title().fill('Mine again');
    await dialog.getByRole('button', { name: 'Take theirs' }).click();
    await saved();
    expect(await title().inputValue()).toBe('Theirs again');
  });

  test('that somebody else has changed is overwritten by no key of who is typing', async () => {
    if (browser === undefined) return;
    const id = await create({ title: 'Typing on' });
    await openArticle(id);
    await desk.content.client.patch(`/api/articles/${id}`, { title: 'Theirs, kept' });
    const dialog = page.getByRole('dialog', { name: 'Test has changed this article' });
    await title().fill('Mine');
    await dialog.waitFor();
    for (const key of [' ', 'Enter', 'a', 'Tab', ' ', 'Tab', 'Enter', ' ']) await page.keyboard.press(key);
    expect(await page.evaluate('document.activeElement.tagName')).toBe('DIALOG');
    expect((await stored(id)).title).toBe('Theirs, kept');
    // Escape goes on writing, where the writer was.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.type(', longer');
    expect(await title().inputValue()).toBe('Mine, longer');
    await page.getByText('Not saved: changed by somebody else').waitFor();
    await page.keyboard.press('Control+s');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Compare…' }).click();
    await dialog.getByRole('button', { name: 'Save yours' }).click();
    await saved();
    expect((await stored(id)).title).toBe('Mine, longer');
  });

  test('that is published and has changes of somebody else is not given mine instead', async () => {
    if (browser === undefined) return;
    const id = await create({ title: 'Published by two', is_published: true });
    await openArticle(id);
    const copy = `/api/articles/${id}/working-copy`;
    await desk.content.client.put(copy, { title: 'Theirs, not shown yet' });
    await title().fill('Mine, not shown yet');
    const dialog = page.getByRole('dialog', { name: 'Test has changed this article' });
    await dialog.getByText('Theirs, not shown yet').first().waitFor();
    const kept = async () => (await desk.content.client.send(copy)).body.data.changes;
    expect(await kept()).toEqual({ title: 'Theirs, not shown yet' });
    await dialog.getByRole('button', { name: 'Save yours' }).click();
    await saved();
    expect(await kept()).toEqual({ title: 'Mine, not shown yet' });
    expect((await stored(id)).title).toBe('Published by two');
    await desk.content.client.put(copy, { title: 'Theirs once more' });
    await page.reload();
    await page.getByText(/^Changes that readers do not see yet · Test, \d+ /).waitFor();
    await title().fill('Published by two');
    await page.getByText(/^Published on [^·]+$/).waitFor();
  });

  test('loses nothing when the network is away or the tab is killed', async () => {
    if (browser === undefined) return;
    const id = await create({ title: 'Far away' });
    await openArticle(id);
    await visit.context.route('**/api/desk/content/**', (route) => route.abort());
    await title().fill('Far away, and longer');
    await page.getByText(/^Not saved: The service does not answer/).waitFor();
    const again = await visit.context.newPage();
    const crashed = page.waitForEvent('crash');
    const debug = await visit.context.newCDPSession(page);
    void debug.send('Page.crash').catch(() => undefined);
    await crashed;
    await page.close();
    await visit.context.unrouteAll({ behavior: 'ignoreErrors' });
    page = again;
    await openArticle(id);
    expect(await title().inputValue()).toBe('Far away');
    const offer = page.getByText(/This browser has what was not saved/);
    await offer.waitFor();
    await title().focus();
    await page.keyboard.type('123');
    expect(await title().inputValue()).toBe('Far away');
    // Leaving decides nothing either, nor does an article that cannot be loaded.
    await page.getByRole('button', { name: 'Back to the articles' }).click();
    await row('Far away').waitFor();
    await visit.context.route('**/api/desk/content/**', (route) => route.abort());
    for (let turn = 0; turn < 2; turn += 1) {
      if (turn > 0) await page.goBack();
      await row('Far away').click();
      await page.getByRole('button', { name: 'Try again' }).waitFor();
    }
    await visit.context.unrouteAll({ behavior: 'ignoreErrors' });
    await offer.waitFor();
    expect(await title().inputValue()).toBe('Far away');
    await page.getByRole('button', { name: 'Take it up' }).click();
    await saved();
    expect((await stored(id)).title).toBe('Far away, and longer');
  });

  test('says which service is away, that nothing is lost, and is saved by itself afterwards', async () => {
    if (browser === undefined) return;
    const id = await create({ title: 'Away' });
    await openArticle(id);
    let problem = { code: 'temporarily_unavailable', detail: 'the database is not answering right now' };
    await page.route(`**/api/desk/content/articles/${id}`, (route) => {
      const body = { type: 'about:blank', title: 'x', status: 503, requestId: 'r', ...problem };
      return route.fulfill({ status: 503, json: body, contentType: 'application/problem+json' });
    });
    await title().fill('Away, and kept');
    const kept = 'What you have written is safe in this browser, and is saved as soon as that works again.';
    await page
      .getByText(`Not saved: The database does not answer at the moment. Try again soon. ${kept}`)
      .waitFor();
    problem = { code: 'content_unavailable', detail: 'content does not answer right now; try again' };
    await page.getByRole('button', { name: 'Try again' }).click();
    await page
      .getByText(`Not saved: The service for articles does not answer at the moment. ${kept}`)
      .waitFor();
    await page.evaluate('Object.defineProperty(navigator, "onLine", { value: false })');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.route(`**/api/desk/content/articles/${id}`, (route) => route.abort());
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText(`Not saved: You are offline. ${kept}`).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await saved();
    expect((await stored(id)).title).toBe('Away, and kept');
  });

  test('that is new and left before it is saved is in the list, and calls nobody back', async () => {
    if (browser === undefined) return;
    await desk.go(page, 'articles');
    await page.getByRole('link', { name: 'New article' }).click();
    await title().fill('Left at once');
    await text().fill(LONG);
    await page.getByRole('button', { name: 'Back to the articles' }).click();
    await row('Left at once').waitFor();
    expect(new URL(page.url()).pathname).toMatch(/\/desk\/articles$/);
  });

  test('keeps what is typed while it is published', async () => {
    if (browser === undefined) return;
    const id = await create({ title: 'Typed on' });
    await openArticle(id);
    let publish = () => {};
    const isTyped = new Promise<void>((resolve) => {
      publish = resolve;
    });
    const isSent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.route(`**/api/articles/${id}`, async (route) => {
      if (route.request().method() === 'PATCH') await isTyped;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await isSent;
    await title().fill('Typed on, and on');
    publish();
    await page.getByText('Changes that readers do not see yet').waitFor();
    await saved();
    expect(await title().inputValue()).toBe('Typed on, and on');
    expect(await stored(id)).toMatchObject({ title: 'Typed on', is_published: true });
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('stays open on a Mac, where Option + ← moves by a word', async () => {
    if (browser === undefined) return;
    const { page: mac, context, complaints } = await desk.visit(browser, 'articles');
    await mac.addInitScript("Object.defineProperty(navigator, 'platform', { value: 'MacIntel' })");
    await desk.go(mac, `articles/${await create({ title: 'By a word' })}`);
    const heading = mac.getByRole('textbox', { name: 'Title', exact: true });
    await heading.press('Alt+ArrowLeft');
    await heading.pressSequentially('!');
    expect(await heading.inputValue()).toContain('!');
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('goes on where it was when the session ends', async () => {
    if (browser === undefined) return;
    const id = await create({ title: 'Ended' });
    await openArticle(id);
    await visit.context.clearCookies();
    await title().fill('Ended, and gone on');
    const dialog = page.getByRole('dialog', { name: 'Log in again' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.type('abc');
    expect(await title().inputValue()).toContain('abc');
    await title().fill('Ended, and gone on');
    await page.getByRole('button', { name: 'Log in again' }).click();
    await dialog.getByLabel('Username').fill(ADMIN.username);
    await dialog.getByLabel('Password').fill(ADMIN.password);
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await saved();
    expect((await stored(id)).title).toBe('Ended, and gone on');
  });

  test('gets its slug made of what is typed, and one that is taken stops nothing else', async () => {
    if (browser === undefined) return;
    await create({ title: 'Taken', slug: 'taken' });
    const id = await create({ title: 'Slugged' });
    await openArticle(id);
    const slug = page.getByLabel('Slug', { exact: true });
    await slug.fill('Über die Brücke!');
    await slug.press('Tab');
    await expect.poll(() => slug.inputValue()).toBe('uber-die-brucke');
    await saved();
    expect((await stored(id)).slug).toBe('uber-die-brucke');
    await slug.fill('taken');
    await title().fill('Slugged, and saved');
    await page.getByRole('alert').getByText('another article already has this slug').first().waitFor();
    await expect.poll(async () => (await stored(id)).title).toBe('Slugged, and saved');
    expect((await stored(id)).slug).toBe('uber-die-brucke');
    await slug.fill('free');
    await saved();
    expect((await stored(id)).slug).toBe('free');
  });

  test('that is new begins at its title, and says why it cannot be published', async () => {
    if (browser === undefined) return;
    await desk.go(page, 'articles');
    await page.getByRole('link', { name: 'New article' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.placeholder')).toBe('Title');
    await page.keyboard.type('Not yet');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Not published: it needs a title and 50 characters of text.').waitFor();
  });

  test('gets an author who is not there yet, once somebody asks to make one', async () => {
    const id = await create({ title: 'By a new author' });
    await desk.go(page, `articles/${id}`);
    const authors = page.getByRole('combobox', { name: 'Authors' });
    await authors.fill('Grace Hopper');
    await authors.press('Enter');
    await page.getByText('There is no author called “Grace Hopper”.').waitFor();
    await page.getByRole('button', { name: 'Make the author “Grace Hopper”' }).click();
    await page.getByRole('button', { name: 'Remove Grace Hopper' }).waitFor();
    await saved();
    expect(await authors.inputValue()).toBe('');
    expect((await stored(id)).author).toBe('Grace Hopper');
  });

  test('is planned for a time, and the plan is taken back', async () => {
    if (browser === undefined) return;
    const id = await create({ title: 'Tomorrow' });
    await openArticle(id);
    await choose('Schedule…');
    const dialog = page.getByRole('dialog', { name: 'When readers see it' });
    await dialog.getByLabel('Publish at').fill('2001-01-01T08:00');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/past|future/)
      .waitFor();
    await dialog.getByLabel('Publish at').fill('2035-01-31T18:00');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/Will be published on 31 Jan 2035/).waitFor();
    await desk.go(page, 'articles?status=scheduled');
    await row('Tomorrow').click();
    await choose('Schedule…');
    await dialog.getByLabel('Publish at').fill('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Draft', { exact: true }).waitFor();
    await desk.content.client.patch(`/api/articles/${id}`, { publish_at: '2035-01-31T18:00:00Z' });
    await desk.go(page, 'articles?status=scheduled&q=tomorrow');
    await page.getByLabel('Select Tomorrow').check();
    await page.getByRole('button', { name: 'Unpublish' }).click();
    await page.getByText('Changed 1 article').waitFor();
    await page.getByText('No article matches').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await row('Tomorrow').click();
    await choose('Take back the plan');
    await page.getByText('Draft', { exact: true }).waitFor();
  });

  test('has a history by words, from which a revision comes back', async () => {
    if (browser === undefined) return;
    const id = await create({ title: 'History', content: `<p>${LONG}</p>` });
    await desk.content.client.patch(`/api/articles/${id}`, {
      content: `<p>${LONG.replace('quiet', 'loud')}</p>`,
    });
    await openArticle(id);
    await choose('History');
    const dialog = page.getByRole('dialog', { name: 'History of this article' });
    await dialog.locator('del', { hasText: 'quiet' }).waitFor();
    await dialog.locator('ins', { hasText: 'loud' }).waitFor();
    await dialog.getByRole('button', { name: 'Restore this revision' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await stored(id)).content).toContain('quiet');
    await expect.poll(() => text().textContent()).toContain('quiet');
  });

  test('has a link at which its page shows it before it is public', async () => {
    if (browser === undefined) return;
    const id = await create({ title: 'Preview me' });
    await openArticle(id);
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    const link = page.getByRole('link', { name: 'Open the preview' });
    const address = new URL((await link.getAttribute('href')) ?? '');
    expect(address.origin + address.pathname).toBe('https://site.example/articles/preview-me');
    const token = address.searchParams.get('preview') ?? '';
    const seen = await desk.content.client.anonymously(
      `/api/articles/${id}?preview=${encodeURIComponent(token)}`,
    );
    expect(seen.body.data.title).toBe('Preview me');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  });

  test('gets its picture from the gallery or into its public folder, and a hidden one is said', async () => {
    if (browser === undefined) return;
    await desk.gallery.put('public/pier.jpg', 'public/plan.svg', 'private/secret.jpg');
    const id = await create({ title: 'Pictures' });
    await openArticle(id);
    await page.getByRole('button', { name: 'Choose from the gallery' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pictures' });
    await dialog.getByRole('button', { name: 'Up to All files' }).click();
    await dialog.getByRole('button', { name: 'private' }).click();
    await dialog.getByText('Readers cannot see files of this folder').waitFor();
    expect(await dialog.getByRole('button', { name: 'secret.jpg' }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Up to All files' }).click();
    await dialog.getByRole('button', { name: 'public' }).click();
    await dialog.getByRole('button', { name: 'pier.jpg' }).waitFor();
    // The service gives readers no SVG to look at.
    expect(await dialog.getByRole('button', { name: 'plan.svg' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'pier.jpg' }).click();
    await saved();
    const address = `${desk.gallery.url}/media/public/pier.jpg`;
    expect((await stored(id)).featured_image).toBe(address);
    const file = { name: 'pier.jpg', mimeType: 'image/jpeg', buffer: await drawing(5) };
    await page.locator('[data-upload="featured"]').setInputFiles(file);
    await expect.poll(async () => (await stored(id)).featured_image).not.toBe(address);
    const uploaded = (await stored(id)).featured_image;
    expect(uploaded).toBe(`${desk.gallery.url}/media/public/pier%20(2).jpg`);
    expect((await fetch(uploaded)).status).toBe(200);
    // Browsers show no HEIC, so readers get a rendition.
    await desk.gallery.put('public/phone.heic');
    await page.getByRole('button', { name: 'Choose from the gallery' }).click();
    await dialog.getByRole('button', { name: 'phone.heic' }).click();
    await expect
      .poll(async () => (await stored(id)).featured_image)
      .toBe(`${desk.gallery.url}/media/public/phone.heic?w=1920`);
    // A folder may have more than comes at once.
    const many = Array.from({ length: 1000 }, (_, index) => `public/notes/${index}.txt`);
    await Promise.all([...many, 'public/notes/z.jpg'].map((key) => desk.gallery.put(key)));
    await page.getByRole('button', { name: 'Choose from the gallery' }).click();
    await dialog.getByRole('button', { name: 'notes' }).click();
    await dialog.getByRole('button', { name: 'More pictures' }).click();
    await dialog.getByRole('button', { name: 'z.jpg' }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Picture', exact: true }).click();
    await dialog.getByRole('button', { name: 'pier.jpg', exact: true }).click();
    await page.getByLabel('Alternative text').fill('The pier');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect
      .poll(async () => (await stored(id)).content)
      .toContain('public/pier.jpg" alt="The pier" width="640" height="480">');
    await showSource();
    await text().fill(`<p>${LONG}</p><img src="${desk.gallery.url}/media/private/100%.jpg" alt="A secret">`);
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    const warning = page.getByRole('dialog', { name: 'Readers cannot see 1 picture' });
    await warning.getByRole('button', { name: 'Cancel' }).click();
    expect((await stored(id)).is_published).toBe(false);
  });
});

describe('the list', () => {
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
    await openArticle(id);
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
    const state = page.getByRole('combobox', { name: 'Status' });
    await state.selectOption('Scheduled');
    await row('Planned drought').waitFor();
    await page.getByRole('row', { name: 'Planned flood' }).getByText('Planning').waitFor();
    await page.getByRole('searchbox', { name: 'Search titles and authors' }).fill('FLOOD planned');
    await row('Planned drought').waitFor({ state: 'detached' });
    await row('Planned flood').waitFor();
    await state.selectOption('Trash');
    await page.getByText('No article matches').waitFor();
    await page.getByRole('searchbox', { name: 'Search titles and authors' }).fill('old');
    const deleted = (name: string) => page.getByRole('row', { name });
    await deleted('Old drought').waitFor();
    await page.getByRole('combobox', { name: 'Category' }).selectOption('Planning');
    await deleted('Old drought').waitFor({ state: 'detached' });
    await page.getByLabel('Select Old flood').check();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Brought back 1 article').waitFor();
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
    // What is deleted after somebody has looked stays.
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
});

/** The screens of the section, as a person gets there. */
const SCREENS: Readonly<Record<string, (page: Page, id: number) => Promise<unknown>>> = {
  'the list': async (window) => {
    await desk.go(window, 'articles');
    await window.getByRole('grid').waitFor();
  },
  'a selection': (window) => window.getByRole('checkbox').first().check(),
  'an empty list': async (window) => {
    await desk.go(window, 'articles?q=nothingofthekind');
    await window.getByText('No article matches').waitFor();
  },
  'a new article': async (window) => {
    await desk.go(window, 'articles/new');
    await window.getByRole('textbox', { name: 'Title', exact: true }).fill('A title');
    await window.getByText(/Kept in this browser/).waitFor();
  },
  'an article': async (window, id) => {
    await desk.go(window, `articles/${id}`);
    await window.getByText(/^Published on/).waitFor();
  },
  'its menu': async (window) => {
    await window.getByRole('button', { name: 'More actions' }).click();
    await window.getByRole('menuitem', { name: 'Schedule…' }).waitFor();
  },
  'its schedule': async (window) => {
    await window.getByRole('menuitem', { name: 'Schedule…' }).click();
    await window.getByRole('dialog').waitFor();
  },
  'its history': async (window, id) => {
    await desk.go(window, `articles/${id}`);
    await window.getByRole('button', { name: 'More actions' }).click();
    await window.getByRole('menuitem', { name: 'History' }).click();
    await window.locator('.history-entry').first().waitFor();
  },
  'its pictures': async (window, id) => {
    await desk.go(window, `articles/${id}`);
    await window.getByRole('button', { name: 'Choose from the gallery' }).click();
    await window.getByRole('button', { name: 'pier.jpg' }).waitFor();
  },
  'the keys': async (window) => {
    await desk.go(window, 'articles');
    await window.getByRole('grid').waitFor();
    await window.keyboard.press('?');
    await window.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  },
};

test.each([
  ['light', 360],
  ['dark', 2560],
] as const)('no screen has a fault: %s, %i px wide', async (colorScheme, width) => {
  if (browser === undefined) return;
  const id = await create({ title: `A long title ${'of many words '.repeat(12)}`, is_published: true });
  await desk.gallery.put('public/pier.jpg');
  const options = { colorScheme, viewport: { width, height: 800 } };
  const other = await desk.visit(browser, 'articles', options);
  const axe = await readAxe();
  const found: string[] = [];
  for (const [screen, show] of Object.entries(SCREENS)) {
    await show(other.page, id).catch((error: unknown) => {
      throw new Error(`the screen is not reached: ${screen}`, { cause: error });
    });
    found.push(...(await faultsOf(other.page, axe)).map((fault) => `${screen}: ${fault}`));
  }
  await other.context.close();
  expect([...found, ...other.complaints]).toEqual([]);
});

test('the section speaks Chinese where the browser does', async () => {
  if (browser === undefined) return;
  const other = await desk.gallery.visit(browser, { locale: 'zh-CN' });
  await desk.go(other.page, 'articles');
  await other.page.getByLabel('用户名').fill(ADMIN.username);
  await other.page.getByLabel('密码').fill(ADMIN.password);
  await other.page.getByRole('button', { name: '登录' }).click();
  await other.page.getByRole('link', { name: '新建文章' }).waitFor();
  await other.context.close();
});

test('where content is not connected the section says so, and the others go on', async () => {
  if (browser === undefined) return;
  const { CONTENT_URL: _, ...settings } = desk.gallery.settings;
  const service = await startGallery(settings);
  const other = await desk.gallery.visit(browser);
  await other.page.goto(`${service.url}/desk/articles`);
  await fillLogin(other.page);
  await other.page.getByRole('heading', { name: 'Articles are not connected' }).waitFor();
  await other.page.getByRole('link', { name: 'Media' }).click();
  await other.page.getByRole('gridcell').first().waitFor();
  expect(other.complaints).toEqual([]);
  await other.context.close();
  await service.close();
});

test('a section that cannot be loaded says so, and is there when it can', async () => {
  if (browser === undefined) return;
  const { page: other, context, complaints } = await desk.visit(browser, 'media');
  await context.route('**/assets/articles-*.js', (route) => route.abort());
  await other.getByRole('link', { name: 'Articles' }).click();
  await other.getByText('The service does not answer.').waitFor();
  await context.unroute('**/assets/articles-*.js');
  await other.getByRole('button', { name: 'Try again' }).click();
  await other.getByRole('link', { name: 'New article' }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});
