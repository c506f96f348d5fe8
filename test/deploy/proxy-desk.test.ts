import { findFreePort } from '@pressroom/embedded-postgres/ports';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { Kysely, PostgresDialect } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drawing } from '../fixtures/drawing.ts';
import { launchBrowser, skipWithout } from '../support/browser.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type DeskFixture, deskFixture } from '../support/desk.ts';
import { FeedHost, rss } from '../support/feed-host.ts';
import { fillLogin, type Visit } from '../support/gallery-page.ts';
import { needsNginx } from '../support/needs-nginx.ts';
import { startNewsroom } from '../support/news-desk.ts';
import { importLines, itemLine } from '../support/newsroom.ts';
import { hasNginx, type RunningProxy, startProxy, upstreamOf } from '../support/proxy.ts';

needsNginx();

/** A domain that browsers find on this machine, with the names below it. */
const DOMAIN = 'localhost';

/** A file of items, in bytes: other routes refuse as much. */
const IMPORTED = 4 * 2 ** 20;

let browser: Browser | undefined;
let news: TestDatabase;
let feeds: FeedHost;
let newsroom: Awaited<ReturnType<typeof startNewsroom>>;
let desk: DeskFixture;
let proxy: RunningProxy | undefined;
let origin: string;
let visit: Visit;
let page: Page;

beforeAll(async () => {
  if (!hasNginx) return;
  browser = await launchBrowser();
  if (browser === undefined) return;
  const port = await findFreePort();
  origin = `https://${DOMAIN}:${port}`;
  [news, feeds] = await Promise.all([createTestDatabase(), FeedHost.start()]);
  newsroom = await startNewsroom(news.url);
  desk = await deskFixture({
    NEWSROOM_URL: newsroom.url,
    TRUST_PROXY: '1',
    // As it is by default: this is the page as a site's people have it.
    COOKIE_SECURE: 'true',
    S3_PUBLIC_ENDPOINT: `https://store.${DOMAIN}:${port}`,
  });
  await desk.gallery.allowUploads(origin);
  const gallery = upstreamOf(desk.gallery.url);
  proxy = await startProxy({
    DOMAIN,
    TLS_LISTEN: `127.0.0.1:${port}`,
    CONTENT_UPSTREAM: upstreamOf(desk.content.url),
    GALLERY_ADMIN_UPSTREAM: gallery,
    MEDIA_UPSTREAM: gallery,
    STORE_UPSTREAM: upstreamOf(desk.gallery.store.endpoint),
  });
  // The proxy signs its first certificate itself.
  visit = await desk.gallery.visit(browser, {
    ignoreHTTPSErrors: true,
    viewport: { width: 1280, height: 800 },
  });
  page = visit.page;
  page.setDefaultTimeout(60_000);
});
skipWithout(() => browser);
afterAll(async () => {
  await browser?.close();
  await proxy?.close();
  await desk?.close();
  await newsroom?.stop();
  await feeds?.close();
  await news?.drop();
  expect(visit?.complaints ?? []).toEqual([]);
});

const button = (name: string) => page.getByRole('button', { name, exact: true });

/** Asks for a path beside the page, with its cookies. */
const ask = (path: string, options = {}) => page.request.fetch(origin + path, options);

test('one address and one login, under a policy that names the store, in cookies for TLS alone', async () => {
  const answer = await page.goto(`${origin}/`);
  expect(new URL(page.url()).pathname).toBe('/desk/');
  expect(await answer?.headerValue('content-security-policy')).toContain(
    `img-src 'self' https://store.${DOMAIN}`,
  );
  expect(await answer?.headerValue('strict-transport-security')).toContain('includeSubDomains');
  await fillLogin(page);
  const cookies = await visit.context.cookies();
  expect(cookies.length).toBeGreaterThan(0);
  for (const { name, secure, httpOnly, sameSite } of cookies) {
    expect([name.startsWith('__Host-'), secure, httpOnly, sameSite]).toEqual([true, true, true, 'Strict']);
  }
});

test('its files are compressed, and kept by the browser for good', async () => {
  const document = await (await ask('/desk/articles')).text();
  const [script = ''] = /assets\/main-\w+\.js/.exec(document) ?? [];
  for (const [accepted, coding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
  ] as const) {
    const headers = (await ask(`/${script}`, { headers: { 'accept-encoding': accepted } })).headers();
    expect([headers['content-encoding'], headers.vary]).toEqual([coding, 'Accept-Encoding']);
    expect(headers['cache-control']).toContain('immutable');
  }
});

test('a file is uploaded to the store, and seen', async () => {
  await page.goto(`${origin}/desk/media?path=public%2F`);
  const file = { name: 'pier.jpg', mimeType: 'image/jpeg', buffer: await drawing(5) };
  await page.locator('[data-upload="files"]').setInputFiles(file);
  await page.getByText('1 file uploaded').waitFor();
  await expect
    .poll(() => page.evaluate(`document.querySelector('[role="gridcell"] img')?.naturalWidth > 0`))
    .toBe(true);
});

