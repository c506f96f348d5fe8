import { readFile } from 'node:fs/promises';
import { HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawing } from '../../fixtures/drawing.ts';
import { drawn } from '../../fixtures/images.ts';
import { cameraRaw, HEIC, PDF } from '../../fixtures/stills.ts';
import { skipWithout } from '../../support/browser.ts';
import { type GalleryWindow, openGalleryWindow } from '../../support/gallery-window.ts';
import { putAll } from '../../support/s3/objects.ts';
import { unzipped } from '../../support/unzipped.ts';

let window: GalleryWindow;
let page: Page;

beforeAll(async () => {
  const opened = await openGalleryWindow({ MEDIA_PUBLIC: 'public/' });
  if (opened === undefined) return;
  window = opened;
  page = window.page;
});
skipWithout(() => window?.browser);
afterAll(async () => {
  expect((await window?.close()) ?? []).toEqual([]);
});

const openFile = (key: string) => page.goto(`${window.gallery.url}/?file=${encodeURIComponent(key)}`);

async function put(Key: string, Body: string | Buffer, ContentType: string): Promise<void> {
  await window.gallery.s3.send(
    new PutObjectCommand({ Bucket: window.gallery.bucket, Key, Body, ContentType }),
  );
}

async function modified(Key: string): Promise<number> {
  const { LastModified } = await window.gallery.s3.send(
    new HeadObjectCommand({ Bucket: window.gallery.bucket, Key }),
  );
  return LastModified?.getTime() ?? 0;
}

