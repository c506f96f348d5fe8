import { PutBucketCorsCommand } from '@aws-sdk/client-s3';
import { buildPage } from '@pressroom/desk/build-page';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../test/support/browser.ts';
import { type BenchGallery, startBenchGallery } from '../gallery/service.ts';

/** The page's service, and a browser to look at it with. */
export interface PageBench extends AsyncDisposable {
  gallery: BenchGallery;
  browser: Browser;
  /** Where the page is, without a slash at the end. */
  url: string;
  /** A window of somebody who is logged in and has never been here. */
  visit: () => Promise<Page>;
}

/** Starts the service, a bucket to which its page may upload, and a browser. */
export async function startPageBench(): Promise<PageBench> {
  await buildPage();
  await using resources = new AsyncDisposableStack();
  const browser = await launchBrowser();
  if (browser === undefined) throw new Error('this bench needs Chromium; CHROMIUM may name one');
  resources.adopt(browser, (own) => own.close());
  const gallery = resources.use(await startBenchGallery());
  const { url, bucket, s3, cookie } = gallery;
  const rule = { AllowedOrigins: [url], AllowedHeaders: ['*'], ExposeHeaders: ['ETag'] };
  const CORSRules = [{ ...rule, AllowedMethods: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'] }];
  await s3.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules } }));
  const visit = async () => {
    const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 } });
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url }]);
    const page = await context.newPage();
    page.setDefaultTimeout(300_000);
    // Without a network besides loopback, the browser believes itself offline.
    await page.addInitScript('Object.defineProperty(navigator, "onLine", { value: true })');
    return page;
  };
  const owned = resources.move();
  return { gallery, browser, url, visit, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