test('an article is written with a picture, saved, published, and read at the same address', async () => {
  await page.getByRole('link', { name: 'Articles' }).click();
  await page.getByRole('link', { name: 'New article' }).click();
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('The harbour');
  const text = 'The harbour was quiet in the morning, and the first boats came in after nine.';
  await page.getByRole('textbox', { name: 'Text', exact: true }).pressSequentially(text);
  await button('Choose from the gallery').click();
  await page.getByRole('dialog', { name: 'Pictures' }).getByRole('button', { name: 'pier.jpg' }).click();
  const pasted = (await drawing(6)).toString('base64');
  await page.evaluate(`(() => {
    const data = new DataTransfer();
    const bytes = Uint8Array.from(atob('${pasted}'), (letter) => letter.charCodeAt(0));
    data.items.add(new File([bytes], 'mole.jpg', { type: 'image/jpeg' }));
    const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
    document.querySelector('.rich-text-surface').dispatchEvent(event);
  })()`);
  await page.getByLabel('Alternative text').fill('The mole');
  await button('Apply').click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const id = Number(new URL(page.url()).pathname.split('/').at(-1));
  await button('Publish').click();
  await button('Publish now').click();
  await page.getByText(/^Published on/).waitFor();
  const { data } = await (await ask(`/api/articles/${id}`)).json();
  const picture = `${origin}/media/public/pier.jpg`;
  expect(data).toMatchObject({ content: expect.stringContaining(text), featured_image: picture });
  expect(data.content).toContain(`<img src="${origin}/media/public/mole.jpg" alt="The mole"`);
  expect((await ask('/media/public/pier.jpg')).headers()['content-type']).toBe('image/jpeg');
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('The old harbour');
  await page.getByText('Changes that readers do not see yet').waitFor();
  await button('Publish changes').click();
  await page.getByText(/^Published on/).waitFor();
});

test('an article is planned for a time', async () => {
  await page.goto(`${origin}/desk/articles/new`);
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Tomorrow');
  const text = 'What will be known tomorrow is written today, with more than fifty characters.';
  await page.getByRole('textbox', { name: 'Text', exact: true }).pressSequentially(text);
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Schedule…' }).click();
  const dialog = page.getByRole('dialog', { name: 'When readers see it' });
  await dialog.getByLabel('Publish at', { exact: true }).fill('2035-01-31T18:00');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/Will be published on 31 Jan 2035/).waitFor();
});

test('an article as large as content takes it is passed on', async () => {
  const content = `<p>${'harbour '.repeat(120_000)}</p>`;
  const status = await page.evaluate(`fetch('/api/desk/content/articles', { method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: ${JSON.stringify(JSON.stringify({ title: 'As long as a book', content }))} }).then(({ status }) => status)`);
  expect(status).toBe(201);
});

test('the news is edited', async () => {
  const db = new Kysely<NewsTables>({ dialect: new PostgresDialect({ pool: news.pool }) });
  const at = { publishedAt: new Date().toISOString(), language: 'en' };
  await importLines(db, [itemLine('n-1', { title: 'The ferry is back', ...at })]);
  await page.goto(`${origin}/desk/news`);
  await page.getByRole('row', { name: 'The ferry is back' }).click();
  await page.keyboard.press('s');
  await page.getByText('Picked “The ferry is back”').first().waitFor();
  await page.keyboard.press('u');
  await page
    .getByRole('row', { name: 'The ferry is back' })
    .getByText('Picked', { exact: true })
    .waitFor({ state: 'detached' });
});

test('a file of items may be larger than an article, and what is larger still is refused', async () => {
  const status = (bytes: number) =>
    page.evaluate(`fetch('/api/desk/newsroom/import', { method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ lines: ' '.repeat(${bytes}), dryRun: true }) }).then(({ status }) => status)`);
  expect(await status(IMPORTED)).toBe(200);
  expect(await status(3 * IMPORTED)).toBe(413);
});

test('a source is added after a trial, and the report with its news is published', async () => {
  feeds.set('/feed', { body: rss([{ guid: 'a', title: 'A tunnel is built' }], { title: 'The feed' }) });
  await page.goto(`${origin}/desk/news/sources`);
  await page.getByText('No sources yet').waitFor();
  await page.keyboard.press('a');
  const form = page.getByRole('dialog', { name: 'Add a source' });
  await form.getByLabel('Address').fill(feeds.at('/feed'));
  await form.getByRole('button', { name: 'Test' }).click();
  await form.getByText('A tunnel is built').waitFor();
  await form.getByLabel('What is picked').selectOption('all');
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  const selected = `select 1 from news.item where title = 'A tunnel is built' and selected`;
  await expect.poll(async () => (await news.pool.query(selected)).rowCount).toBe(1);
  await page.goto(`${origin}/desk/news/report`);
  await page.getByText('A tunnel is built').first().waitFor();
  await button('Publish early').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish early' }).click();
  await page.getByText('Published: Daily', { exact: true }).first().waitFor();
  expect((await news.pool.query('select report::text from news.daily')).rows[0].report).toContain(
    'A tunnel is built',
  );
});