describe('a folder', () => {
  test('is sorted by name, date, size and type from the menu, in both directions', async () => {
    await put('sort/c.txt', '1', 'text/plain');
    await put('sort/b.zip', '22', 'application/zip');
    // A store dates by the second.
    await expect
      .poll(async () => {
        await put('sort/a.pdf', '333', 'application/pdf');
        return (await modified('sort/a.pdf')) > (await modified('sort/b.zip'));
      })
      .toBe(true);
    await window.go('sort/', '');
    const choose = async (item: string) => {
      await page.getByRole('button', { name: 'Sort by' }).click();
      await page.getByRole('menuitemradio', { name: item, exact: true }).click();
    };
    const shows = (...expected: string[]) =>
      expect.poll(async () => (await window.names()).map((name) => name.slice(0, 5))).toEqual(expected);
    await shows('a.pdf', 'b.zip', 'c.txt');
    await choose('Descending');
    await shows('c.txt', 'b.zip', 'a.pdf');
    await choose('Size');
    await shows('a.pdf', 'b.zip', 'c.txt');
    await choose('Date');
    await expect.poll(async () => (await window.names())[0]?.slice(0, 5)).toBe('a.pdf');
    await choose('Ascending');
    await expect.poll(async () => (await window.names()).at(-1)?.slice(0, 5)).toBe('a.pdf');
    await choose('Type');
    await shows('a.pdf', 'c.txt', 'b.zip');
    await page.reload();
    await shows('a.pdf', 'c.txt', 'b.zip');
  });

  test('has thumbnails where the scrolling ends, and asks for none of those that fly past', async () => {
    const picture = await drawing(1);
    const numbers = Array.from({ length: 120 }, (_, index) => index);
    await Promise.all(numbers.map((index) => put(`fly/${index}.jpg`, picture, 'image/jpeg')));
    const asked = new Set<string>();
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/api/gallery/media') asked.add(url.searchParams.get('key') ?? '');
    });
    await window.go('fly/', '');
    await window.link('0.jpg').waitFor();
    await page.getByRole('grid').evaluate((grid) => {
      const { parentElement: scroller } = grid as unknown as {
        parentElement: { scrollTop: number; scrollHeight: number };
      };
      scroller.scrollTop = scroller.scrollHeight;
    });
    await window.link('119.jpg').waitFor();
    const last = `document.querySelector('[data-path="fly/119.jpg"] img')?.naturalWidth ?? 0`;
    await expect.poll(() => page.evaluate(last)).toBeGreaterThan(0);
    expect([...asked]).not.toContain('fly/60.jpg');
  });

  test('has an icon in the place of a thumbnail until that is there, or what is known of the picture', async () => {
    await window.gallery.put('coming/a.jpg');
    await put('coming/b.jpg', await drawing(2), 'image/jpeg');
    await window.gallery.ask('/api/gallery/media?key=coming/b.jpg&thumbnail=true');
    const listing = '/api/gallery?json=1&thumbhash=1&path=coming/';
    await expect.poll(async () => (await window.gallery.ask(listing)).text).toContain('"thumbhash"');
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/gallery/media?**', async (route) => {
      await released;
      await route.continue();
    });
    await window.go('coming/', '');
    const icon = page.locator('[data-path="coming/a.jpg"] .coming svg');
    await icon.waitFor();
    // Sky above, hills below.
    const look = `(() => {
      const canvas = document.querySelector('[data-path="coming/b.jpg"] canvas.look');
      if (!canvas?.width) return [];
      const colour = (y) => [...canvas.getContext('2d').getImageData(canvas.width / 2, y, 1, 1).data].join();
      return [canvas.width > canvas.height, colour(0) !== colour(canvas.height - 1)];
    })()`;
    await expect.poll(() => page.evaluate(look)).toEqual([true, true]);
    release();
    await icon.waitFor({ state: 'detached' });
    await page.locator('canvas.look').waitFor({ state: 'detached' });
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('is read page by page as it is scrolled', async () => {
    const { bucket, s3 } = window.gallery;
    const keys = Array.from({ length: 1005 }, (_, index) => `pages/${index}.txt`);
    await putAll(s3, bucket, keys);
    await window.go('pages/');
    // Ceph's pages are not full.
    await page.getByText(/^[\d,]+ files so far$/).waitFor();
    await page.mouse.move(500, 400);
    // A wheel that turns before the list has grown ends above its new end.
    const scrolledTo = async (end: Locator) => {
      await page.mouse.wheel(0, 100_000);
      return end.isVisible();
    };
    await expect.poll(() => scrolledTo(page.getByText('1,005 files', { exact: true }))).toBe(true);
    await expect.poll(() => scrolledTo(window.link('1004.txt'))).toBe(true);
  });

  test('keeps the focus on an entry that the keyboard scrolls to', async () => {
    await window.gallery.put(...Array.from({ length: 80 }, (_, index) => `lines/${index}.txt`));
    await window.go('lines/');
    await window.link('0.txt').focus();
    for (let line = 0; line < 40; line += 1) await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('40.txt');
    await page.keyboard.press('End');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('79.txt');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '79.txt' }).waitFor();
  });

  test('is searched below, with a count that grows as it searches', async () => {
    await window.gallery.put(
      'find/needle 1.txt',
      'find/x/needle 2.txt',
      'find/x/y/needle 3.txt',
      'find/x/y/hay.txt',
    );
    await window.go('find/');
    await window.link('needle 1.txt').waitFor();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(
      ({ pathname, searchParams }) => pathname === '/api/gallery' && searchParams.get('path') === 'find/x/y/',
      async (route) => {
        await released;
        await route.continue();
      },
    );
    await page.getByRole('checkbox', { name: 'Include subfolders' }).check();
    await page.getByRole('searchbox').fill('needle');
    await expect.poll(() => window.names()).toEqual(['needle 1.txt', 'needle 2.txt']);
    const counted = async () =>
      Number(/\d+/.exec((await page.getByText(/searched/).textContent()) ?? '')?.[0]);
    const before = await counted();
    release();
    await expect.poll(() => window.names()).toEqual(['needle 1.txt', 'needle 2.txt', 'needle 3.txt']);
    expect(await counted()).toBeGreaterThan(before);
    await page.unrouteAll({ behavior: 'wait' });
    // A result opens, and Back leads to the search.
    await window.link('needle 3.txt').click();
    await page.getByRole('heading', { name: 'needle 3.txt' }).waitFor();
    await page.goBack();
    await expect.poll(() => window.names()).toEqual(['needle 1.txt', 'needle 2.txt', 'needle 3.txt']);
  });

  test.each(['grid', 'table'])('that is searched says where each file is, in the %s', async (view) => {
    const deep = `twins/${'a long way down/'.repeat(6)}east/`;
    await window.gallery.put('twins/photo10.jpg', 'twins/west/photo10.jpg', `${deep}photo10.jpg`);
    await window.gallery.put('twins/west/photo10/x.txt');
    await window.go('twins/', `&view=${view}&filter=photo10&everywhere=1`);
    await expect.poll(() => window.names()).toEqual(['photo10', ...Array(3).fill('photo10.jpg')]);
    const west = page.getByRole('gridcell').filter({ hasText: 'west' });
    await expect.poll(() => west.count()).toBe(2);
    // The end of a long path tells folders apart.
    const east = page.locator('[data-path$="east/photo10.jpg"]').getByText(/east$/);
    await east.waitFor();
    await west
      .filter({ hasText: '.jpg' })
      .getByRole('link')
      .click({ modifiers: ['Control'] });
    await page.keyboard.press('Delete');
    await page.getByRole('dialog').getByText('west/photo10.jpg').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  });

  test('is filtered as a whole, however much of it is loaded', async () => {
    const { bucket, s3 } = window.gallery;
    const keys = Array.from({ length: 2005 }, (_, index) => `whole/${String(index).padStart(4, '0')}.txt`);
    await putAll(s3, bucket, keys);
    await window.go('whole/');
    // Ceph's pages are not full.
    await page.getByText(/^[\d,]+ files so far$/).waitFor();
    await page.getByRole('searchbox').fill('2004');
    await expect.poll(() => window.names()).toEqual(['2004.txt']);
    await page.getByText('1 of 2,005 match').waitFor();
    await window.go('whole/', '&view=table&filter=2003');
    await expect.poll(() => window.names()).toEqual(['2003.txt']);
  });

  test('comes back by itself when the network does, with its pictures', async () => {
    await window.gallery.put('back/in/1.jpg');
    await window.go('back/', '');
    await window.link('in').waitFor();
    await window.visit.context.setOffline(true);
    await window.link('in').click();
    await page.getByRole('alert').getByText('The service does not answer').waitFor();
    await window.visit.context.setOffline(false);
    const width = 'document.querySelector("[role=gridcell] img")?.naturalWidth ?? 0';
    await expect.poll(() => page.evaluate(width)).toBeGreaterThan(0);
    // Nor does it wait to be told where the network stayed and the service was away.
    await page.route('**/api/gallery*', (route) => route.abort());
    await page.route(`${window.gallery.url}/desk/`, (route) => route.abort());
    await page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'back' }).click();
    await page.getByRole('alert').getByText('The service does not answer').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await window.link('in').waitFor();
  });

  test('shows pictures that came into sight while the network was away', async () => {
    await window.gallery.put('sight/1.jpg', 'sight/2.jpg');
    await openFile('sight/1.jpg');
    await page.getByText('640 × 480').waitFor();
    await window.visit.context.setOffline(true);
    await page.keyboard.press('ArrowRight');
    await page.getByRole('heading', { name: '2.jpg' }).waitFor();
    await window.visit.context.setOffline(false);
    await page.getByRole('img', { name: '2.jpg' }).waitFor();
    await page.getByText('640 × 480').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
  });

  test('of which several files and folders are chosen saves them as one zip', async () => {
    await window.gallery.put('zip/1.txt', 'zip/2.txt', 'zip/in/3.txt');
    await window.go('zip/');
    await window.choose('1.txt', 'in');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download', exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('zip.zip');
    expect(unzipped(await readFile(await download.path()))).toEqual({
      '1.txt': 'content of zip/1.txt',
      'in/3.txt': 'content of zip/in/3.txt',
    });
  });

  test('and every file in it has a link that a colleague can open', async () => {
    await window.gallery.put('links/sub/photo.jpg');
    await window.go('links/');
    await window.link('sub').click();
    await window.link('photo.jpg').click();
    await page.getByRole('img', { name: 'photo.jpg' }).waitFor();
    const address = page.url();
    const colleague = await window.gallery.visit(window.browser);
    await colleague.open(new URL(address).search);
    await colleague.page.getByRole('img', { name: 'photo.jpg' }).waitFor();
    await colleague.page.getByRole('button', { name: 'Close' }).click();
    await colleague.page.getByRole('link', { name: 'photo.jpg' }).waitFor();
    await colleague.context.close();
    await page.goBack();
    await page.goBack();
    await window.link('sub').waitFor();
  });
});

