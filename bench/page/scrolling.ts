import type { CDPSession, Page } from 'playwright-core';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { quantile } from '../quantile.ts';
import type { PageBench } from './browser.ts';
import { LISTS } from './scrolled-lists.ts';

/** How long the bench scrolls in each view, in ms, and how far in a frame, in px. */
const SCROLLED_MS = 10_000;
const STEP_PX = 160;

const FRAMES = 60;

/** What scripts may hold afterwards, in MB. */
const AIM_MB = 200;

/**
 * Loads each list and scrolls through it. The answers come from here, so that nothing has to be filled: what
 * is measured is the page. A page with as many tiles and no script is scrolled as far, which says what the
 * machine draws of them, and an empty one.
 */
export async function measureScrolling(bench: PageBench, entries: number): Promise<Figure[]> {
  const page = await bench.visit();
  const context = page.context();
  const figures: Figure[] = [];
  for (const [name, open] of Object.entries(LISTS)) {
    const what = `scrolling, ${name}`;
    await open(page, bench, entries);
    const { rate, dropped, p99, cpu } = await scroll(page);
    const own = figuresOf('page', { entries });
    figures.push(
      own(what, 'rate', 'frames/s', rate, FRAMES),
      own(what, 'dropped', '% of frames', dropped),
      own(what, 'p99', 'ms', p99),
      own(what, 'cpu', 'ms a frame', cpu, 1000 / FRAMES),
      own(what, 'memory', 'MB', await heapOf(page), AIM_MB),
    );
    const still = await context.newPage();
    await still.setContent(await page.evaluate(STILL), { waitUntil: 'load' });
    const drawn = await scroll(still);
    const plain = figuresOf('the same tiles without scripts', { entries });
    figures.push(plain(what, 'rate', 'frames/s', drawn.rate), plain(what, 'cpu', 'ms a frame', drawn.cpu));
    await still.close();
  }
  const empty = await context.newPage();
  await empty.setContent(EMPTY);
  const { rate } = await scroll(empty);
  figures.push(figuresOf('empty page', { entries })('scrolling', 'rate', 'frames/s', rate));
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

/** The HTML of the page as it stands, with its rows again and again, as far as it is scrolled. */
const STILL = `(() => {
  const html = document.documentElement.cloneNode(true);
  for (const one of html.querySelectorAll('script, img, [rel="modulepreload"]')) one.remove();
  html.querySelector('head').prepend(Object.assign(document.createElement('base'), { href: location.href }));
  const within = '.rows > [role="row"]';
  const [first, second] = [...document.querySelectorAll(within)].map((row) => row.getBoundingClientRect().top);
  const rows = [...html.querySelectorAll(within)];
  const count = Math.ceil(${((SCROLLED_MS / 1000) * FRAMES + FRAMES) * STEP_PX} / (second - first));
  const repeated = Array.from({ length: count }, (_, index) => {
    const row = rows[index % rows.length].cloneNode(true);
    row.style.transform = 'translateY(' + index * (second - first) + 'px)';
    return row;
  });
  const parent = html.querySelector('.rows');
  parent.style.height = count * (second - first) + 'px';
  parent.replaceChildren(...repeated);
  return '<!doctype html>' + html.outerHTML;
})()`;

/** A page with nothing in it that scrolls as far: what the machine can draw in a second. */
const EMPTY =
  '<div style="height: 600px; overflow: auto"><div role="grid" style="height: 5000000px"></div></div>';

/**
 * Scrolls a page: the frames a second, those that were dropped because another one was due in between, in %
 * of those that were due, the time between frames that 99 % of them keep, in ms, and the CPU time of the main
 * thread, in ms a frame.
 */
async function scroll(page: Page) {
  const debug = await page.context().newCDPSession(page);
  await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = await threadTime(debug);
  const frames: number[] = await page.evaluate(SCROLL);
  const cpu = ((await threadTime(debug)) - before) / frames.length;
  await debug.detach();
  const total = frames.reduce((sum, ms) => sum + ms, 0);
  const due = (total / 1000) * FRAMES;
  const dropped = Math.max(0, (1 - frames.length / due) * 100);
  return { rate: (frames.length / total) * 1000, dropped, p99: quantile(frames, 0.99), cpu };
}

/** CPU time of the page's main thread so far, in ms. */
async function threadTime(debug: CDPSession): Promise<number> {
  const { metrics } = await debug.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
}

async function heapOf(page: Page): Promise<number> {
  const debug = await page.context().newCDPSession(page);
  await debug.send('HeapProfiler.collectGarbage');
  const { usedSize } = await debug.send('Runtime.getHeapUsage');
  await debug.detach();
  return usedSize / 1_000_000;
}
