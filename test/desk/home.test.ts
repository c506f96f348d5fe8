import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type DeskWindows, withDeskWindows } from '../support/desk-windows.ts';
import { FeedHost, rss } from '../support/feed-host.ts';
import { fillLogin } from '../support/gallery-page.ts';
import { startNewsroom } from '../support/news-desk.ts';

const HOUR = 3_600_000;

let desk: DeskWindows;
let owner: Page;
let newsroom: Awaited<ReturnType<typeof startNewsroom>> | undefined;
let database: TestDatabase;
let host: FeedHost;

withDeskWindows(
  async (windows) => {
    desk = windows;
    ({ page: owner } = await windows.window());
    await owner.goto(`${desk.gallery.url}/`);
    await fillLogin(owner);
  },
  async () => {
    [database, host] = await Promise.all([createTestDatabase(), FeedHost.start()]);
    newsroom = await startNewsroom(database.url);
    return { NEWSROOM_URL: newsroom.url };
  },
);
afterAll(async () => {
  await newsroom?.stop();
  await host?.close();
  await database?.drop();
});

const home = (page: Page) => page.getByRole('banner').getByRole('link', { name: 'Home' }).click();
const pathOf = (page: Page) => page.url().slice(`${desk.gallery.url}/desk/`.length);
const group = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const titles = (page: Page, name: string) => group(page, name).getByRole('link').allInnerTexts();

async function open(page: Page): Promise<void> {
  await desk.go(page, 'home');
  await page.getByRole('heading', { level: 1 }).waitFor();
}

test('an empty site begins with the first steps, each with its button', async () => {
  expect(pathOf(owner)).toBe('');
  const steps = group(owner, 'The first steps');
  await steps.getByRole('link', { name: 'Upload' }).waitFor();
  await steps.getByRole('link', { name: 'Name the site' }).waitFor();
  expect(await steps.getByRole('listitem').count()).toBe(4);
  expect(await desk.faultsOf(owner)).toEqual([]);

  await steps.getByRole('link', { name: 'Import from WordPress or Ghost' }).waitFor();
  await steps.getByRole('link', { name: 'Write the first article' }).click();
  await owner.getByRole('textbox', { name: 'Title', exact: true }).waitFor();
  expect(pathOf(owner)).toBe('articles/new');
  await home(owner);
  await steps.getByRole('link', { name: 'Upload' }).click();
  await owner.getByRole('button', { name: 'Files…' }).waitFor();
  await home(owner);
  await steps.getByRole('link', { name: 'Add a source' }).click();
  await owner.getByRole('dialog').waitFor();
  await owner.keyboard.press('Escape');
  await expect.poll(() => pathOf(owner)).toBe('news/sources');
  await desk.go(owner, 'news');
  await owner.getByText('No sources yet').waitFor();
  await owner.getByRole('link', { name: 'Add a source' }).waitFor();
});

test('the desk opens where somebody left, with the start page one click away', async () => {
  await desk.go(owner, 'articles?status=draft');
  await owner.getByRole('banner').waitFor();
  await owner.goto(`${desk.gallery.url}/`);
  await owner.getByRole('navigation', { name: 'Status' }).waitFor();
  expect(pathOf(owner)).toBe('articles?status=draft');
  await home(owner);
  await owner.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await owner.goto(`${desk.gallery.url}/desk/`);
  await owner.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
});

