import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, skipWithout } from '../support/browser.ts';
import { type DeskFixture, deskFixture } from '../support/desk.ts';

const PICTURES = fileURLToPath(new URL('../../docs/pictures', import.meta.url));

const WINDOWS = [
  ['wide', 'light', { width: 1280, height: 800 }],
  ['narrow', 'dark', { width: 360, height: 740 }],
] as const;

const TITLES = [
  'Night trains return to the coast',
  'The harbour wakes up',
  'Council votes on the new bridge',
  'Where the herring went',
  'A library without walls',
  'Storm warning for the islands',
  'Forty years of the ferry',
];

const TEXT = [
  'For the first time in twenty years a night train left the northern terminus yesterday, with nine cars and every berth sold.',
  'The service runs three times a week until spring. A second train is planned for the summer, when the new depot opens.',
  'Passengers who had queued since noon were given coffee, and a printed timetable that already had two corrections in it.',
];

let desk: DeskFixture;
let browser: Browser | undefined;
let articles: readonly number[];

beforeAll(async () => {
  browser = await launchBrowser();
  if (browser === undefined) return;
  desk = await deskFixture();
  await desk.gallery.put(...Array.from({ length: 7 }, (_, index) => `public/coast-${index + 1}.jpg`));
  const { client } = desk.content;
  const category = await client.post('/api/categories', { name: 'Travel' });
  await client.post('/api/tags', { name: 'Trains' });
  await client.post('/api/authors', { name: 'Ada Lovelace' });
  const made: number[] = [];
  for (const [index, title] of TITLES.toReversed().entries()) {
    const { body } = await client.post('/api/articles', {
      title,
      content: TEXT.map((words) => `<p>${words}</p>`).join('\n'),
      excerpt: 'Nine cars, every berth sold, and a timetable with two corrections.',
      category_id: category.body.data.id,
      tags: ['trains'],
      authors: ['ada-lovelace'],
      featured_image: `${desk.gallery.url}/media/public/coast-${index + 1}.jpg`,
      alt_text: 'The coast',
      is_published: index % 3 === 0,
      ...(index % 3 === 1 && { publish_at: '2035-01-31T18:00:00Z' }),
    });
    made.unshift(body.data.id);
  }
  await client.patch(`/api/articles/${made[0]}`, { excerpt: 'Nine cars, and every berth sold.' });
  articles = made;
});
skipWithout(() => browser);
afterAll(async () => {
  await browser?.close();
  await desk?.close();
});

/** The screens of the articles, each as a person gets there. */
const SCREENS: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  articles: async (page) => {
    await desk.go(page, 'articles');
    await page.getByRole('grid').waitFor();
  },
  article: async (page) => {
    await desk.go(page, `articles/${articles[0]}`);
    await page.getByText(/^Published on/).waitFor();
    await page.getByRole('img', { name: 'The coast' }).waitFor();
  },
  history: async (page) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'History' }).click();
    await page.locator('.differences').waitFor();
  },
  pictures: async (page) => {
    await desk.go(page, `articles/${articles[0]}`);
    await page.getByRole('button', { name: 'Choose from the gallery' }).click();
    await page.getByRole('button', { name: 'coast-1.jpg' }).waitFor();
  },
  // The last one: a page with it is not left without a question.
  conflict: async (page) => {
    const copy = `/api/articles/${articles[3]}/working-copy`;
    // The copy of the window before.
    await desk.content.client.delete(copy);
    await desk.go(page, `articles/${articles[3]}`);
    await page.waitForLoadState('networkidle');
    await desk.content.client.put(copy, { title: 'Nine boats, and every one of them came back empty' });
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Where all the herring went');
    await page.getByRole('button', { name: 'Take theirs' }).waitFor();
  },
};

test.each(WINDOWS)('the articles, %s and %s', async (size, colorScheme, viewport) => {
  if (browser === undefined) return;
  const { context, page } = await desk.visit(browser, 'articles', { viewport, colorScheme });
  for (const [screen, show] of Object.entries(SCREENS)) {
    await show(page);
    await expect.poll(() => page.evaluate('[...document.images].every((one) => one.complete)')).toBe(true);
    await page.screenshot({ path: `${PICTURES}/desk-${screen}-${size}-${colorScheme}.png` });
  }
  await context.close();
});
