import { randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { type ContentFixture, contentFixture } from './content.ts';
import { type GalleryPageFixture, galleryPageFixture, type Visit } from './gallery-page.ts';

const DESK_KEY = 'a-key-of-the-desk-that-nobody-guesses';

/** The desk over a gallery and articles of a test file's own. */
export interface DeskFixture {
  gallery: GalleryPageFixture;
  content: ContentFixture;
  /** Opens a place such as `articles/new` in a window of somebody who logs in. */
  visit: (
    browser: Browser,
    place: string,
    options?: Parameters<GalleryPageFixture['visit']>[1],
  ) => Promise<Visit>;
  /** Goes to a place. */
  go: (page: Page, place: string) => Promise<unknown>;
  close: () => Promise<void>;
}

/** Builds the desk and starts everything under it; `more` are further settings of the gallery. */
export async function deskFixture(more: Record<string, string> = {}): Promise<DeskFixture> {
  const site = 'https://site.example';
  const content = await contentFixture({
    DESK_KEY,
    CONTENT_SITE_URL: site,
    CONTENT_HOOKS_KEY: randomBytes(32).toString('base64'),
    CONTENT_HOOKS_PRIVATE_HOSTS: '127.0.0.1',
  });
  const gallery = await galleryPageFixture({
    CONTENT_URL: content.url,
    CONTENT_SITE_URL: site,
    DESK_KEY,
    MEDIA_PUBLIC: 'public/',
    ...more,
  });
  return {
    gallery,
    content,
    visit: async (browser, place, options) => {
      const visit = await gallery.visit(browser, options);
      visit.page.setDefaultTimeout(60_000);
      await visit.open(`desk/${place}`);
      return visit;
    },
    go: (page, place) => page.goto(`${gallery.url}/desk/${place}`),
    close: async () => {
      await gallery.close();
      await content.close();
    },
  };
}
