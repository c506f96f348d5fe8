import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pagePolicy } from '@pressroom/gallery-admin/page';
import { build } from 'esbuild';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { drawing } from '../fixtures/drawing.ts';

const DESK = fileURLToPath(new URL('../../packages/desk', import.meta.url));

const STYLE = `@import "./src/shared/styles.css"; @import "./src/articles/editor/rich-text.css";`;

/** A page with the editor under the desk's policy, on a port of its own. */
export interface EditorPage {
  readonly url: string;
  /** A window with an article open. */
  open: (browser: Browser, html?: string, options?: BrowserContextOptions) => Promise<EditorWindow>;
  close: () => Promise<void>;
}

/** A window with the editor, and what the browser has complained about. */
interface EditorWindow {
  readonly page: Page;
  /** The editor's latest report, once it has reported what it shows. */
  written: () => Promise<string>;
  /** Violations of the policy, and errors that nobody has caught. */
  complaints: () => Promise<string[]>;
  close: () => Promise<void>;
}

/** Builds the page, and serves it. */
export async function editorPage(): Promise<EditorPage> {
  const files = await bundle();
  const image = await drawing(1);
  const document = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Editor</title>
    <meta name="viewport" content="width=device-width"><link rel="stylesheet" href="page.css"></head>
    <body><main><h1 class="unseen">Editor</h1><div id="page"></div></main><script type="module" src="page.js"></script></body></html>`;
  const server = createServer(({ url = '/' }, response) => {
    const name = url.slice(1);
    const [type, body] = name.endsWith('.jpg')
      ? ['image/jpeg', image]
      : name === ''
        ? ['text/html; charset=utf-8', document]
        : [name.endsWith('.css') ? 'text/css' : 'text/javascript', files.get(name)];
    response.writeHead(body === undefined ? 404 : 200, {
      'content-type': String(type),
      'content-security-policy': pagePolicy(''),
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const open = async (browser: Browser, html = '<p></p>', options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ locale: 'en-GB', ...options });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(url);
    await page.evaluate(`openArticle(${JSON.stringify(html)})`);
    await page.getByRole('textbox').first().waitFor();
    const written = async () => {
      await page.evaluate('dispatchEvent(new Event("pagehide"))');
      return page.evaluate<string>('reported.at(-1)');
    };
    const complaints = async () => [...errors, ...(await page.evaluate<string[]>('violations'))];
    return { page, written, complaints, close: () => context.close() };
  };
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, open, close };
}

async function bundle(): Promise<ReadonlyMap<string, Uint8Array>> {
  const options = { absWorkingDir: DESK, bundle: true, write: false, outdir: DESK, minify: true } as const;
  const script = await build({
    ...options,
    entryPoints: [{ in: fileURLToPath(new URL('../desk/editor-page.mjs', import.meta.url)), out: 'page' }],
    alias: { preact: join(DESK, 'node_modules/preact') },
    chunkNames: '[name]-[hash]',
    splitting: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  const style = await build({
    ...options,
    stdin: { contents: STYLE, resolveDir: DESK, sourcefile: 'page.css', loader: 'css' },
    entryNames: 'page',
  });
  const files = [...script.outputFiles, ...style.outputFiles];
  return new Map(files.map(({ path, contents }) => [path.slice(path.lastIndexOf('/') + 1), contents]));
}
