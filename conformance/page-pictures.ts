import { buildPage } from '@pressroom/desk/build-page';
import { type MixedPicture, mixedPictures } from '../test/fixtures/mixed-pictures.ts';
import { launchBrowser } from '../test/support/browser.ts';
import { coveredInGrid } from '../test/support/grid-rectangles.ts';
import { type ConformanceCheck, Findings, type Verdict } from './check.ts';
import { Stack } from './support/stack.ts';

/** Windows of a telephone, a notebook and a large screen, in pixels. */
const WIDTHS = [360, 1280, 2560];

/** The order in which pictures lie beside one another decides what covers what. */
const ORDERS = ['name', '-name', 'size', '-size', 'type'];

/** The gallery's page as Chromium draws it. */
export const pagePictures: ConformanceCheck = {
  name: 'page-pictures',
  about: "Chromium draws the gallery's grid with pictures of every shape",
  needs: [],
  run: checkPictures,
};

async function checkPictures(note: (line: string) => void): Promise<Verdict> {
  const findings = new Findings();
  const browser = await launchBrowser();
  if (browser === undefined) {
    note('  left out: there is no Chromium here; CHROMIUM may name one');
    return findings.verdict;
  }
  try {
    await buildPage();
    await using stack = await Stack.open();
    const url = stack.urls['gallery-admin'];
    const cookie = await stack.login();
    for (const picture of await mixedPictures()) await upload(url, cookie, picture);
    const [name = '', value = ''] = cookie.split('=');
    for (const width of WIDTHS) {
      const context = await browser.newContext({ locale: 'en-GB', viewport: { width, height: 900 } });
      await context.addCookies([{ name, value, url }]);
      const page = await context.newPage();
      for (const order of ORDERS) {
        await page.goto(`${url}/desk/media?path=mixed%2F&sort=${order}`);
        await page.getByRole('gridcell').first().waitFor();
        const covered = await coveredInGrid(page);
        const fault = covered.length === 0 ? undefined : covered.slice(0, 10).join('\n      ');
        findings.add(`${width} px, sorted by ${order}`, fault);
      }
      await context.close();
    }
  } finally {
    await browser.close();
  }
  return findings.verdict;
}

async function upload(url: string, cookie: string, { name, type, body }: MixedPicture): Promise<void> {
  const signed = await fetch(`${url}/api/upload`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ filename: name, path: 'mixed/', contentType: type }),
  });
  const { url: target }: { url: string } = await signed.json();
  const headers = { 'content-type': type };
  const stored = await fetch(target, { method: 'PUT', headers, body: new Uint8Array(body) });
  if (!stored.ok) throw new Error(`${name} was not stored: ${stored.status} ${await stored.text()}`);
}
