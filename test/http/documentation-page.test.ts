import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, skipWithout } from '../support/browser.ts';
import { type ContentFixture, contentFixture } from '../support/content.ts';

let content: ContentFixture;
let browser: Browser | undefined;
beforeAll(async () => {
  content = await contentFixture();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await content?.close();
});
skipWithout(() => browser);

test('the page shows the resources first, does not contact other hosts, and can try out a request', async () => {
  const page = await (browser as Browser).newPage();
  const asked: string[] = [];
  const faults: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });

  await page.goto(`${content.url}/docs`);
  await page.getByRole('heading', { name: 'Pressroom content', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Delete a category' }).first().waitFor();
  // The visible text, without that of hidden elements.
  const text = String(await page.evaluate('document.body.innerText'));
  const places = ['List articles, newest first', 'Create a category', 'The process is alive'];
  const found = places.map((place) => text.indexOf(place));
  expect(found).toEqual([...found].sort((one, other) => one - other));
  expect(found).not.toContain(-1);
  expect(text).not.toMatch(/scalar|swagger|redoc/i);

  await page.getByRole('button', { name: 'Test Request' }).first().click();
  const answered = page.waitForResponse((response) => response.url().includes('/api/articles'));
  await page.getByRole('button', { name: /^Send/ }).first().click();
  expect((await answered).status()).toBe(200);

  const others = asked.filter((url) => !url.startsWith(content.url) && !url.startsWith('data:'));
  expect(others).toEqual([]);
  expect(faults).toEqual([]);
});