describe('the viewer', () => {
  test('says what is known of a file', async () => {
    await window.gallery.put('facts/photo.jpg');
    await openFile('facts/photo.jpg');
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.getByText('640 × 480').waitFor();
    const facts = await details.getByRole('term').allTextContents();
    expect(facts).toEqual(['Name', 'Location', 'Size', 'Type', 'Modified', 'Who sees it', 'Dimensions']);
    const values = await details.getByRole('definition').allTextContents();
    expect(values.slice(0, 2)).toEqual(['photo.jpg', 'facts']);
    expect(values.slice(2, 5)).toEqual([
      expect.stringMatching(/kB$/),
      'image/jpeg',
      expect.stringContaining(String(new Date().getFullYear())),
    ]);
  });

  test('says of a picture that its end is missing', async () => {
    await put('facts/cut.jpg', (await drawn(640, 480)).subarray(0, -2), 'image/jpeg');
    await openFile('facts/cut.jpg');
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.getByText('Incomplete: the file ends too early').waitFor();
  });

  test('says what readers see, and offers no link to what they do not', async () => {
    await window.gallery.put('drafts/a.jpg', 'public/b.jpg');
    const menu = async (folder: string, name: string) => {
      await window.go(folder);
      await window.link(name).click({ button: 'right' });
      return page.getByRole('menuitem').allTextContents();
    };
    expect(await menu('public/', 'b.jpg')).toEqual(expect.arrayContaining(['Copy link']));
    expect(await menu('drafts/', 'a.jpg')).not.toEqual(expect.arrayContaining(['Copy link']));
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: 'a.jpg' }).getByText('Private', { exact: true }).waitFor();
    await window.go('', '');
    await page.getByRole('gridcell', { name: 'public' }).getByText('Public', { exact: true }).waitFor();
    await openFile('drafts/a.jpg');
    await page.getByText('Private: not visible to readers').waitFor();
    expect(await page.getByRole('button', { name: 'Copy link', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Copy to public…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy 1 file to' });
    await dialog.getByText('Public: anybody with the link').waitFor();
    await dialog.getByRole('button', { name: 'Copy here' }).click();
    await expect.poll(() => window.exists('public/a.jpg')).toBe(true);
    await window.go('public/', '');
    await page.getByRole('gridcell', { name: 'a.jpg' }).getByText('Public', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('menu').getByText('Public: anybody with the link').waitFor();
    await page.keyboard.press('Escape');
  });

  test('copies a link, an image tag and a signed link that work, and downloads', async () => {
    await window.visit.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await window.gallery.put(`public/a & "b".jpg`);
    await openFile(`public/a & "b".jpg`);
    const copied = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).click();
      return String(await page.evaluate('navigator.clipboard.readText()'));
    };
    await expect.poll(() => copied('Copy link')).toContain('/public/a%20%26%20%22b%22.jpg');
    const address = await copied('Copy link');
    expect((await fetch(address)).status).toBe(200);
    // Those who do not see it hear it.
    await page.getByRole('status').getByText(`Copied: ${address}`).waitFor();
    await expect
      .poll(() => copied('Copy <img>'))
      .toBe(`<img src="${address}" alt="a &amp; &quot;b&quot;.jpg">`);
    await expect.poll(() => copied('Copy link for 1 hour')).toContain('X-Amz-Signature');
    expect((await fetch(await copied('Copy link for 1 hour'))).status).toBe(200);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    // The browser replaces what a file system would not take.
    expect(download.suggestedFilename()).toMatch(/^a & .b.\.jpg$/);
    expect((await readFile(await download.path())).length).toBeGreaterThan(1000);
  });

  test('says why nothing was copied or downloaded while the service is away', async () => {
    await window.gallery.put('away/a.txt');
    await window.go('away/');
    await window.link('a.txt').waitFor();
    await page.route('**/api/gallery', (route) => route.abort());
    for (const [item, outcome] of [
      ['Copy link for 1 hour', 'Nothing was copied'],
      ['Download', 'Nothing was downloaded'],
    ] as const) {
      await window.link('a.txt').click({ button: 'right' });
      await page.getByRole('menuitem', { name: item, exact: true }).click();
      const dialog = page.getByRole('dialog', { name: outcome });
      await dialog.getByText('The service does not answer').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
    }
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('shows pictures that the browser cannot, and says why where there are none', async () => {
    const picture = sharp(await drawing(3)).resize(1600, 1200);
    await put('unshown/scan.tiff', await picture.tiff().toBuffer(), 'image/tiff');
    await put('unshown/phone.heic', HEIC, 'image/heic');
    await put('unshown/press.pdf', PDF, 'application/pdf');
    await put(
      'unshown/camera.nef',
      cameraRaw([await picture.jpeg().toBuffer()], 1),
      'application/octet-stream',
    );
    await put('unshown/broken.heic', Buffer.from('\0\0\0\x18ftypheic'), 'image/heic');
    await put('unshown/empty.cr2', cameraRaw([], 1), 'application/octet-stream');
    const sizes: number[] = [];
    page.on('response', async (response) => {
      if (new URL(response.url()).pathname !== '/api/gallery/media') return;
      sizes.push((await response.body().catch(() => Buffer.alloc(0))).length);
    });
    await window.go('unshown/', '');
    const widthOf = (selector: string) =>
      page.evaluate(`document.querySelector('${selector}')?.naturalWidth`);
    for (const [name, small, large] of [
      ['scan.tiff', 480, 1600],
      ['phone.heic', 120, 120],
      ['press.pdf', 480, 2048],
      ['camera.nef', 480, 1600],
    ] as const) {
      await window.go('unshown/', '');
      await expect.poll(() => widthOf(`[data-path="unshown/${name}"] img`)).toBe(small);
      await openFile(`unshown/${name}`);
      await page.getByRole('img', { name, exact: true }).waitFor();
      await expect.poll(() => widthOf('.stage img')).toBe(large);
    }
    expect(Math.max(...sizes)).toBeLessThan(500_000);
    for (const [name, reason] of [
      ['broken.heic', 'the file is damaged or incomplete'],
      ['empty.cr2', 'the camera put no preview into the file'],
    ] as const) {
      await window.go('unshown/', '');
      await page.getByRole('gridcell').filter({ hasText: reason }).filter({ hasText: name }).waitFor();
      await openFile(`unshown/${name}`);
      await page.locator('.stage-card').getByText(reason).waitFor();
      await page.getByText(/browser cannot show this/).waitFor();
    }
  });

  test('shows the beginning of a text as it is written', async () => {
    await put('texts/notes.md', `# Pier\n<b>${'far '.repeat(100_000)}`, 'text/markdown');
    await put('texts/short.txt', Buffer.from('\ufeffGrüße', 'utf16le'), 'text/plain');
    await put('texts/not.csv', Buffer.from([1, 0, 2, 0]), 'text/csv');
    await openFile('texts/notes.md');
    const text = page.getByRole('textbox', { name: 'notes.md' });
    expect(await text.inputValue()).toMatch(/^# Pier\n<b>far far/);
    expect((await text.inputValue()).length).toBe(256 * 1024);
    await page.getByText('This is the first 262 kB').waitFor();
    await openFile('texts/short.txt');
    expect(await page.getByRole('textbox', { name: 'short.txt' }).inputValue()).toBe('Grüße');
    await openFile('texts/not.csv');
    await page.getByText('The browser cannot show this file').waitFor();
  });

  test('draws a picture of each video, and says so where the browser cannot play it', async () => {
    const base64 = String(await page.evaluate(RECORD));
    await put('posters/clip.webm', Buffer.from(base64, 'base64'), 'video/webm');
    await put('posters/odd.avi', 'RIFF', 'video/x-msvideo');
    await window.go('posters/', '');
    await page.locator('[data-path="posters/clip.webm"] canvas').waitFor();
    expect(await page.evaluate(`document.querySelector('canvas.poster').width`)).toBe(96);
    await page.getByRole('gridcell').filter({ hasText: 'this browser cannot play the video' }).waitFor();
  });

  test('plays video, of which the browser asks for ranges', async () => {
    const base64 = String(await page.evaluate(RECORD));
    await put('play/clip.webm', Buffer.from(base64, 'base64'), 'video/webm');
    const asked = page.waitForRequest(
      (request) => request.url().includes('clip.webm') && 'range' in request.headers(),
    );
    await openFile('play/clip.webm');
    await asked;
    await page.getByText('96 × 64').waitFor();
    await page.evaluate('document.querySelector("video").play()');
    await expect.poll(() => page.evaluate('document.querySelector("video").currentTime')).toBeGreaterThan(0);
    // The arrows belong to the video while it has the focus.
    await page.locator('video').focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('heading', { name: 'clip.webm' }).waitFor();
  });

  test('plays on when the signed address of a long recording is renewed, and with the new one when it has ended', async () => {
    await window.visit.context.route(
      ({ searchParams }) => searchParams.get('ended') === '1',
      (route) => route.abort(),
    );
    const listener = await window.visit.context.newPage();
    await listener.clock.install();
    await listener.goto(`${window.gallery.url}/?file=${encodeURIComponent('play/clip.webm')}`);
    const source = async () => String(await listener.evaluate('document.querySelector("video")?.src ?? ""'));
    await expect.poll(source).toContain('X-Amz-Signature');
    const before = await source();
    // A signature says the second in which it was made.
    const begin = Date.now();
    await expect.poll(() => Date.now() - begin).toBeGreaterThan(1100);
    let renewed = 0;
    listener.on('requestfinished', (request) => {
      if (new URL(request.url()).pathname === '/api/gallery' && request.method() === 'POST') renewed += 1;
    });
    await listener.clock.fastForward(51 * 60_000);
    // One address to play it, and one to download it.
    await expect.poll(() => renewed).toBe(2);
    expect(await source()).toBe(before);
    await listener.evaluate('document.querySelector("video").src += "&ended=1"');
    await expect.poll(source).not.toMatch(/ended/);
    await listener.getByText('96 × 64').waitFor();
    await listener.close();
    await window.visit.context.unrouteAll({ behavior: 'wait' });
  });
});

/** Records half a second of a canvas; resolves to its bytes in base64. */
const RECORD = `new Promise((resolve) => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 96, height: 64 });
  const drawing = canvas.getContext('2d');
  let turn = 0;
  const timer = setInterval(() => {
    drawing.fillStyle = 'hsl(' + (turn += 20) + ' 80% 50%)';
    drawing.fillRect(0, 0, 96, 64);
  }, 30);
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: 'video/webm;codecs=vp8' });
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  recorder.onstop = async () => {
    clearInterval(timer);
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    resolve(btoa([...bytes].map((byte) => String.fromCharCode(byte)).join('')));
  };
  recorder.start();
  setTimeout(() => recorder.stop(), 500);
})`;

describe('hostile objects', () => {
  const SCRIPT = `document.title = 'taken over'; top.document.title = 'taken over'`;
  const NAME = '<img src=x onerror="document.title=1">.txt';

  beforeAll(async () => {
    if (window === undefined) return;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><script>${SCRIPT}</script><rect width="40" height="30" fill="red"/></svg>`;
    await put('hostile/a.svg', svg, 'image/svg+xml');
    await put('hostile/b.html', `<script>${SCRIPT}</script>`, 'text/html');
    await put('hostile/c.jpg', `<script>${SCRIPT}</script>`, 'text/html');
    await put('hostile/d.txt', `<script>${SCRIPT}</script>`, 'image/png');
    await put('hostile/e.mp4', `<script>${SCRIPT}</script>`, 'video/mp4');
    await put(`hostile/${NAME}`, 'name', 'text/plain');
    await put('hostile/z/javascript:alert(1)', 'x', 'text/html');
  });

  test('are names, cards and pictures, and nothing of them runs', async () => {
    await window.go('hostile/', '');
    await window.link(NAME).waitFor();
    await window.link(NAME).click({ modifiers: ['Control'] });
    await page.keyboard.press('Delete');
    await page.getByRole('dialog').getByText(NAME).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await openFile('hostile/a.svg');
    await page.getByText('40 × 30').waitFor();
    for (const [name, words] of [
      ['c.jpg', /cannot show/],
      ['e.mp4', 'The browser cannot show this file'],
    ] as const) {
      await openFile(`hostile/${name}`);
      await page.getByText(words).waitFor();
    }
    for (const name of ['b.html', 'd.txt']) {
      await openFile(`hostile/${name}`);
      expect(await page.getByRole('textbox', { name }).inputValue()).toContain('<script>');
    }
    await openFile(`hostile/${NAME}`);
    await page.getByRole('heading', { name: NAME }).waitFor();
    expect(await page.title()).not.toMatch(/^1|taken over/);
  });

  test('are saved and not shown when they are downloaded', async () => {
    await openFile('hostile/b.html');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('b.html');
    expect(new URL(page.url()).origin).toBe(window.gallery.url);
  });

  test('run nothing at the address of the service either', async () => {
    const visitor = await window.visit.context.newPage();
    for (const name of ['a.svg', 'b.html', 'c.jpg', 'd.txt']) {
      const media = `${window.gallery.url}/api/gallery/media?key=${encodeURIComponent(`hostile/${name}`)}`;
      // An answer that the browser saves ends the navigation.
      await visitor.goto(media).catch(() => undefined);
      expect(await visitor.title()).not.toContain('taken over');
    }
    await visitor.close();
  });
});
