import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { fillLogin, type GalleryPageFixture } from './gallery-page.ts';
import { faultsOf, readAxe } from './screen-faults.ts';

/** Long names and deep paths are where a narrow window is too narrow. */
const DEEP = 'screens/2026/november/portraits of the whole family/';
const LONG = `${'a very long name '.repeat(8)}.jpg`;

const card = (page: Page, name: string) => page.getByRole('grid').getByRole('link', { name, exact: true });
const go = (page: Page, query: string) => page.goto(new URL(`/?${query}`, page.url()).href);
const select = (page: Page, name: string) => card(page, name).click({ modifiers: ['Control'] });

async function askToMove(page: Page, action: 'Move' | 'Copy'): Promise<void> {
  await go(page, 'path=screens%2F');
  await select(page, 'one.jpg');
  await page.getByRole('button', { name: `${action} to…` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'to', exact: true }).click();
  await dialog.getByText('No folders in here').waitFor();
}

/** Answers the API's requests for a path with a problem. */
async function failing(page: Page, path: string, status: number, code: string): Promise<void> {
  await page.route(
    ({ pathname }) => pathname === path,
    (route) =>
      route.fulfill({
        status,
        contentType: 'application/problem+json',
        body: JSON.stringify({ type: 'about:blank', title: code, status, code, detail: `This is ${code}.` }),
      }),
  );
}

