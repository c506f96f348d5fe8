import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { buildPage } from '@pressroom/desk/build-page';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { drawing } from '../fixtures/drawing.ts';
import { ADMIN, type GalleryFixture, galleryFixture } from './gallery.ts';

const CLI = fileURLToPath(new URL('../../services/gallery-admin/src/cli.ts', import.meta.url));

/** The page over a service, a database and a bucket of a test file's own; the store is another origin. */
export interface GalleryPageFixture extends GalleryFixture {
  /** Puts objects into the bucket: pictures where the name is one of an image, else a few bytes. */
  put: (...keys: string[]) => Promise<void>;
  /** Lets the pages at an address, and no others, upload to the bucket. */
  allowUploads: (url: string) => Promise<void>;
  /** A window of a person who has never been here; closes with the browser. */
  visit: (browser: Browser, options?: BrowserContextOptions) => Promise<Visit>;
}

/** A window, and what the browser has complained about in it. */
export interface Visit {
  context: BrowserContext;
  page: Page;
  /** Violations of the document's policy, and errors that nobody has caught. */
  complaints: string[];
  /** Opens the page at a query such as `?path=a%2F`, and logs in if `logIn` is not false. */
  open: (query?: string, logIn?: boolean) => Promise<void>;
}

/** Builds the page and starts everything under it. */
export async function galleryPageFixture(settings: Record<string, string> = {}): Promise<GalleryPageFixture> {
  await buildPage();
  const gallery = await galleryFixture(settings);
  const allowUploads = async (url: string) => {
    const env = { ...process.env, ...gallery.settings };
    const args = [CLI, 'bucket', 'create', '--origin', new URL(url).origin];
    await promisify(execFile)(process.execPath, args, { env });
  };
  await allowUploads(gallery.url);
  const put = async (...keys: string[]) => {
    for (const [index, key] of keys.entries()) {
      const isImage = /\.(jpg|png)$/.test(key);
      const Body = isImage ? await drawing(index) : Buffer.from(`content of ${key}`);
      const ContentType = isImage ? 'image/jpeg' : 'text/plain';
      const object = { Bucket: gallery.bucket, Key: key, Body, ContentType };
      await gallery.s3.send(new PutObjectCommand(object));
    }
  };
  const visit = async (browser: Browser, options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ locale: 'en-GB', ...options });
    const page = await context.newPage();
    const complaints: string[] = [];
    // Without a network besides loopback, the browser believes itself offline.
    await page.addInitScript(
      'Object.defineProperty(navigator, "onLine", { value: true, configurable: true })',
    );
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    const open = async (query = 'desk/media', logIn = true) => {
      await page.goto(`${gallery.url}/${query}`);
      if (logIn) await fillLogin(page);
    };
    return { context, page, complaints, open };
  };
  return { ...gallery, put, visit, allowUploads };
}

/** Logs in with the form that the page shows. */
export async function fillLogin(page: Page): Promise<void> {
  await page.getByLabel('Username').fill(ADMIN.username);
  await page.getByLabel('Password').fill(ADMIN.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('banner').waitFor();
}
