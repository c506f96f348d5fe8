import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, skipWithout } from '../../support/browser.ts';
import { startGallery } from '../../support/gallery.ts';
import { fillLogin, type GalleryPageFixture, galleryPageFixture } from '../../support/gallery-page.ts';

const MB = 1_000_000;

let gallery: GalleryPageFixture;
let browser: Browser | undefined;
let folder: string;

beforeAll(async () => {
  browser = await launchBrowser();
  if (browser === undefined) return;
  folder = await mkdtemp(path.join(tmpdir(), 'page-upload-'));
  gallery = await galleryPageFixture();
});
skipWithout(() => browser);
afterAll(async () => {
  await browser?.close();
  await gallery?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** A file of random bytes: where it is, and what its object has to hash to. */
async function bigFile(name: string, size: number) {
  const file = path.join(folder, name);
  const bytes = randomBytes(size);
  await writeFile(file, bytes);
  return { file, hash: createHash('sha256').update(bytes).digest('hex') };
}

async function hashOf(key: string): Promise<string> {
  const { Body } = await gallery.s3.send(new GetObjectCommand({ Bucket: gallery.bucket, Key: key }));
  const hash = createHash('sha256');
  for await (const chunk of Body as AsyncIterable<Uint8Array>) hash.update(chunk);
  return hash.digest('hex');
}

/** Stands before the store, and cuts every connection each time that so many more bytes have gone up. */
class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #cutAt: number[];
  cuts = 0;
  #bytes = 0;

  constructor(target: URL, cutAt: readonly number[]) {
    this.#cutAt = [...cutAt];
    this.#server = createServer((client) => {
      const store = connect(Number(target.port), target.hostname);
      for (const socket of [client, store]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          this.#sockets.delete(socket);
          client.destroy();
          store.destroy();
        });
      }
      client.on('data', (chunk) => this.#count(chunk.length));
      client.pipe(store);
      store.pipe(client);
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
    return `http://127.0.0.1:${address.port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    const [next] = this.#cutAt;
    if (next === undefined || this.#bytes < next) return;
    this.#cutAt.shift();
    this.cuts += 1;
    for (const socket of this.#sockets) socket.destroy();
  }
}

test('200 MB arrive whole through a proxy that cuts the connection three times', async () => {
  if (browser === undefined) return;
  const proxy = new CuttingProxy(new URL(gallery.store.endpoint), [30 * MB, 90 * MB, 160 * MB]);
  const endpoint = await proxy.listen();
  const service = await startGallery({ ...gallery.settings, S3_PUBLIC_ENDPOINT: endpoint });
  await gallery.allowUploads(service.url);
  const { file, hash } = await bigFile('cut.bin', 200 * MB);
  const { context, page } = await gallery.visit(browser);
  await page.goto(`${service.url}/desk/media`);
  await fillLogin(page);
  await page.locator('[data-upload="files"]').setInputFiles(file);
  await page.getByText('1 file uploaded').waitFor({ timeout: 240_000 });
  expect(proxy.cuts).toBe(3);
  expect(await hashOf('cut.bin')).toBe(hash);
  await context.close();
  await gallery.allowUploads(gallery.url);
  await service.close();
  await proxy.close();
});

test('a tab that is closed in mid-upload goes on when the page is opened again', async () => {
  if (browser === undefined) return;
  const { file, hash } = await bigFile('closed.bin', 60 * MB);
  const { context, page, open } = await gallery.visit(browser);
  await open('?path=tab%2F');
  // After three parts, the store gets no more from this tab.
  let parts = 0;
  await page.route(
    (url) => url.searchParams.has('partNumber'),
    (route) => {
      parts += 1;
      return parts > 3 ? undefined : route.continue();
    },
  );
  await page.locator('[data-upload="files"]').setInputFiles(file);
  await expect.poll(() => parts).toBeGreaterThan(3);
  await expect
    .poll(() =>
      page.evaluate(`Object.keys(localStorage).some((name) => name.startsWith('pressroom-uploads'))`),
    )
    .toBe(true);
  await page.close({ runBeforeUnload: false });
  const again = await context.newPage();
  await again.addInitScript('Object.defineProperty(navigator, "onLine", { value: true })');
  const sent: string[] = [];
  again.on('request', (request) => {
    const number = new URL(request.url()).searchParams.get('partNumber');
    if (number !== null && request.method() === 'PUT') sent.push(number);
  });
  await again.goto(`${gallery.url}/?path=tab%2F`);
  await again.getByText('1 file uploaded').waitFor({ timeout: 120_000 });
  expect(await hashOf('tab/closed.bin')).toBe(hash);
  expect(sent).not.toContain('1');
  await context.close();
});