/** Every screen and dialog, as a person gets there from any other one. */
const SCREENS: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  grid: async (page) => {
    await go(page, 'path=screens%2F');
    await card(page, 'one.jpg').waitFor();
  },
  table: async (page) => {
    await go(page, `view=table&path=${encodeURIComponent(DEEP)}`);
    await card(page, LONG).waitFor();
  },
  'a long name': async (page) => {
    await go(page, `path=${encodeURIComponent(DEEP)}`);
    await select(page, LONG);
    await page.getByText('1 selected').waitFor();
  },
  'an empty folder': async (page) => {
    await go(page, 'path=nothing%2F');
    await page.getByText('Nothing here yet').waitFor();
  },
  'an empty bucket': async (page) => {
    const data = { folders: [], files: [], currentPath: '', continuationToken: null };
    await page.route(
      ({ pathname }) => pathname === '/api/gallery',
      (route) => route.fulfill({ json: { success: true, mode: 'json', data } }),
    );
    await go(page, 'path=');
    await page.getByText('No files yet').waitFor();
  },
  'a search': async (page) => {
    await go(page, 'path=screens%2F&filter=one&everywhere=1&view=table');
    await page.getByText(/searched/).waitFor();
    await card(page, 'one.jpg').first().waitFor();
  },
  'a search without a result': async (page) => {
    await go(page, 'path=screens%2F&filter=none');
    await page.getByText('No name matches').waitFor();
  },
  'a store that is away': async (page) => {
    await failing(page, '/api/gallery', 503, 'object_store_unavailable');
    await go(page, 'path=away%2F');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  },
  'the menu of a file': async (page) => {
    await go(page, 'path=screens%2F');
    await card(page, 'one.jpg').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
  },
  'the settings': async (page) => {
    await go(page, 'path=screens%2F');
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitem', { name: 'Buckets' }).waitFor();
  },
  'the order': async (page) => {
    await go(page, 'path=screens%2F');
    await page.getByRole('button', { name: 'Sort by' }).click();
    await page.getByRole('menuitemradio', { name: 'Size' }).waitFor();
  },
  'the keyboard shortcuts': async (page) => {
    await go(page, 'path=screens%2F');
    await card(page, 'one.jpg').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  },
  'a new folder': async (page) => {
    await go(page, 'path=screens%2F');
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Name of the new folder').waitFor();
  },
  'a name that is taken': async (page) => {
    await go(page, 'path=screens%2F');
    await select(page, 'one.jpg');
    await page.keyboard.press('F2');
    await page.getByLabel('New name').fill('two.txt');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByText('This name is already taken').waitFor();
  },
  'a destination': (page) => askToMove(page, 'Move'),
  'a conflict': async (page) => {
    await askToMove(page, 'Copy');
    await page.getByRole('dialog').getByRole('button', { name: 'Copy here' }).click();
    await page.getByRole('dialog', { name: '1 name is already taken' }).waitFor();
  },
  'the activity': async (page) => {
    await go(page, `path=${encodeURIComponent(DEEP)}`);
    await select(page, LONG);
    await page.keyboard.press('Control+c');
    await page.keyboard.press('Control+v');
    await page.getByText(/^Copied 1 file/).waitFor();
  },
  'work that has failed': async (page) => {
    await failing(page, '/api/gallery/batch', 400, 'destination_conflict');
    await go(page, 'path=screens%2F');
    await select(page, 'one.jpg');
    await page.keyboard.press('Control+c');
    await page.keyboard.press('Control+v');
    await page
      .getByText('Not finished: Something with this name is there already. Nothing was changed.')
      .waitFor();
  },
  'a deletion': async (page) => {
    await go(page, `path=${encodeURIComponent(DEEP)}`);
    await select(page, LONG);
    await page.keyboard.press('Delete');
    await page.getByRole('dialog', { name: 'Delete 1 file?' }).waitFor();
  },
  'a picture': async (page) => {
    await go(page, `file=${encodeURIComponent(`${DEEP}${LONG}`)}`);
    await page
      .getByText('640 × 480')
      .or(page.getByRole('button', { name: 'Details' }))
      .first()
      .waitFor();
    await page.getByRole('img', { name: LONG }).waitFor();
  },
  'the details of a picture': async (page) => {
    await go(page, `file=${encodeURIComponent(`${DEEP}${LONG}`)}`);
    await page.getByRole('img', { name: LONG }).waitFor();
    const details = page.getByRole('button', { name: 'Details' });
    if ((await details.getAttribute('aria-pressed')) === 'false') await details.click();
    await page.getByText('640 × 480').waitFor();
    await page.getByRole('link', { name: 'Download' }).waitFor();
  },
  'a file without a preview': async (page) => {
    await go(page, 'file=screens%2Fthree.zip');
    await page.getByText('No preview for this kind of file').waitFor();
  },
  'a text': async (page) => {
    await go(page, 'file=screens%2Ftwo.txt');
    await page.getByRole('textbox', { name: 'two.txt' }).waitFor();
  },
  'a file that is gone': async (page) => {
    await go(page, 'file=screens%2Fnever.txt');
    await page.getByText('This file is no longer there.').waitFor();
  },
  'uploads that are paused': async (page) => {
    await page.route(
      ({ searchParams }) => searchParams.has('X-Amz-Signature'),
      (route) => (route.request().method() === 'PUT' ? undefined : route.continue()),
    );
    await go(page, `path=going-up-${performance.now()}%2F`);
    await page.getByText('Nothing here yet').waitFor();
    const file = { name: LONG, mimeType: 'text/plain', buffer: Buffer.from('new') };
    await page.locator('[data-upload="files"]').setInputFiles(file);
    await page.getByRole('button', { name: `Pause ${LONG}` }).click();
    await page.getByText('Uploads paused').waitFor();
  },
  'uploads that have ended': async (page) => {
    await page.getByRole('button', { name: 'Cancel all' }).click();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    const files = ['ended 1.txt', 'ended 2.txt'].map((name) => ({
      name: `${performance.now()} ${name}`,
      mimeType: 'text/plain',
      buffer: Buffer.from('new'),
    }));
    await page.locator('[data-upload="files"]').setInputFiles(files);
    await page.getByText('2 files uploaded').waitFor();
  },
  'the buckets': async (page) => {
    await go(page, 'screen=buckets');
    await page.getByText('Set by the server').waitFor();
  },
  'the form of a bucket, with its problems': async (page) => {
    await go(page, 'screen=buckets');
    await page.getByRole('button', { name: 'Add bucket' }).click();
    await page.getByLabel('Endpoint', { exact: true }).fill('nonsense');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Write a web address that begins with https:// or http://.').first().waitFor();
  },
  'a session that has ended': async (page) => {
    await go(page, 'path=screens%2F');
    await card(page, 'one.jpg').waitFor();
    await page.context().clearCookies();
    await page.getByRole('grid').getByRole('link', { name: 'to', exact: true }).click();
    await page.getByRole('dialog', { name: 'Log in again' }).waitFor();
  },
};

/** Lists the faults on the screens of the page, in a window of a theme and a size. */
export async function faultsOfScreens(
  gallery: GalleryPageFixture,
  browser: Browser,
  options: BrowserContextOptions,
): Promise<string[]> {
  await gallery.put(
    `${DEEP}${LONG}`,
    'screens/one.jpg',
    'screens/two.txt',
    'screens/to/one.jpg',
    'screens/three.zip',
  );
  const axe = await readAxe();
  const { context, page, complaints, open } = await gallery.visit(browser, options);
  page.setDefaultTimeout(30_000);
  await open('desk/media', false);
  await page.getByLabel('Username').waitFor();
  const found = [...(await faultsOf(page, axe)).map((fault) => `login: ${fault}`)];
  await fillLogin(page);
  for (const [screen, show] of Object.entries(SCREENS)) {
    await show(page).catch((error: unknown) => {
      throw new Error(`the screen is not reached: ${screen}`, { cause: error });
    });
    found.push(...(await faultsOf(page, axe)).map((fault) => `${screen}: ${fault}`));
    if (screen !== 'uploads that are paused') await page.unrouteAll({ behavior: 'ignoreErrors' });
  }
  await context.close();
  return [...found, ...complaints];
}
