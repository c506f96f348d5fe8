import type { Page } from 'playwright-core';
import { type Figure, figuresOf } from '../figures/figure.ts';
import type { PageBench } from './browser.ts';
import { answerArticles } from './scrolled-lists.ts';

/** What each section may weigh before it is shown, in kB. */
const AIMS = { media: 100, articles: 150, news: 150 } as const;

/**
 * The bytes of a browser's first visit to each section, compressed and with the headers: the document and its
 * files. What the API answers, and thumbnails, belong to the bucket. The editor is loaded with the first
 * article that is opened.
 */
export async function measureFirstLoad(bench: PageBench): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [section, aim] of Object.entries(AIMS)) {
    const page = await bench.visit();
    const loaded = await countLoaded(page, bench.url);
    const weigh = (subject: string, most?: number) => {
      const figure = figuresOf(subject, { files: loaded.files.size });
      figures.push(figure(`first load, ${section}`, 'size', 'kB', loaded.bytes / 1000, most));
    };
    if (section === 'articles') await answerArticles(page, bench, 100, 100);
    await page.goto(`${bench.url}/desk/${section}`, { waitUntil: 'networkidle' });
    weigh('page', aim);
    if (section === 'articles') {
      loaded.files.clear();
      loaded.bytes = 0;
      await page.goto(`${bench.url}/desk/articles/new`, { waitUntil: 'networkidle' });
      await page.getByRole('textbox', { name: 'Text', exact: true }).waitFor();
      weigh('editor');
    }
    await page.context().close();
  }
  return figures;
}

/** Counts the service's files that a page loads, each once: it keeps none while the bench answers it. */
async function countLoaded(page: Page, url: string): Promise<{ files: Set<string>; bytes: number }> {
  const debug = await page.context().newCDPSession(page);
  await debug.send('Network.enable');
  const loaded = { files: new Set<string>(), bytes: 0 };
  const known = new Set<string>();
  debug.on('Network.responseReceived', ({ requestId, response }) => {
    const { pathname, origin } = new URL(response.url);
    if (origin !== url || pathname.startsWith('/api/') || known.has(pathname)) return;
    known.add(pathname);
    loaded.files.add(requestId);
  });
  debug.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (loaded.files.has(requestId)) loaded.bytes += encodedDataLength;
  });
  return loaded;
}
