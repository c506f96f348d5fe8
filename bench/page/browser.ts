import { PutBucketCorsCommand } from '@aws-sdk/client-s3';
import { buildPage } from '@pressroom/desk/build-page';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../../test/support/browser.ts';
import { type BenchGallery, startBenchGallery } from '../gallery-service.ts';

/** The page's service, and a browser to look at it with. */
export interface PageBench {
  gallery: BenchGallery;
  browser: Browser;
  /** Where the page is, without a slash at the end. */
  url: string;
  /** A window of somebody who is logged in and has never been here. */
  visit: () => Promise<{ context: BrowserContext; page: Page }>;
  stop: () => Promise<void>;
}

/** Starts the service, a bucket to which its page may upload, and a browser. */
export async function startPageBench(): Promise<PageBench> {
  await buildPage();
  const browser = await launchBrowser();
  if (browser === undefined) throw new Error('this bench needs Chromium; CHROMIUM may name one');
  const gallery = await startBenchGallery();
  const url = `http://127.0.0.1:${gallery.process.port}`;
  await gallery.s3.send(
    new PutBucketCorsCommand({ Bucket: gallery.bucket, CORSConfiguration: corsFor(url) }),
  );
  const visit = async () => {
    const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 } });
    const [name = '', value = ''] = gallery.cookie.split('=');
    await context.addCookies([{ name, value, url }]);
    const page = await context.newPage();
    page.setDefaultTimeout(300_000);
    // Without a network besides loopback, the browser believes itself offline.
    await page.addInitScript('Object.defineProperty(navigator, "onLine", { value: true })');
    return { context, page };
  };
  const stop = async () => {
    await browser.close();
    await gallery.stop();
  };
  return { gallery, browser, url, visit, stop };
}

function corsFor(origin: string) {
  const rule = { AllowedOrigins: [origin], AllowedHeaders: ['*'], ExposeHeaders: ['ETag'] };
  return { CORSRules: [{ ...rule, AllowedMethods: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'] }] };
}
