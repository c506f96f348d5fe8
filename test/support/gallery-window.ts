import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import type { Browser, Locator, Page } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { type GalleryPageFixture, galleryPageFixture, type Visit } from './gallery-page.ts';
import { listAll } from './s3/objects.ts';

/** The gallery's page in a window of somebody who is logged in, with its own bucket. */
export interface GalleryWindow {
  gallery: GalleryPageFixture;
  browser: Browser;
  visit: Visit;
  page: Page;
  /** Goes to a folder, in the table unless `more` says otherwise. */
  go: (folder: string, more?: string) => Promise<void>;
  /** The link of a folder or file in the listing. */
  link: (name: string) => Locator;
  /** The names in the listing, in order. */
  names: () => Promise<string[]>;
  /** Selects entries of the listing, one by one. */
  choose: (...names: string[]) => Promise<void>;
  exists: (key: string) => Promise<boolean>;
  /** The object's bytes as text. */
  content: (key: string) => Promise<string>;
  /** The keys below a prefix, sorted. */
  keys: (prefix: string) => Promise<string[]>;
  /** Chooses files as the dialog of the browser would. */
  upload: (...files: { name: string; text: string }[]) => Promise<void>;
  /** Ends everything; returns what the browser has complained about. */
  close: () => Promise<string[]>;
}

/** Starts everything with these settings and logs in; undefined without a browser. */
export async function openGalleryWindow(
  settings: Record<string, string> = {},
): Promise<GalleryWindow | undefined> {
  const browser = await launchBrowser();
  if (browser === undefined) return undefined;
  const gallery = await galleryPageFixture(settings);
  const visit = await gallery.visit(browser, { viewport: { width: 1100, height: 760 } });
  const { page } = visit;
  page.setDefaultTimeout(60_000);
  await visit.open();
  const { bucket: Bucket, s3 } = gallery;
  const link = (name: string) => page.getByRole('grid').getByRole('link', { name, exact: true });
  return {
    gallery,
    browser,
    visit,
    page,
    link,
    go: async (folder, more = '&view=table') => {
      await page.goto(`${gallery.url}/?path=${encodeURIComponent(folder)}${more}`);
    },
    names: () => page.getByRole('grid').getByRole('link').allTextContents(),
    choose: async (...names) => {
      for (const name of names) await link(name).click({ modifiers: ['Control'] });
    },
    exists: (Key) =>
      s3.send(new HeadObjectCommand({ Bucket, Key })).then(
        () => true,
        () => false,
      ),
    content: async (Key) => {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      return (await Body?.transformToString()) ?? '';
    },
    keys: async (Prefix) => (await listAll(s3, { Bucket, Prefix })).keys.sort(),
    upload: (...files) => {
      const chosen = files.map(({ name, text }) => ({
        name,
        mimeType: 'text/plain',
        buffer: Buffer.from(text),
      }));
      return page.locator('[data-upload="files"]').setInputFiles(chosen);
    },
    close: async () => {
      await browser.close();
      await gallery.close();
      return visit.complaints;
    },
  };
}