test('everybody sees what is theirs to do', async () => {
  const { client } = desk.content;
  const writer = await desk.enter('Wanda Pen', 'writer');
  const editor = await desk.enter('Edgar Blue', 'editor');
  const photographer = await desk.enter('Fay Lens', 'photographer');
  const due = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
  await open(photographer);
  await group(photographer, 'The first steps').getByRole('link', { name: 'Upload' }).waitFor();
  expect(await group(photographer, 'The first steps').getByRole('listitem').count()).toBe(1);
  const reader = await desk.enter('Rita Eye', 'reader');
  await open(reader);
  await reader.getByText('Nothing needs you').waitFor();

  const authorOf = async (name: string) =>
    (await client.send(`/api/authors?q=${encodeURIComponent(name)}`)).body.data[0].id;
  const authors = [await authorOf('Wanda Pen')];
  await client.article({ title: 'Of somebody else' });
  await client.article({ title: 'The pier', authors: [await authorOf('Edgar Blue')] });
  await client.article({ title: 'The harbour', authors });
  const submitted = await client.article({ title: 'The ferry', authors });
  await client.put(`/api/articles/${submitted.id}/review`, { state: 'submitted', comment: null });
  const other = await client.article({ title: 'The island' });
  await client.put(`/api/articles/${other.id}/review`, { state: 'submitted', comment: null });
  await client.article({ title: 'The lighthouse', authors, publish_at: due(24 * 40) });
  await client.article({ title: 'The mole', publish_at: due(2) });
  await client.article({ title: 'Read by all', is_published: true });
  host.set('/feed.xml', { body: rss([{ guid: '1' }]) });
  const url = host.at('/feed.xml');
  const { body } = await desk.gallery.post('/api/desk/newsroom/sources', { url, name: 'The coast' });
  await database.pool.query(
    `update news.source set failures = 3, failing_since = now() - interval '2 hours',
       last_error = 'it answered with status 404', last_error_code = 'source_missing',
       next_poll_at = now() + interval '1 day' where id = $1`,
    [body.id],
  );

  await open(editor);
  await group(editor, 'Needs attention')
    .getByText(/The source cannot be read since/)
    .waitFor();
  expect(await titles(editor, 'In review')).toEqual(['The island', 'The ferry']);
  expect(await titles(editor, 'Yours, unfinished')).toEqual(['The pier']);
  const next = await titles(editor, 'Scheduled next');
  expect(next.filter((title) => /^The/.test(title))).toEqual(['The mole', 'The lighthouse']);
  expect(next).toContain('Daily report');
  const mole = group(editor, 'Scheduled next').getByRole('listitem').filter({ hasText: 'The mole' });
  await mole.getByText('in 2 hr').waitFor();
  const lighthouse = group(editor, 'Scheduled next').getByRole('listitem').filter({ hasText: 'The light' });
  expect(await lighthouse.getByRole('time').textContent()).toMatch(/^\d+ [A-Z][a-z]+ \d{4}$/);
  expect(await desk.faultsOf(editor)).toEqual([]);
  await group(editor, 'Needs attention').getByRole('link', { name: 'The coast' }).click();
  await expect.poll(() => pathOf(editor)).toBe(`news/sources/${body.id}`);
  await editor
    .getByText(/^Not read since .* Nothing is at its address any more/)
    .first()
    .waitFor();
  expect(await editor.getByText('status 404').count()).toBe(0);

  await open(writer);
  await group(writer, 'Yours, unfinished').waitFor();
  expect(await titles(writer, 'Yours, unfinished')).toEqual(['The harbour']);
  expect(await titles(writer, 'In review')).toEqual(['The ferry']);
  expect(await titles(writer, 'Scheduled next')).toEqual(['The lighthouse', 'Show all']);
  expect(await group(writer, 'Needs attention').count()).toBe(0);

  await open(photographer);
  await group(photographer, 'Scheduled next').waitFor();
  // A step stays until it is done, whatever the others have done.
  await group(photographer, 'The first steps').getByRole('link', { name: 'Upload' }).waitFor();
  const headings = await photographer.getByRole('heading', { level: 2 }).allInnerTexts();
  expect(headings).toEqual(['The first steps', 'Scheduled next']);
});

test('it fits a phone, in Chinese, too', async () => {
  const viewport = { width: 360, height: 800 };
  const page = await desk.enter('Wang Fang', 'editor', { locale: 'zh-CN', viewport, colorScheme: 'dark' });
  await open(page);
  await group(page, '需要处理')
    .getByText(/起无法读取该来源/)
    .waitFor();
  await group(page, '审稿').getByText('待审').first().waitFor();
  await group(page, '即将发布').getByRole('link', { name: '日报' }).waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
});

test('the header fits a phone in every section', async () => {
  await owner.setViewportSize({ width: 360, height: 800 });
  for (const section of ['home', 'media', 'articles', 'organise', 'news', 'people']) {
    await desk.go(owner, section);
    const header = owner.getByRole('banner');
    await expect.poll(() => header.getByRole('link', { name: 'Media' }).count()).toBe(1);
    const cut = await header.evaluate((all) =>
      [all, ...all.querySelectorAll('*')]
        .filter(({ clientWidth, scrollWidth }) => clientWidth > 0 && scrollWidth > clientWidth)
        .map(({ outerHTML }) => outerHTML),
    );
    const { width } = (await header.getByRole('link', { name: 'Home' }).boundingBox()) ?? {};
    expect([section, width, cut]).toEqual([section, 26, []]);
  }
});

test('a service that is away leaves what the others have', async () => {
  await newsroom?.stop();
  await desk.gallery.database.pool.query(`
    insert into gallery.backup_report (reported_at, kept, made_at, bytes, encrypted, due_at, failing)
    values (now(), 3, now() - interval '30 hours', 5e9, true, now() - interval '6 hours', '{}')
  `);
  const hook = { url: 'https://site.example/hook', events: ['article.*'] };
  const { id } = (await desk.content.client.post('/api/hooks', hook)).body.data;
  await desk.content.client.patch(`/api/hooks/${id}`, { is_paused: true });
  await open(owner);
  await group(owner, 'Needs attention').getByRole('link', { name: 'site.example' }).waitFor();
  await group(owner, 'Needs attention').getByRole('link', { name: 'Backups are late or fail' }).waitFor();
  const away = owner.getByRole('alert').filter({ hasText: 'The news could not be loaded.' });
  await away.getByText('The service does not answer at the moment.').waitFor();
  await group(owner, 'Unfinished').getByRole('link', { name: 'The harbour' }).waitFor();
  expect(await desk.faultsOf(owner)).toEqual([]);
});
