import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspectHtml } from '@pressroom/content/html/inspect-html';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, skipWithout } from '../support/browser.ts';
import { mutantsOf } from './html-corpus/mutants.ts';
import { SNIPPETS } from './html-corpus/snippets.ts';
import { VECTORS } from './html-corpus/vectors.ts';

/** How many mutants of the vectors are tried. */
const MUTANTS = 6800;

/** How many texts are open at once, each in its own frame. */
const FRAMES = 50;

/** Ways in which a site shows an article, each the whole document of a frame. */
const EMBEDDINGS: Record<string, (html: string) => string> = {
  'in a page': (html) =>
    `<!doctype html><html><body><div>${html}</div><p>the "page' goes on</p></body></html>`,
  'in a page without a body tag': (html) => `<!doctype html><title>x</title>${html}<p>the "page' goes on`,
  'by innerHTML': (html) => scripted(`place.innerHTML = ${literal(html)}`),
  'by innerHTML of what was read back': (html) =>
    scripted(`const first = document.createElement('div'); first.innerHTML = ${literal(html)};
      const second = document.createElement('div'); second.innerHTML = first.innerHTML;
      place.innerHTML = second.innerHTML`),
  'in srcdoc': (html) =>
    `<!doctype html><iframe srcdoc="${html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`,
};

/** A document that puts the article into itself; its own script is gone by then. */
function scripted(script: string): string {
  return `<!doctype html><body><div id="place"></div><script>document.currentScript.remove(); ${script}</script>`;
}

function literal(html: string): string {
  return JSON.stringify(html).replaceAll('<', '\\u003c');
}

/** Runs in every frame before anything else: records each alert in the top window. */
const WATCH = `window.alert = () => { (top.ran ??= []).push(location.href + ' in ' + window.parent.location.href); };`;

/** Runs in the top window when all frames have loaded: what ran, and what only needs a click. */
const LOOK = `(() => {
  const found = (top.ran ?? []).slice();
  const look = (frame) => {
    let document;
    try { document = frame.document; } catch { return; }
    if (!document) return;
    for (const element of document.querySelectorAll('*')) {
      for (const { name, value } of element.attributes) {
        if (/^on/i.test(name) || name === 'srcdoc' && frame.parent.parent !== frame.parent && frame.parent !== frame.top) found.push(name + ' ' + frame.location.href);
        const url = value.replace(/[\\u0000-\\u0020]/g, '').toLowerCase();
        if (/^(javascript|vbscript):/.test(url) && name !== 'title' && name !== 'alt') found.push(value + ' ' + frame.location.href);
      }
      if (element.localName === 'script' && element.type !== 'application/ld+json') found.push('script ' + frame.location.href);
    }
    for (let index = 0; index < frame.length; index += 1) look(frame[index]);
  };
  for (let index = 0; index < frames.length; index += 1) look(frames[index]);
  return found;
})()`;

let server: Server;
let url: string;
/** The part of the corpus that the check accepts. */
let admitted: string[];
let documents: string[] = [];
let browser: Browser | undefined;
let context: BrowserContext;

beforeAll(async () => {
  server = createServer((request, response) => {
    const number = /^\/frame\/(\d+)$/.exec(request.url ?? '')?.[1];
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (request.url === '/') {
      const frames = documents.map((_, index) => `<iframe src="/frame/${index}"></iframe>`);
      response.end(`<!doctype html>${frames.join('')}`);
    } else if (number === undefined) response.writeHead(404).end();
    else response.end(documents[Number(number)]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  admitted = await accepted([
    ...VECTORS,
    ...mutantsOf(VECTORS, MUTANTS),
    ...SNIPPETS.map(([, html]) => html),
  ]);
  browser = await launchBrowser();
  if (browser === undefined) return;
  context = await browser.newContext();
  await context.addInitScript(WATCH);
  // Requests to other hosts are blocked.
  await context.route(
    (asked) => asked.origin !== new URL(url).origin,
    (route) => route.abort(),
  );
});

afterAll(async () => {
  await browser?.close();
  server.close();
});

/** What runs, or could run, when all texts are open at once. */
async function running(texts: string[]): Promise<string[]> {
  documents = texts;
  const page = await context.newPage();
  try {
    await page.goto(url, { waitUntil: 'load', timeout: 120_000 });
    return await page.evaluate(LOOK);
  } finally {
    await page.close();
  }
}

/** The texts of a list that the check accepts. */
async function accepted(texts: readonly string[]): Promise<string[]> {
  const judged = await Promise.all(texts.map((html) => inspectHtml(html, { html: 'checked', jsonLd: true })));
  return texts.filter((_, index) => judged[index]?.faults.length === 0);
}

test('the corpus has the expected size, and little of it is accepted', async () => {
  expect(VECTORS.length).toBeGreaterThanOrEqual(236);
  expect((await accepted(VECTORS)).length).toBeLessThan(VECTORS.length / 20);
});

test.each(SNIPPETS)('%s is accepted', async (_what, html) => {
  expect((await inspectHtml(html, { html: 'checked', jsonLd: false })).faults).toEqual([]);
});

describe.each(Object.entries(EMBEDDINGS))('%s', (_what, embed) => {
  skipWithout(() => browser);

  test('running code is detected', async () => {
    expect(await running([embed('<p>x</p>'), embed('<img src=x onerror=alert(1)>')])).not.toEqual([]);
    expect(await running([embed('<a href="java\tscript:alert(1)">x</a>')])).not.toEqual([]);
    expect(await running([embed('<p>x</p>')])).toEqual([]);
  });

  test('nothing that is accepted runs code', async () => {
    const opened = admitted.map((html) => embed(html));
    expect(opened.length).toBeGreaterThan(300);
    for (let first = 0; first < opened.length; first += FRAMES) {
      expect(await running(opened.slice(first, first + FRAMES))).toEqual([]);
    }
  }, 600_000);
});
