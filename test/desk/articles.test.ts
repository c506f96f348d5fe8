import type { Browser, Page } from 'playwright-core';
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

/** Publishes what is open, now. */
async function publish(): Promise<void> {
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish now' }).click();
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
    await title().press('Enter');
    await page.keyboard.type('Short. ');
    await saved();
    await page.getByText('https://site.example/articles/the-harbour', { exact: true }).waitFor();
    const short = Number(new URL(page.url()).pathname.split('/').at(-1));
    expect(await stored(short)).toMatchObject({ title: 'The harbour', content: '<p>Short. </p>' });
    await text().pressSequentially(LONG);
    await expect.poll(async () => (await stored(short)).content).toBe(`<p>Short. ${LONG}</p>`);
    const id = Number(new URL(page.url()).pathname.split('/').at(-1));
    const written = { title: 'The harbour', content: `<p>Short. ${LONG}</p>`, is_published: false };
    expect(await stored(id)).toMatchObject(written);
    await publish();
    await page.getByText(/^Published on/).waitFor();
    const onSite = page.getByRole('link', { name: 'See it on the site' });
    expect(await onSite.getAttribute('href')).toBe('https://site.example/articles/the-harbour');
    await title().fill('The old harbour');
    await page.getByRole('textbox', { name: 'What was wrong' }).fill('It is older.');
    await page.getByRole('button', { name: 'Add the correction' }).click();
    await page.getByText('It is older.').waitFor();
    await saved();
    expect((await stored(id)).title).toBe('The harbour');
    await page.getByText('Changes that readers do not see yet').waitFor();
    await page.getByRole('button', { name: 'Publish changes' }).click();
    await page.getByText(/^Published on/).waitFor();
    const corrections = [{ at: expect.any(String), text: 'It is older.' }];
    expect(await stored(id)).toMatchObject({ title: 'The old harbour', corrections });
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
    await page.getByRole('dialog').getByRole('button', { name: 'Publish now' }).press('Enter');
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
    const offer = page.getByText(/This browser has unsaved changes/);
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
    await page.getByRole('button', { name: 'Use them' }).click();
    await expect.poll(async () => (await stored(id)).title).toBe('Far away, and longer');
  });

  test('makes one article where the page was gone before its creation was answered', async () => {
    if (browser === undefined) return;
    await desk.go(page, 'articles/new');
    let isThere = () => {};
    const arrived = new Promise<void>((resolve) => {
      isThere = resolve;
    });
    await page.route('**/api/desk/content/drafts', async (route) => {
      await route.fetch();
      isThere();
    });
    await title().fill('Reloaded at once');
    await arrived;
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.reload();
    await page.getByRole('button', { name: 'Use them' }).click();
    await saved();
    const { body } = await desk.content.client.send('/api/articles?status=all&q=Reloaded');
    expect(body.data.map(({ title }: { title: string }) => title)).toEqual(['Reloaded at once']);
  });

  test('says which service is away, that nothing is lost, and is saved by itself afterwards', async () => {
    if (browser === undefined) return;
    const id = await create({ title: 'Away' });
    await openArticle(id);
    let problem = { code: 'temporarily_unavailable', detail: 'not now', reason: 'database' };
    await page.route(`**/api/desk/content/drafts/${id}`, (route) => {
      const body = { type: 'about:blank', title: 'x', status: 503, requestId: 'r', ...problem };
      return route.fulfill({ status: 503, json: body, contentType: 'application/problem+json' });
    });
    await title().fill('Away, and kept');
    const kept =
      'What you have written is safe in this browser, and is saved as soon as the service answers again.';
    await page
      .getByText(`Not saved: The database does not answer at the moment. Try again soon. ${kept}`)
      .waitFor();
    problem = { code: 'content_unavailable', detail: 'not now', reason: '' };
    await page.getByRole('button', { name: 'Try again' }).click();
    await page
      .getByText(`Not saved: The service for articles does not answer at the moment. ${kept}`)
      .waitFor();
    await page.evaluate('Object.defineProperty(navigator, "onLine", { value: false })');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.route(`**/api/desk/content/drafts/${id}`, (route) => route.abort());
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
    let goOn = () => {};
    const isTyped = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const isSent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.route(`**/api/articles/${id}`, async (route) => {
      if (route.request().method() === 'PATCH') await isTyped;
      await route.continue();
    });
    await publish();
    await isSent;
    await title().fill('Typed on, and on');
    goOn();
    await page.getByText('Changes that readers do not see yet').waitFor();
    await saved();
    expect(await title().inputValue()).toBe('Typed on, and on');
    expect(await stored(id)).toMatchObject({ title: 'Typed on', is_published: true });
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test.each([360, 1280])('keeps its buttons where they are while it is saved, %i px wide', async (width) => {
    if (browser === undefined) return;
    const id = await create({ title: 'Steady' });
    await page.setViewportSize({ width, height: 800 });
    await openArticle(id);
    const place = () => page.getByRole('button', { name: 'Publish', exact: true }).boundingBox();
    await page.getByRole('button', { name: 'More actions' }).waitFor();
    const before = await place();
    const places: Record<string, Awaited<ReturnType<typeof place>>> = {};
    const seen = async (words: string) => {
      await page.getByRole('status').getByText(words, { exact: true }).waitFor();
      places[words] = await place();
    };
    let answer = () => {};
    const isSeen = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(`**/drafts/${id}`, async (route) => {
      await isSeen;
      await route.continue();
    });
    await title().fill('Steady on');
    await seen('Saved on this device');
    answer();
    await seen('Saved');
    await page.unrouteAll({ behavior: 'wait' });
    await page.setViewportSize({ width: 1280, height: 860 });
    expect(places).toEqual({ 'Saved on this device': before, Saved: before });
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
    // Somebody writes while it ends; whatever is asked next opens the dialog.
    await title().fill('Ended, and gone on');
    await visit.context.clearCookies();
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
    const slug = page.getByLabel('Address', { exact: true });
    await slug.fill('Über die Brücke!');
    await slug.press('Tab');
    await expect.poll(() => slug.inputValue()).toBe('uber-die-brucke');
    await saved();
    expect((await stored(id)).slug).toBe('uber-die-brucke');
    await slug.fill('taken');
    await title().fill('Slugged, and saved');
    await page.getByRole('alert').getByText('Another page has this address.').first().waitFor();
    await expect.poll(async () => (await stored(id)).title).toBe('Slugged, and saved');
    expect((await stored(id)).slug).toBe('uber-die-brucke');
    await slug.fill('free');
    await saved();
    expect((await stored(id)).slug).toBe('free');

    await openArticle(await create({ title: 'Seen', is_published: true }));
    await slug.fill('seen-here');
    await page.getByText('The old address keeps working').waitFor();
  });

  test('that is new begins at its title, and says why it cannot be published', async () => {
    if (browser === undefined) return;
    await desk.go(page, 'articles');
    await page.getByRole('link', { name: 'New article' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.placeholder')).toBe('Title');
    await page.keyboard.type('Not yet');
    await saved();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    const sheet = page.getByRole('dialog', { name: 'Publish this article' });
    expect(await sheet.getByRole('button', { name: 'Publish now' }).count()).toBe(0);
    await sheet.getByRole('button', { name: 'Write at least 50 characters of text' }).click();
    await expect.poll(() => text().evaluate((element) => element.matches(':focus'))).toBe(true);
    await title().fill('');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await sheet.getByRole('button', { name: 'Write a title' }).click();
    await expect.poll(() => title().evaluate((element) => element.matches(':focus'))).toBe(true);
    await page.keyboard.type('Now');
    await text().fill(LONG);
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await sheet.getByText('https://site.example/articles/').waitFor();
    await sheet.getByRole('button', { name: 'Change: Summary' }).click();
    const summary = page.locator('[data-member="excerpt"] textarea');
    await expect.poll(() => summary.evaluate((element) => element.matches(':focus'))).toBe(true);
    await page.keyboard.type('What it is about');
    await publish();
    await page.getByText(/^Published on/).waitFor();
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
    expect(await page.getByText('There is no author called').count()).toBe(0);
    expect((await stored(id)).author).toBe('Grace Hopper');
  });

  test('is planned for a time, and the plan is taken back', async () => {
    if (browser === undefined) return;
    const id = await create({ title: 'Tomorrow' });
    await openArticle(id);
    await choose('Schedule…');
    const dialog = page.getByRole('dialog', { name: 'When readers see it' });
    await dialog.getByLabel('Publish at', { exact: true }).fill('2001-01-01T08:00');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('This time is in the past. Choose a later one.').waitFor();
    expect(await dialog.getByLabel('Publish at', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await page.getByText('Not saved').count()).toBe(0);
    await choose('Schedule…');
    await dialog.getByLabel('Publish at', { exact: true }).fill('2035-01-31T18:00');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/Will be published on 31 Jan 2035/).waitFor();
    await desk.go(page, 'articles?status=scheduled');
    await row('Tomorrow').click();
    await choose('Schedule…');
    await dialog.getByLabel('Publish at', { exact: true }).fill('');
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
    // On what is planned, one click publishes nothing.
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    const sheet = page.getByRole('dialog', { name: 'Publish this article' });
    expect(await sheet.getByRole('radio', { name: 'At a time' }).isChecked()).toBe(true);
    await sheet.getByLabel('Time', { exact: true }).fill('2035-02-01T18:00');
    await sheet.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByText(/Will be published on 1 Feb 2035/).waitFor();
    await page.getByRole('button', { name: 'Unschedule' }).click();
    await page.getByText('Draft', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await sheet.getByRole('radio', { name: 'At a time' }).check();
    // Fields are taller, and as wide as the dialog.
    const { width = 0, height = 0 } = (await sheet.getByRole('radio').first().boundingBox()) ?? {};
    expect(Math.max(width, height)).toBeLessThanOrEqual(24);
    // The next full hour, which may be set further or emptied.
    const time = sheet.getByLabel('Time', { exact: true });
    expect(await time.inputValue()).toMatch(/T\d\d:00$/);
    await time.fill('');
    await sheet.getByRole('button', { name: 'Schedule', exact: true }).click();
    await sheet.getByRole('alert').getByText('Enter a day and a time.').waitFor();
    await sheet.getByLabel('Time', { exact: true }).fill('2035-02-01T18:00');
    await sheet.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByText(/Will be published on 1 Feb 2035/).waitFor();
    // Somebody else is quicker.
    await desk.content.client.patch(`/api/articles/${id}`, { is_published: true });
    await page.getByRole('button', { name: 'Unschedule' }).click();
    await page.getByText(/^Not changed: It was published before that/).waitFor();
    await page.getByText(/^Published on/).waitFor();
  });

  test('says that it is published once its time has come', async () => {
    if (browser === undefined) return;
    const publish_at = new Date(Date.now() + 1500).toISOString();
    await openArticle(await create({ title: 'In a second', publish_at }));
    await page.getByText(/^Published on/).waitFor();
    await page.getByRole('button', { name: 'Unschedule' }).waitFor({ state: 'detached' });
  });

  test('has a history by days, which shows the differences first and gives back a part or all', async () => {
    if (browser === undefined) return;
    await desk.gallery.put('public/then.jpg', 'public/now.jpg');
    const body = (level: number, word: string, picture: string) =>
      `<h${level}>Boats</h${level}><p>${LONG.replace('quiet', word)}</p><p>It stays.</p>
      <figure><img src="${picture}" alt="The pier"></figure>`;
    const addresses = ['then', 'now'].map((name) => `${desk.gallery.url}/media/public/${name}.jpg`);
    const [then = '', now] = addresses.map((one, index) =>
      body(2 + index, index === 0 ? 'quiet' : 'loud', one),
    );
    const id = await create({ title: 'History', content: then, is_published: true });
    await desk.content.client.patch(`/api/articles/${id}`, { is_published: false });
    await desk.content.client.patch(`/api/articles/${id}`, { content: now });
    await openArticle(id);
    await choose('History');
    const dialog = page.getByRole('dialog', { name: 'History of this article' });
    await dialog.getByRole('button', { name: /Published/ }).click();
    await dialog.getByText('1 earlier change').waitFor();
    const heading = dialog.getByRole('region', { name: 'Heading 2, now Heading 3' });
    await heading.waitFor();
    const pictures = dialog.getByRole('region', { name: 'Picture', exact: true }).getByRole('img');
    const shown = await pictures.evaluateAll((all) => all.map((one) => one.getAttribute('src')));
    expect(shown).toEqual(addresses);
    const words = dialog.getByRole('region', { name: 'Paragraph' });
    await words.locator('del', { hasText: 'quiet' }).waitFor();
    await words.locator('ins', { hasText: 'loud' }).waitFor();
    expect(await dialog.getByText('It stays.').isVisible()).toBe(false);
    await heading.getByRole('button', { name: 'Restore this part' }).click();
    await heading.waitFor({ state: 'detached' });
    await words.waitFor();
    await expect.poll(async () => (await stored(id)).content).toContain('<h2>Boats</h2>');
    expect((await stored(id)).content).toContain('loud');
    await dialog.getByRole('button', { name: 'Restore this revision' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await stored(id)).content).toContain('quiet');
    await expect.poll(() => text().textContent()).toContain('quiet');
    // What is published comes back as changes too, in place of those that nobody has seen.
    await desk.content.client.patch(`/api/articles/${id}`, { content: now, is_published: true });
    await desk.content.client.put(`/api/articles/${id}/working-copy`, { content: `<p>${LONG} Unseen.</p>` });
    await openArticle(id);
    await expect.poll(() => text().textContent()).toContain('Unseen');
    await choose('History');
    await dialog.locator('.history-entry').last().click();
    await dialog.getByText('Restoring it replaces, for good, the changes').waitFor();
    await dialog.getByRole('button', { name: 'Restore this revision' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => text().textContent()).toContain('quiet');
    await page.getByText('Changes that readers do not see yet').waitFor();
    expect((await stored(id)).content).toContain('loud');
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
    await dialog.getByRole('button', { name: 'secret.jpg Copy into public/ and use it' }).click();
    const copied = `${desk.gallery.url}/media/public/secret.jpg`;
    await expect.poll(async () => (await stored(id)).featured_image).toBe(copied);
    expect((await fetch(copied)).status).toBe(200);
    await page.getByRole('button', { name: 'Choose from the gallery' }).click();
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
    // A file uploaded there is chosen at once; the latest ones of all public folders come first.
    const boats = { name: 'boats.jpg', mimeType: 'image/jpeg', buffer: await drawing(6) };
    await dialog.locator('[data-upload="gallery"]').setInputFiles(boats);
    await page.getByLabel('Alternative text').fill('Boats');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(async () => (await stored(id)).content).toContain('public/boats.jpg" alt="Boats"');
    await page.getByRole('button', { name: 'Picture', exact: true }).click();
    await dialog.getByRole('button', { name: 'Latest' }).click();
    await expect.poll(() => dialog.getByRole('listitem').first().textContent()).toBe('boats.jpg');
    await dialog.getByRole('searchbox').fill('PÏER');
    await expect.poll(() => dialog.getByRole('listitem').count()).toBe(2);
    await dialog.getByRole('button', { name: 'pier.jpg', exact: true }).click();
    await page.getByLabel('Alternative text').fill('The pier');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect
      .poll(async () => (await stored(id)).content)
      .toContain('public/pier.jpg" alt="The pier" width="640" height="480">');
    // What the text says of a picture is not asked for again.
    await page.getByRole('button', { name: 'Choose from the gallery' }).click();
    await dialog.getByRole('button', { name: 'pier.jpg', exact: true }).click();
    await expect.poll(async () => (await stored(id)).alt_text).toBe('The pier');
    await showSource();
    await text().fill(`<p>${LONG}</p><img src="${desk.gallery.url}/media/private/100%.jpg" alt="A secret">`);
    await publish();
    const warning = page.getByRole('dialog', { name: 'Readers cannot see 1 picture' });
    await warning.getByRole('button', { name: 'Cancel' }).click();
    expect((await stored(id)).is_published).toBe(false);
  });
});

test('the panel shows an article as search engines and networks do, and what each falls back to', async () => {
  if (browser === undefined) return;
  const id = await create({ title: 'Boats', excerpt: 'All of the harbour.' });
  await openArticle(id);
  const result = page.getByRole('figure', { name: 'As a search result' });
  const card = page.getByRole('figure', { name: 'Facebook, LinkedIn' });
  await result.getByText('site.example › articles › boats').waitFor();
  await page.getByLabel('Title in search results').fill('Boats of the harbour');
  await card.getByText('Boats of the harbour').waitFor();
  await page.getByLabel('Title on networks').fill('</script><b>Look</b>');
  await card.getByText('</script><b>Look</b>').waitFor();
  await result.getByText('Boats of the harbour').waitFor();
  await card.getByText('All of the harbour.').waitFor();
  const file = { name: 'card.jpg', mimeType: 'image/jpeg', buffer: await drawing(6) };
  await page.locator('[data-upload="social"]').setInputFiles(file);
  await card.getByRole('presentation').waitFor();
  await page.getByLabel('Original address').fill('javascript:alert(1)');
  await page.getByText('Not saved:').waitFor();
  await expect
    .poll(() => stored(id))
    .toMatchObject({
      meta_title: 'Boats of the harbour',
      canonical_url: null,
      social_title: '</script><b>Look</b>',
      social_image: `${desk.gallery.url}/media/public/card.jpg`,
    });
  await page.getByLabel('Original address').fill('https://first.example/boats');
  await saved();
  await result.getByText('first.example › boats').waitFor();
  await page.getByRole('button', { name: 'Remove it' }).click();
  await expect.poll(async () => (await stored(id)).social_image).toBeUndefined();
});

test('what readers would miss leads to its place, from the panel and the publish sheet, and stops nothing', async () => {
  if (browser === undefined) return;
  await desk.gallery.put('public/pier.jpg');
  const picture = `${desk.gallery.url}/media/public/pier.jpg`;
  const id = await create({
    title: `Boats ${'of the harbour '.repeat(5)}`,
    content: `<h2>Pier</h2><p>${LONG} <a href="/articles/gone">old news</a>
      <a href="http://127.0.0.1:1/">inside</a></p><h4>Deep</h4>
      <figure><img src="${picture}" alt=""></figure><p><img src="${picture}" alt="" role="presentation"></p>
      ${'<p>And so on.</p>'.repeat(40)}`,
  });
  await openArticle(id);
  const items = page.getByRole('list', { name: 'Checks' }).getByRole('button');
  await expect
    .poll(() => items.allTextContents())
    .toEqual([
      ...['There is no summary', 'No author is chosen', 'There is no featured image'],
      ...['Search results cut the title off', '1 picture has no description'],
      ...[
        'A heading level is skipped before “Deep”',
        'A link leads to a page that does not exist: /articles/gone',
      ],
    ]);
  const selected = () => page.evaluate<string>('getSelection().toString()');
  await page.getByRole('button', { name: 'Check 1 link to other sites' }).click();
  await items.getByText('A link cannot be checked: http://127.0.0.1:1/').click();
  await expect.poll(selected).toBe('inside');
  await items.getByText('is skipped').click();
  await expect.poll(selected).toBe('Deep');
  await items.getByText('picture has').click();
  await page.locator('.rich-text-surface .ProseMirror-selectednode').waitFor();
  // Nothing of the text shows above its tools.
  const above = await page.locator('.article-writing').evaluate((writing) => {
    writing.scrollTop = 500;
    const tools = writing.querySelector('.rich-text-tools');
    return (tools?.getBoundingClientRect().top ?? 0) - writing.getBoundingClientRect().top;
  });
  expect(above).toBe(0);
  await items.getByText('No author').click();
  const isAtAuthors = () =>
    page.getByLabel('Authors', { exact: true }).evaluate((one) => one.matches(':focus'));
  await expect.poll(isAtAuthors).toBe(true);
  await items.getByText('no summary').click();
  await page.keyboard.type('All of it.');
  await expect.poll(() => page.locator('[data-member="excerpt"] textarea').inputValue()).toBe('All of it.');
  await items.getByText('no summary').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  const sheet = page.getByRole('dialog', { name: 'Publish this article' });
  await sheet
    .getByRole('button', { name: 'A link leads to a page that does not exist: /articles/gone' })
    .click();
  await sheet.waitFor({ state: 'detached' });
  await expect.poll(selected).toBe('old news');
  await publish();
  await page.getByText(/^Published on/).waitFor();
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
    await window.getByText('Saved', { exact: true }).waitFor();
  },
  'what it needs before it is published': async (window) => {
    await window.getByRole('button', { name: 'Publish', exact: true }).click();
    await window.getByRole('dialog').getByText('Before readers can see it:').waitFor();
  },
  'when it is published': async (window) => {
    await window.keyboard.press('Escape');
    await window.getByRole('dialog').waitFor({ state: 'detached' });
    await window.getByRole('textbox', { name: 'Text', exact: true }).fill(LONG);
    await window.getByRole('button', { name: 'Publish', exact: true }).click();
    await window.getByRole('dialog').getByRole('radio', { name: 'At a time' }).check();
  },
  'an article': async (window, id) => {
    await desk.go(window, `articles/${id}`);
    await window.getByText(/^Published on/).waitFor();
    await window.getByRole('figure', { name: 'X', exact: true }).waitFor();
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
    await window.getByRole('button', { name: 'Restore this part' }).first().waitFor();
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
  await desk.content.client.patch(`/api/articles/${id}`, { content: `<h2>Boats</h2><p>${LONG}</p>` });
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

test('a title waits for its text, which takes the words after Enter', async () => {
  if (browser === undefined) return;
  const { page: other, context } = await desk.visit(browser, 'articles');
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await context.route('**/assets/rich-text-*.js', async (route) => {
    await held;
    await route.continue();
  });
  await other.getByRole('link', { name: 'New article' }).click();
  await other.getByRole('status').getByText('Loading').waitFor({ state: 'attached' });
  const heading = other.getByRole('textbox', { name: 'Title', exact: true });
  expect(await heading.count()).toBe(0);
  release();
  await heading.fill('Typed at once');
  await heading.press('Enter');
  await other.keyboard.type('The first words.');
  await expect.poll(() => heading.inputValue()).toBe('Typed at once');
  await other.getByText('The first words.').waitFor();
  await context.close();
});
