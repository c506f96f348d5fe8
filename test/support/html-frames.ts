import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext } from 'playwright-core';

/** Texts that are open at once, each in its own frame. */
const FRAMES = 50;

/** Ways in which a site shows an article, each the whole document of a frame. */
export const EMBEDDINGS: Record<string, (html: string) => string> = {
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

/** Opens texts in a browser as a site would show them, and finds what runs in them. */
export class HtmlFrames {
  readonly #server: Server;
  readonly #context: BrowserContext;
  readonly #url: string;
  #documents: readonly string[] = [];

  private constructor(server: Server, context: BrowserContext, url: string) {
    this.#server = server;
    this.#context = context;
    this.#url = url;
  }

  /** Serves on a free port; requests of the texts to other hosts are blocked. */
  static async open(browser: Browser): Promise<HtmlFrames> {
    const server = createServer((request, response) => frames.#answer(request.url ?? '', response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const context = await browser.newContext();
    await context.addInitScript(WATCH);
    await context.route(
      (asked) => asked.origin !== new URL(url).origin,
      (route) => route.abort(),
    );
    const frames = new HtmlFrames(server, context, url);
    return frames;
  }

  /** Lists everything that runs, or could run, in these documents. */
  async running(documents: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (let first = 0; first < documents.length; first += FRAMES) {
      found.push(...(await this.#look(documents.slice(first, first + FRAMES))));
    }
    return found;
  }

  async close(): Promise<void> {
    await this.#context.close();
    this.#server.close();
  }

  async #look(documents: readonly string[]): Promise<string[]> {
    this.#documents = documents;
    const page = await this.#context.newPage();
    try {
      await page.goto(this.#url, { waitUntil: 'load', timeout: 120_000 });
      return await page.evaluate(LOOK);
    } finally {
      await page.close();
    }
  }

  #answer(url: string, response: ServerResponse): void {
    const number = /^\/frame\/(\d+)$/.exec(url)?.[1];
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (url === '/') {
      const frames = this.#documents.map((_, index) => `<iframe src="/frame/${index}"></iframe>`);
      response.end(`<!doctype html>${frames.join('')}`);
    } else if (number === undefined) response.writeHead(404).end();
    else response.end(this.#documents[Number(number)]);
  }
}
