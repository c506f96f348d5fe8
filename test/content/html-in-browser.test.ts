import { ATTRIBUTES, HTML_ELEMENTS, isInertAttribute } from '@pressroom/content/html/allowed-html';
import { inspectHtml } from '@pressroom/content/html/inspect-html';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { launchBrowser, skipWithout } from '../support/browser.ts';
import { EMBEDDINGS, HtmlFrames } from '../support/html-frames.ts';
import { mutantsOf } from './html-corpus/mutants.ts';
import { SNIPPETS } from './html-corpus/snippets.ts';
import { VECTORS } from './html-corpus/vectors.ts';

/** Styles that lay an element over the head of a page. */
const OVERLAYS = [
  ...['position:fixed;inset:0', 'position:absolute;top:0;left:0;width:100%;height:100%'],
  ...['margin-top:-300px;height:600px', 'position:relative;top:-200px;height:600px'],
  ...['transform:translateY(-200px);height:600px', 'translate:0 -200px;height:600px', 'scale:40'],
];

/** How many mutants of the vectors are tried. */
const MUTANTS = 6800;

/** The part of the corpus that the check accepts. */
let admitted: string[];
let browser: Browser | undefined;
let frames: HtmlFrames;

beforeAll(async () => {
  admitted = await accepted([
    ...VECTORS,
    ...mutantsOf(VECTORS, MUTANTS),
    ...SNIPPETS.map(([, html]) => html),
  ]);
  browser = await launchBrowser();
  if (browser !== undefined) frames = await HtmlFrames.open(browser);
});

afterAll(async () => {
  await frames?.close();
  await browser?.close();
});

/** The texts of a list that the check accepts. */
async function accepted(texts: readonly string[]): Promise<string[]> {
  const judged = await Promise.all(
    texts.map((html) => inspectHtml(html, { html: 'checked', jsonLd: true, overlays: false })),
  );
  return texts.filter((_, index) => judged[index]?.faults.length === 0);
}

test('the corpus has the expected size, and little of it is accepted', async () => {
  expect(VECTORS.length).toBeGreaterThanOrEqual(236);
  expect((await accepted(VECTORS)).length).toBeLessThan(VECTORS.length / 20);
});

test.each(SNIPPETS)('%s is accepted', async (_what, html) => {
  expect((await inspectHtml(html, { html: 'checked', jsonLd: false, overlays: false })).faults).toEqual([]);
});

describe.each(Object.entries(EMBEDDINGS))('%s', (_what, embed) => {
  skipWithout(() => browser);

  test('running code is detected', async () => {
    expect(await frames.running([embed('<p>x</p>'), embed('<img src=x onerror=alert(1)>')])).not.toEqual([]);
    expect(await frames.running([embed('<a href="java\tscript:alert(1)">x</a>')])).not.toEqual([]);
    expect(await frames.running([embed('<p>x</p>')])).toEqual([]);
  });

  test('nothing that is accepted runs code', async () => {
    const opened = admitted.map((html) => embed(html));
    expect(opened.length).toBeGreaterThan(300);
    expect(await frames.running(opened)).toEqual([]);
  }, 600_000);
});

/** Reflects every property of an element into attributes, and returns the names of those. */
const REFLECT = `(names) => names.flatMap((name) => {
  const element = document.createElement(name);
  const tried = new Set();
  for (let of = Object.getPrototypeOf(element); of; of = Object.getPrototypeOf(of))
    for (const [property, { set }] of Object.entries(Object.getOwnPropertyDescriptors(of))) if (set) tried.add(property);
  for (const property of tried) {
    if (/^(?:inner|outer)|^(?:textContent|nodeValue)$/.test(property)) continue;
    for (const value of [true, 7, 'x', document.createElement('p')]) {
      try { element[property] = value } catch {}
    }
  }
  return element.getAttributeNames();
})`;

describe('a browser', () => {
  skipWithout(() => browser);

  test('knows no attribute that is accepted because none does', async () => {
    const page = await (browser as Browser).newPage();
    onTestFinished(() => page.close());
    const known = new Set<string>(await page.evaluate(`(${REFLECT})(${JSON.stringify(HTML_ELEMENTS)})`));
    expect(known.size).toBeGreaterThan(100);
    const listed = new Set(ATTRIBUTES);
    const misjudged = [...known].filter((name) => isInertAttribute(name) && !listed.has(name));
    expect(misjudged.filter((name) => !/^(?:aria|data)-/.test(name))).toEqual([]);
  });

  test('shows nothing over the page around an article that is accepted', async () => {
    const page = await (browser as Browser).newPage({ viewport: { width: 800, height: 600 } });
    onTestFinished(() => page.close());
    /** Whether the head of the page is still at its corners and in its middle. */
    const isCovered = async (html: string) => {
      await page.setContent(
        `<!doctype html><style>body{margin:0}</style><header style="height:100px">head</header><div>${html}</div>`,
      );
      return page.evaluate(
        `[[5, 5], [795, 5], [400, 50], [5, 95]].some(([x, y]) => document.elementFromPoint(x, y)?.localName !== 'header')`,
      );
    };
    const over = OVERLAYS.map((style) => `<div style="${style};background:red">${'over '.repeat(99)}</div>`);
    for (const html of over) {
      const { faults } = await inspectHtml(html, { html: 'checked', jsonLd: false, overlays: false });
      expect([html, await isCovered(html), faults.length > 0]).toEqual([html, true, true]);
    }
    for (const [what, html] of SNIPPETS) expect([what, await isCovered(html)]).toEqual([what, false]);
  });
});
