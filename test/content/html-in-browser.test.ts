import { inspectHtml } from '@pressroom/content/html/article-parser';
import { ATTRIBUTES, HTML_ELEMENTS, isInertAttribute } from '@pressroom/content/html/purifier';
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
  ...['-webkit-margin-before:-900px;height:2000px', 'box-shadow:0 0 0 9999px red', 'outline:999px solid red'],
  ...['writing-mode:vertical-lr;margin-inline-start:-900px;height:2000px', 'rotate:90deg;width:800px'],
  ...['transform-origin:50% -40px;transform:rotate(180deg)', 'width:800px;transform:rotate(90deg)'],
  ...['filter:drop-shadow(0 -90px red)', '-webkit-box-reflect:above 0', 'text-shadow:0 -101px red'],
  ...['text-decoration:underline red;text-underline-offset:-101px', '-webkit-text-stroke:300px red'],
  ...[
    'border:1px solid;border-image:linear-gradient(red,red) 1/999px/999px',
    'zoom:50;outline:9px solid red',
  ],
  ...['-epub-writing-mode:vertical-lr;text-indent:-50px;height:900px'],
];

/** Styles that lay an element over the head of a page from within one that is `position: relative`. */
const INNER_OVERLAYS = [
  ...['bottom:0;left:0;width:3000px;height:3000px', 'bottom:0;padding:300px', 'bottom:60px;height:100%'],
  ...['bottom:100%;left:0;width:100%;height:100%', 'bottom:0;margin-bottom:60px', 'inset-block-end:60px'],
  ...['bottom:0;width:100%;aspect-ratio:1', 'bottom:0;border-top:900px solid'],
  ...['bottom:0;-webkit-logical-height:900px', 'position:relative;display:block;top:-60px'],
];

/** Articles that lay an element over the head of a page because what is around it does not hold it. */
const LOOSE_OVERLAYS = [
  ['div', 'position:relative;display:contents'],
  ['div', "font-family:'x;position:relative;y'"],
  ['table', 'position:relative'],
].map(
  ([name, style]) =>
    `<${name} style="${style}"><a style="position:absolute;top:0;left:0;width:100%;height:100%">x</a></${name}>`,
);

/** A drawing that leaves its frame. */
const DRAWING = '<svg style="overflow:visible"><rect y="-900" width="900" height="900"></rect></svg>';

/** Mutants of the vectors that are tried. */
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
    const head = () => page.screenshot({ clip: { x: 0, y: 0, width: 800, height: 100 } });
    const show = (html: string) =>
      page.setContent(
        `<!doctype html><style>body{margin:0}</style><header style="height:100px">head</header><div>${html}</div>`,
      );
    await show('');
    const bare = await head();
    /**
     * True if the head of the page looks otherwise, or is not the element at its corners and in its middle.
     */
    const isCovered = async (html: string) => {
      await show(html);
      if (!bare.equals(await head())) return true;
      return page.evaluate(
        `[[5, 5], [795, 5], [400, 50], [5, 95]].some(([x, y]) => document.elementFromPoint(x, y)?.localName !== 'header')`,
      );
    };
    const over = OVERLAYS.map((style) => `<div style="${style};background:red">${'over '.repeat(99)}</div>`);
    const inner = INNER_OVERLAYS.map(
      (style) =>
        `<div style="position:relative"><a style="position:absolute;${style}">x</a><p>over</p></div>`,
    );
    for (const html of [...over, ...inner, ...LOOSE_OVERLAYS, DRAWING]) {
      const { faults } = await inspectHtml(html, { html: 'checked', jsonLd: false, overlays: false });
      expect([html, await isCovered(html), faults.length > 0]).toEqual([html, true, true]);
    }
    for (const [what, html] of SNIPPETS) expect([what, await isCovered(html)]).toEqual([what, false]);
  });
});
