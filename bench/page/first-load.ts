import { type Figure, figuresOf } from '../figures/figure.ts';
import type { PageBench } from './browser.ts';

/** What the page may weigh before it shows a folder, in kB. */
const AIM_KB = 150;

/**
 * The bytes of a browser's first visit, compressed and with the headers: the document and its files. What
 * the API answers, and thumbnails, belong to the bucket.
 */
export async function measureFirstLoad({ url, visit }: PageBench): Promise<Figure[]> {
  const { context, page } = await visit();
  const debug = await context.newCDPSession(page);
  await debug.send('Network.enable');
  const ours = new Set<string>();
  let bytes = 0;
  debug.on('Network.responseReceived', ({ requestId, response }) => {
    const { pathname, origin } = new URL(response.url);
    if (origin === url && !pathname.startsWith('/api/')) ours.add(requestId);
  });
  debug.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (ours.has(requestId)) bytes += encodedDataLength;
  });
  await page.goto(`${url}/desk/media?path=${encodeURIComponent('first/')}`, { waitUntil: 'networkidle' });
  await context.close();
  return [figuresOf('page', { files: ours.size })('first load', 'size', 'kB', bytes / 1000, AIM_KB)];
}
