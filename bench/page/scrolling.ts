import type { CDPSession, Page } from 'playwright-core';
import { drawing } from '../../test/fixtures/drawing.ts';
import { type Figure, figureOf } from '../figures/figure.ts';
import { quantile } from '../quantile.ts';
import type { PageBench } from './browser.ts';

/** How long the bench scrolls in each view, in ms, and how far in a frame, in px. */
const SCROLLED_MS = 10_000;
const STEP_PX = 160;

/** Entries in a page of a listing. */
const PAGE = 1000;

/** A display's frames, a second. */
const FRAMES = 60;

/** What scripts may hold afterwards, in MB. */
const AIM_MB = 200;

/**
 * Loads a folder and scrolls through it. The answers come from here, so that no store has to be filled: what
 * is measured is the page.
 */
export async function measureScrolling(bench: PageBench, entries: number): Promise<Figure[]> {
  const { context, page } = await bench.visit();
  await answerListings(page, bench, entries);
  const debug = await context.newCDPSession(page);
  await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
  const figures: Figure[] = [];
  for (const view of ['grid', 'table']) {
    await page.goto(`${bench.url}/?path=${encodeURIComponent('scrolled/')}&view=${view}`);
    await page.getByRole('button', { name: 'Load all' }).click();
    await page.getByText(`${entries.toLocaleString('en')} entries`, { exact: true }).waitFor();
    const before = await threadTime(debug);
    const frames: number[] = await page.evaluate(SCROLL);
    const cpu = ((await threadTime(debug)) - before) / frames.length;
    figures.push(...scrollFigures(view, entries, { frames, cpu, megabytes: await heapOf(debug) }));
  }
  figures.push(await emptyPage(await context.newPage(), entries));
  await context.close();
  return figures;
}

/** Scrolls down a step in each frame, then to the very end; resolves to the time between frames, in ms. */
const SCROLL = `new Promise((resolve) => {
  const scroller = document.querySelector('[role="grid"]').parentElement;
  const times = [];
  let last;
  const step = (now) => {
    if (last !== undefined) times.push(now - last);
    last = now;
    scroller.scrollTop += ${STEP_PX};
    if (times.reduce((sum, time) => sum + time, 0) < ${SCROLLED_MS}) return requestAnimationFrame(step);
    scroller.scrollTop = scroller.scrollHeight;
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(times)));
  };
  requestAnimationFrame(step);
})`;

/** What was found in a view. */
interface Scrolled {
  /** The time between frames, in ms. */
  frames: readonly number[];
  /** CPU time of the main thread, in ms a frame. */
  cpu: number;
  /** What scripts hold afterwards. */
  megabytes: number;
}

/** From the time between frames, in ms: a frame was dropped where another one was due in between. */
function scrollFigures(view: string, entries: number, { frames, cpu, megabytes }: Scrolled): Figure[] {
  const total = frames.reduce((sum, ms) => sum + ms, 0);
  const due = (total / 1000) * FRAMES;
  const label = { what: `scrolling, ${view}`, subject: 'page', at: { entries } };
  const one = (metric: string, unit: string, value: number, aim?: number) =>
    figureOf({ ...label, metric, unit, ...(aim !== undefined && { aim }) }, [value]);
  return [
    one('rate', 'frames/s', (frames.length / total) * 1000, FRAMES),
    one('dropped', '% of frames', Math.max(0, (1 - frames.length / due) * 100)),
    one('p99', 'ms', quantile([...frames], 0.99)),
    one('cpu', 'ms a frame', cpu, 1000 / FRAMES),
    one('memory', 'MB', megabytes, AIM_MB),
  ];
}

/** A page with nothing in it that scrolls as far: what the machine can draw in a second. */
async function emptyPage(page: Page, entries: number): Promise<Figure> {
  await page.setContent(
    '<div style="height: 600px; overflow: auto"><div role="grid" style="height: 5000000px"></div></div>',
  );
  const frames: number[] = await page.evaluate(SCROLL);
  const rate = (frames.length / frames.reduce((sum, ms) => sum + ms, 0)) * 1000;
  const label = { what: 'scrolling', subject: 'empty page', metric: 'rate', unit: 'frames/s' };
  return figureOf({ ...label, at: { entries } }, [rate]);
}

/** CPU time of the page's main thread so far, in ms. */
async function threadTime(debug: CDPSession): Promise<number> {
  const { metrics } = await debug.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
}

async function heapOf(debug: CDPSession): Promise<number> {
  await debug.send('HeapProfiler.collectGarbage');
  const { usedSize } = await debug.send('Runtime.getHeapUsage');
  return usedSize / 1_000_000;
}

async function answerListings(page: Page, { url, gallery }: PageBench, entries: number): Promise<void> {
  const thumbnail = await drawing(1);
  const base = `${gallery.store.endpoint}/${gallery.bucket}/`;
  await page.route(
    ({ pathname }) => pathname === '/api/gallery/media',
    (route) => route.fulfill({ contentType: 'image/jpeg', body: thumbnail }),
  );
  await page.route(
    ({ origin, pathname }) => origin === url && pathname === '/api/gallery',
    (route) => {
      const from = Number(new URL(route.request().url()).searchParams.get('continuationToken') ?? 0);
      const files = Array.from({ length: Math.min(PAGE, entries - from) }, (_, index) =>
        fileOf(base, from + index),
      );
      const continuationToken = from + PAGE < entries ? String(from + PAGE) : null;
      const data = { folders: [], files, continuationToken };
      return route.fulfill({ json: { success: true, mode: 'json', data } });
    },
  );
}

function fileOf(base: string, number: number) {
  const name = `picture ${String(number).padStart(6, '0')}.jpg`;
  const path = `scrolled/${name}`;
  const facts = {
    type: 'image',
    size: 123_456,
    contentType: 'image/jpeg',
    lastModified: '2026-11-21T08:00:00.000Z',
  };
  const url = `${base}scrolled/${encodeURIComponent(name)}?X-Amz-Signature=none`;
  return { name, path, ...facts, etag: `"${number}"`, url };
}
