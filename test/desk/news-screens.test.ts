import type { NewsTables } from '@pressroom/news-feed/tables';
import { Kysely, PostgresDialect } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { skipWithout } from '../support/browser.ts';
import { rss } from '../support/feed-host.ts';
import { type NewsDesk, openNewsDesk } from '../support/news-desk.ts';
import { importLines, itemLine } from '../support/newsroom.ts';
import { faultsOf, readAxe } from '../support/screen-faults.ts';

let desk: NewsDesk;
let opened: NewsDesk | undefined;

/** A title that is longer than a narrow window, and has no place to be broken at. */
const LONG = `${'a very long title '.repeat(7)}${'x'.repeat(60)}`;

beforeAll(async () => {
  opened = await openNewsDesk();
  if (opened === undefined) return;
  desk = opened;
  const db = new Kysely<NewsTables>({ dialect: new PostgresDialect({ pool: desk.database.pool }) });
  const now = Date.now();
  const lines = [0, 1, 2, 3].map((index) =>
    itemLine(`n-${index}`, {
      title: index === 0 ? LONG : `Report ${index}`,
      summary: `What is known of ${LONG}`,
      publishedAt: new Date(now - index * 1000).toISOString(),
      category: 'product',
      selected: true,
      score: 80 - index,
      story: index < 2 ? 'one' : 'two',
    }),
  );
  const stories = ['one', 'two'].map((publicId) => ({
    type: 'story',
    publicId,
    title: `${publicId} ${LONG}`,
  }));
  await importLines(db, [...stories, ...lines]);
  desk.host.set('/feed', { body: rss([{ guid: 'a', title: LONG }], { title: LONG }) });
  await desk.elsewhere('POST', '/sources', { url: desk.host.at('/missing'), name: LONG });
  await desk.elsewhere('POST', '/ranking');
});
skipWithout(() => opened?.browser);
afterAll(async () => {
  expect(await opened?.close()).toEqual(opened && []);
});

/** Every screen and dialog, as a person gets there; the first path is that of the screen. */
const SCREENS: Readonly<Record<string, readonly [path: string, show: (page: Page) => Promise<unknown>]>> = {
  today: ['', (page) => page.getByRole('row', { name: 'Report 1' }).waitFor()],
  'the details of an item': [
    '',
    async (page) => {
      await page.getByRole('row', { name: LONG }).click();
      await page.getByRole('button', { name: /^(Leave out|Pick)$/ }).click();
      await page.getByRole('button', { name: /^Undo edit/ }).waitFor();
    },
  ],
  'an item that is edited': [
    '',
    async (page) => {
      await page.getByRole('row', { name: LONG }).waitFor();
      await page.keyboard.press('e');
      await page.getByLabel('Summary').waitFor();
    },
  ],
  'a search without a result': ['?q=nothing', (page) => page.getByText('No item matches').waitFor()],
  'the keyboard shortcuts': [
    '',
    async (page) => {
      await page.getByRole('row', { name: LONG }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  ],
  sources: ['sources', (page) => page.getByRole('link', { name: LONG }).waitFor()],
  'a source that is tried': [
    'sources',
    async (page) => {
      await page.getByRole('link', { name: LONG }).waitFor();
      await page.keyboard.press('a');
      await page.getByLabel('Address').fill(desk.host.at('/feed'));
      await page.getByRole('button', { name: 'Test' }).click();
      await page.getByText('1 entry found').waitFor();
    },
  ],
  'a source': [
    'sources',
    async (page) => {
      await page.getByRole('link', { name: LONG }).click();
      await page.getByRole('button', { name: 'Try them' }).click();
      await page.getByText('0 of 0 entries would be dropped').waitFor();
    },
  ],
  'the report': ['report', (page) => page.getByText('Lead', { exact: true }).waitFor()],
  stories: ['stories', (page) => page.getByRole('link', { name: 'one' }).waitFor()],
  'stories side by side': [
    'stories?a=one&b=two',
    (page) => page.getByRole('button', { name: 'Merge into another story…' }).nth(1).waitFor(),
  ],
  'a story that is merged': [
    'stories?a=one',
    async (page) => {
      await page.getByRole('button', { name: 'Merge into another story…' }).click();
      await page.getByRole('radio').first().waitFor();
    },
  ],
  'the hot list': [
    'hot',
    (page) =>
      page
        .getByText(/2 reports/)
        .first()
        .click(),
  ],
};

test.each([
  // Narrow, and as low as a window at several times its size.
  ['light', 360, 400],
  ['dark', 2560, 1440],
] as const)('no screen has a fault: %s, %i by %i px', async (colorScheme, width, height) => {
  const axe = await readAxe();
  const { context, page, complaints } = await desk.open({ colorScheme, viewport: { width, height } });
  const found: string[] = [];
  for (const [screen, [path, show]] of Object.entries(SCREENS)) {
    await desk.go(path, page);
    await show(page).catch((error: unknown) => {
      throw new Error(`the screen is not reached: ${screen}`, { cause: error });
    });
    found.push(...(await faultsOf(page, axe)).map((fault) => `${screen}: ${fault}`));
  }
  await context.close();
  expect([...found, ...complaints]).toEqual([]);
});

test('the section speaks Chinese where the browser does', async () => {
  const { gallery, browser } = desk;
  const { context, page } = await gallery.visit(browser, { locale: 'zh-CN' });
  await page.goto(`${gallery.url}/desk/news`);
  await page.getByLabel('用户名').fill('editor');
  await page.getByLabel('密码').fill('correct horse battery staple');
  await page.getByRole('button', { name: '登录' }).click();
  await page.getByRole('link', { name: '热榜' }).waitFor();
  await page.getByText('4 条', { exact: true }).waitFor();
  await context.close();
});
