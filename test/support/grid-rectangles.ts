import type { Page } from 'playwright-core';
import { until } from './until.ts';

/**
 * Lists the overlaps in the grid of the page, from its first row to its last: each card with its picture and
 * its name must lie in its own place, and no name may be hidden.
 */
export async function coveredInGrid(page: Page): Promise<string[]> {
  const seen = new Set<string>();
  const faults = new Set<string>();
  for (let height = -1; ; ) {
    await until('every picture is there', () => page.evaluate(SETTLED) as Promise<boolean>);
    const { names, found, scrolled } = (await page.evaluate(COMPARED)) as Compared;
    for (const name of names) seen.add(name);
    for (const fault of found) faults.add(fault);
    if (scrolled === height) break;
    height = scrolled;
  }
  return seen.size === 0 ? ['the grid is empty'] : [...faults];
}

interface Compared {
  names: string[];
  found: string[];
  scrolled: number;
}

/** True once every picture in the document is there, or has turned out to be none. */
const SETTLED = `[...document.querySelectorAll('[role=gridcell]')].every((cell) =>
  cell.classList.contains('folder-card') || cell.querySelector('.kind') !== null ||
  cell.querySelector('img')?.complete === true)`;

/** Compares all rectangles with one another, then scrolls on by less than a window. */
const COMPARED = `(() => {
  const found = [];
  const scroller = document.querySelector('.scroller');
  const area = scroller.getBoundingClientRect();
  const parts = [...document.querySelectorAll('[role=gridcell]')].flatMap((cell) =>
    [cell, ...cell.querySelectorAll('.card-picture, .card-picture img, .card-picture .kind, .card-caption, .card-name')]
      .map((element) => ({ cell, element, box: element.getBoundingClientRect() })));
  const named = ({ cell, element, box }) =>
    JSON.stringify(cell.dataset.path) + ' ' + (element === cell ? 'card' : element.className || element.tagName) +
    ' ' + [box.left, box.top, box.right, box.bottom].map(Math.round);
  for (const [index, one] of parts.entries()) {
    const own = one.cell.getBoundingClientRect();
    const outside = Math.max(own.left - one.box.left, own.top - one.box.top, one.box.right - own.right, one.box.bottom - own.bottom);
    if (outside > 1) found.push(named(one) + ' leaves its card by ' + Math.round(outside) + ' px');
    for (const other of parts.slice(index + 1)) {
      if (other.cell === one.cell) continue;
      const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (width > 1 && height > 1) found.push(named(one) + ' covers ' + named(other));
    }
  }
  for (const { cell, element, box } of parts.filter(({ element }) => element.matches('.card-name'))) {
    if (box.width === 0 || box.height === 0) found.push(JSON.stringify(cell.dataset.path) + ' has no name');
    const x = box.left + Math.min(box.width / 2, 8);
    const y = box.top + box.height / 2;
    if (y < area.top || y > area.bottom) continue;
    if (!cell.contains(document.elementFromPoint(x, y))) found.push(JSON.stringify(cell.dataset.path) + ' has a hidden name');
  }
  scroller.scrollTop += scroller.clientHeight / 2;
  return { names: [...new Set(parts.map(({ cell }) => cell.dataset.path))], found, scrolled: scroller.scrollTop };
})()`;
