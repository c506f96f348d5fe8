import { randomBytes } from 'node:crypto';
import type { Clock } from '@pressroom/news-feed/calendar';
import { buildDesk } from '@pressroom/news-feed/desk-app';
import { openWorker } from '@pressroom/news-feed/work/open-worker';
import { readWorkerConfig } from '@pressroom/news-feed/work/worker-config';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { FeedHost } from './feed-host.ts';
import { ADMIN } from './gallery.ts';
import { fillLogin, type GalleryPageFixture, galleryPageFixture, type Visit } from './gallery-page.ts';
import { memoryLog } from './log.ts';
import { workerSettings } from './worker.ts';

const DESK_KEY = 'a-key-of-the-desk-that-nobody-guesses';

/** The news of the desk in a window of somebody who is logged in, over a newsroom of its own. */
export interface NewsDesk {
  gallery: GalleryPageFixture;
  database: TestDatabase;
  /** A web server that plays the sources. */
  host: FeedHost;
  /** Ends the newsroom: its port answers no more. */
  stopNewsroom: () => Promise<void>;
  browser: Browser;
  visit: Visit;
  page: Page;
  /** Goes to a path of the section, such as `sources`. */
  go: (path?: string, page?: Page) => Promise<void>;
  /** A window of its own, logged in. */
  open: (options: BrowserContextOptions) => Promise<Visit>;
  /** Sends a request to the newsroom as the desk does, without the page: somebody else who edits. */
  elsewhere: (method: string, path: string, json?: object) => Promise<unknown>;
  /** Ends everything; returns what the browser has complained about. */
  close: () => Promise<string[]>;
}

/** Starts everything, with the time of `clock` in the newsroom, and logs in; undefined without a browser. */
export async function openNewsDesk(clock?: Clock): Promise<NewsDesk | undefined> {
  const browser = await launchBrowser();
  if (browser === undefined) return undefined;
  const [database, host] = await Promise.all([createTestDatabase(), FeedHost.start()]);
  const newsroom = await startNewsroom(database.url, clock);
  const gallery = await galleryPageFixture({ NEWSROOM_URL: newsroom.url, DESK_KEY });
  const open = async (options: BrowserContextOptions) => {
    const visit = await gallery.visit(browser, options);
    visit.page.setDefaultTimeout(60_000);
    await visit.page.goto(`${gallery.url}/desk/news`);
    await fillLogin(visit.page);
    return visit;
  };
  const visit = await open({ viewport: { width: 1280, height: 800 } });
  const { page } = visit;
  return {
    gallery,
    database,
    host,
    stopNewsroom: newsroom.stop,
    browser,
    visit,
    page,
    open,
    go: async (path = '', where = page) => {
      await where.goto(`${gallery.url}/desk/news${path === '' || path.startsWith('?') ? path : `/${path}`}`);
    },
    elsewhere: async (method, path, json) => {
      const answer = await gallery.ask(`/api/desk/newsroom${path}`, {
        method,
        ...(json && { json }),
        headers: { origin: gallery.url },
      });
      if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
      return answer.body;
    },
    close: async () => {
      await browser.close();
      await gallery.close();
      await newsroom.stop();
      await host.close();
      await database.drop();
      return visit.complaints;
    },
  };
}

/** A worker that serves the desk; it stops once, however often it is asked to. */
export async function startNewsroom(databaseUrl: string, clock?: Clock) {
  const { log } = memoryLog('newsroom');
  const { worker, desk, close } = openWorker(
    readWorkerConfig({
      ...workerSettings(databaseUrl),
      NEWS_SOURCES_KEY: randomBytes(32).toString('base64'),
    }),
    log,
    clock && { clock },
  );
  const app = await buildDesk({ ...desk, keys: { DESK_KEY }, host: '127.0.0.1', log });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  await worker.start();
  let stopped: Promise<void> | undefined;
  const end = async () => {
    await app.close();
    await close(60_000);
  };
  const stop = () => {
    stopped ??= end();
    return stopped;
  };
  return { url, stop };
}

/** Name of the person who is logged in, as in histories. */
export const EDITOR = ADMIN.username;
