import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** The source of axe-core, for {@link faultsOf}. */
export function readAxe(): Promise<string> {
  return readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
}

/** Lists axe-core's findings, content outside the window and what a thumb misses, each with its element. */
export async function faultsOf(page: Page, axe: string): Promise<string[]> {
  // Through the debugger: the document's policy allows no script that is not its own.
  await page.evaluate(axe);
  const violations: string[] = await page.evaluate(`axe
    .run(document, { resultTypes: ['violations', 'incomplete'] })
    .then(({ violations, incomplete }) => {
      const undecided = incomplete.filter(({ id }) => id === 'color-contrast');
      return [...violations, ...undecided].flatMap(({ id, nodes }) => {
        const faulty = nodes.filter(({ any }) => !any.some(({ data }) => ${SETTLED}.includes(data?.messageKey)));
        return faulty.map(({ html, any }) => id + ': ' + html + ' ' + any.map(({ message }) => message).join());
      });
    })`);
  return [...violations, ...((await page.evaluate(OUTSIDE)) as string[]), ...(await misfits(page))];
}

/** Lists check boxes, radio buttons and titles of lists that a thumb misses, and boxes like fields. */
function misfits(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll(${BOXES})]
    .filter((one) => one.checkVisibility())
    .filter((one) => {
      const { width, height } = one.getBoundingClientRect();
      const isSmall = innerWidth <= 760 && Math.min(width, height) < 24;
      return isSmall || (one.matches('input') && Math.max(width, height) > 24);
    })
    .map((one) => 'of a wrong size: ' + one.outerHTML.slice(0, 200))`);
}

const BOXES = JSON.stringify('[type="checkbox"], [type="radio"], a:is(.article-title, .item-title)');

/**
 * Contrasts that axe-core need not decide on: a part is hidden or below a dialog, a field is empty, or a text
 * is a single digit.
 */
const SETTLED = JSON.stringify([
  'bgOverlap',
  'elmPartiallyObscured',
  'elmPartiallyObscuring',
  'emptyValue',
  'shortTextContent',
]);

/** Lists content beyond the sides of the window, unless its list is scrolled to it. */
const OUTSIDE = `(() => {
  const scrolls = (element) => {
    for (let one = element.parentElement; one !== null && one !== document.body; one = one.parentElement) {
      if (/auto|scroll|hidden/.test(getComputedStyle(one).overflowX)) return true;
    }
    return false;
  };
  const found = [...document.querySelectorAll('button, a, input, h1, h2, p, dialog, [role]')].filter((element) => {
    const { left, right, width } = element.getBoundingClientRect();
    if (width <= 1 || element.closest('.unseen') !== null) return false;
    return (left < -1 || right > innerWidth + 1) && !scrolls(element);
  });
  if (document.documentElement.scrollWidth > innerWidth) found.push(document.documentElement);
  return found.map((element) => 'outside the window: ' + element.outerHTML.slice(0, 160));
})()`;
