import type { Page } from 'playwright-core';
import { drawing } from '../../test/fixtures/drawing.ts';
import type { PageBench } from './browser.ts';

/** Entries in a page of a listing of the gallery, and of a list of articles. */
const PAGE = 1000;
const ARTICLES = 100;

/** Articles that are not there yet when the list is scrolled: its pages come in meanwhile. */
const TO_COME = 2000;

/** Opens a list of so many entries, where it is scrolled from. */
type OpenList = (page: Page, bench: PageBench, entries: number) => Promise<unknown>;

/** The lists that are scrolled, by name. */
export const LISTS: Readonly<Record<string, OpenList>> = {
  grid: openFolder('grid'),
  table: openFolder('table'),
  articles: openArticles,
};

function openFolder(view: string): OpenList {
  return async (page, bench, entries) => {
    await answerListings(page, bench, entries);
    await page.goto(`${bench.url}/desk/media?path=${encodeURIComponent('scrolled/')}&view=${view}`);
    await page.getByRole('button', { name: 'Load all' }).click();
    await page.getByText(`${entries.toLocaleString('en')} entries`, { exact: true }).waitFor();
  };
}

/** At the end of what is loaded. */
async function openArticles(page: Page, bench: PageBench, entries: number): Promise<void> {
  const loaded = Math.max(ARTICLES, entries - TO_COME);
  await answerArticles(page, bench, entries, loaded);
  await page.goto(`${bench.url}/desk/articles`);
  await page.locator(`[role="grid"][aria-rowcount="${loaded}"]`).waitFor();
  await page.evaluate(`{
    const scroller = document.querySelector('[role="grid"]').parentElement;
    scroller.scrollTop = scroller.scrollHeight - 4000;
  }`);
}

/** Answers for content: the first page is as long as what the reader is taken to have scrolled already. */
export async function answerArticles(
  page: Page,
  { url }: PageBench,
  entries: number,
  loaded: number,
): Promise<void> {
  await answer(page, `${url}/api/desk`, ({ pathname, searchParams }) => {
    if (pathname === '/api/desk') return { success: true, data: DESK };
    if (!pathname.endsWith('/articles')) return { data: [] };
    const from = Number(searchParams.get('cursor') || 0);
    const to = from === 0 ? loaded : Math.min(from + ARTICLES, entries);
    const data = Array.from({ length: to - from }, (_, index) => articleOf(from + index));
    return {
      data,
      meta: { total: entries, page: 1, total_pages: 1, next_cursor: to < entries ? `${to}` : null },
    };
  });
}

/** Answers every request whose address begins so with JSON. */
function answer(page: Page, beginning: string, jsonFor: (url: URL) => unknown): Promise<unknown> {
  return page.route(
    ({ href }) => href.startsWith(beginning),
    (route) => route.fulfill({ json: jsonFor(new URL(route.request().url())) }),
  );
}

const DESK = {
  person: 'editor',
  sections: { content: { state: 'ready' }, newsroom: { state: 'not_configured' } },
  media: { publicPrefixes: [] },
  site: null,
};

function articleOf(number: number) {
  const time = '2026-11-21T08:00:00.000Z';
  return {
    id: number + 1,
    title: `Article ${number} of a list that has no end`,
    author: 'Ada Lovelace',
    category: { id: 1, name: 'Travel', slug: 'travel' },
    is_published: number % 3 !== 0,
    published_at: number % 3 === 0 ? null : time,
    updated_at: time,
  };
}

async function answerListings(page: Page, { url, gallery }: PageBench, entries: number): Promise<void> {
  const base = `${gallery.store.endpoint}/${gallery.bucket}/`;
  await answer(page, `${url}/api/gallery?`, ({ searchParams }) => {
    const from = Number(searchParams.get('continuationToken') ?? 0);
    const length = Math.min(PAGE, entries - from);
    const files = Array.from({ length }, (_, index) => fileOf(base, from + index));
    const continuationToken = from + PAGE < entries ? String(from + PAGE) : null;
    return { success: true, mode: 'json', data: { folders: [], files, continuationToken } };
  });
  const body = await drawing(1);
  await page.route(
    ({ pathname }) => pathname === '/api/gallery/media',
    (route) => route.fulfill({ contentType: 'image/jpeg', body }),
  );
}

function fileOf(base: string, number: number) {
  const name = `picture ${String(number).padStart(6, '0')}.jpg`;
  return {
    name,
    path: `scrolled/${name}`,
    type: 'image',
    size: 123_456,
    contentType: 'image/jpeg',
    lastModified: '2026-11-21T08:00:00.000Z',
    etag: `"${number}"`,
    url: `${base}scrolled/${encodeURIComponent(name)}?X-Amz-Signature=none`,
  };
}
