import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { skipWithout } from '../../support/browser.ts';
import { fillLogin } from '../../support/gallery-page.ts';
import { type GalleryWindow, openGalleryWindow } from '../../support/gallery-window.ts';

let window: GalleryWindow;
let page: Page;

beforeAll(async () => {
  const opened = await openGalleryWindow();
  if (opened === undefined) return;
  window = opened;
  page = window.page;
});
skipWithout(() => window?.browser);
afterAll(async () => {
  expect((await window?.close()) ?? []).toEqual([]);
});

const activity = () => page.getByRole('region', { name: 'Activity' });
const row = (name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });

async function middleOf(element: Locator): Promise<[x: number, y: number]> {
  const box = await element.boundingBox();
  if (box === null) throw new Error('the element is not to be seen');
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** Drags with the mouse, with Ctrl if it is to be a copy. */
async function drag(from: Locator, to: Locator, isCopy = false): Promise<void> {
  await page.mouse.move(...(await middleOf(from)));
  await page.mouse.down();
  if (isCopy) await page.keyboard.down('Control');
  const [x, y] = await middleOf(to);
  await page.mouse.move(x - 4, y, { steps: 4 });
  await page.mouse.move(x, y);
  await page.mouse.up();
  if (isCopy) await page.keyboard.up('Control');
}

test('files and folders are selected together: by Ctrl, Shift and a marquee that adds', async () => {
  await window.gallery.put('pick/a/1.txt', 'pick/b/1.txt', 'pick/c.txt', 'pick/d.txt', 'pick/e.txt');
  await window.go('pick/');
  await window.choose('b', 'd.txt');
  await page.getByText('2 selected').waitFor();
  await window.link('a').click({ modifiers: ['Shift'] });
  await page.getByText('4 selected').waitFor();
  await page.getByRole('button', { name: 'Clear the selection' }).click();
  await page.getByRole('button', { name: 'Grid' }).click();
  const [first, last] = [
    await page.getByRole('gridcell').first().boundingBox(),
    await page.getByRole('gridcell').last().boundingBox(),
  ];
  if (first === null || last === null) throw new Error('the cards are not to be seen');
  // From below the last card up to the folders.
  await page.mouse.move(last.x + last.width + 40, last.y + last.height + 60);
  await page.mouse.down();
  await page.mouse.move(first.x + 10, first.y + 10, { steps: 8 });
  await page.mouse.up();
  await page.getByText('5 selected').waitFor();
  await page.keyboard.press('Escape');
  await window.choose('a');
  await page.mouse.move(last.x + last.width + 40, last.y + last.height + 60);
  await page.keyboard.down('Control');
  await page.mouse.down();
  await page.mouse.move(last.x + 10, last.y + 10, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Control');
  await page.getByText('2 selected').waitFor();
});

test('a selection is dragged onto the path above, and a folder is copied by dragging with Ctrl', async () => {
  await window.gallery.put('drag/in/1.txt', 'drag/in/sub/2.txt', 'drag/in/stay.txt', 'drag/in/to/x.txt');
  await window.go('drag/in/');
  await window.choose('1.txt', 'sub');
  await drag(
    row('1.txt'),
    page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'drag', exact: true }),
  );
  await activity().getByText('Moved 2 files to drag').waitFor();
  expect(await window.keys('drag/')).toEqual([
    'drag/1.txt',
    'drag/in/stay.txt',
    'drag/in/to/x.txt',
    'drag/sub/2.txt',
  ]);
  await window.go('drag/');
  // The folders are a tree beside the files, which takes what is dragged as well, and has the trash.
  const tree = page.getByRole('navigation', { name: 'Folders' });
  await drag(row('sub'), tree.getByRole('link', { name: 'in', exact: true }), true);
  await activity().getByText('Copied 1 file to drag/in').waitFor();
  await tree.getByRole('button', { name: 'Show what is in in' }).click();
  await tree.getByRole('link', { name: 'sub' }).nth(1).click();
  await window.link('2.txt').waitFor();
  await tree.getByRole('link', { name: 'Trash' }).click();
  await page.getByRole('navigation', { name: 'Path' }).getByText('Trash').waitFor();
  expect(await window.keys('drag/')).toEqual([
    ...['drag/1.txt', 'drag/in/stay.txt', 'drag/in/sub/2.txt', 'drag/in/to/x.txt', 'drag/sub/2.txt'],
  ]);
});

test('a folder is copied with the keyboard alone', async () => {
  await window.gallery.put('keyboard/from/1.txt', 'keyboard/to/x.txt');
  await window.go('keyboard/');
  await window.link('from').focus();
  await page.keyboard.press('Control+c');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await window.link('x.txt').waitFor();
  await page.keyboard.press('Control+v');
  await window.link('from').waitFor();
  expect(await window.keys('keyboard/')).toEqual([
    'keyboard/from/1.txt',
    'keyboard/to/from/1.txt',
    'keyboard/to/x.txt',
  ]);
  await window.link('from').focus();
  await page.keyboard.press('Backspace');
  await window.link('to').waitFor();
});

test('the page is worked with the keyboard alone: menus, dialogs, and the focus comes back', async () => {
  await window.gallery.put('tabs/a.txt', 'tabs/to/x.txt');
  await window.go('tabs/');
  await window.link('a.txt').focus();
  await page.keyboard.press('F2');
  await page.getByLabel('New name').waitFor();
  await page.keyboard.type('b');
  await page.keyboard.press('Enter');
  await window.link('b.txt').waitFor();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await help.waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => help.count()).toBe(0);
  await page.keyboard.press('/');
  await page.keyboard.type('b');
  await expect.poll(() => window.names()).toEqual(['b.txt']);
  await page.keyboard.press('Escape');
  await window.link('to').waitFor();
  const settings = page.getByRole('button', { name: 'Settings' });
  await settings.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Buckets' }).waitFor();
  await page.keyboard.press('Escape');
  await expect
    .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
    .toBe('Settings');
});

test('a folder is renamed with everything in it, and the name is taken back', async () => {
  await window.gallery.put('names/old/1.txt', 'names/old/sub/2.txt');
  await window.go('names/');
  await window.choose('old');
  await page.keyboard.press('F2');
  const dialog = page.getByRole('dialog', { name: 'Rename “old”' });
  await page.getByLabel('New name').fill('a/b');
  expect(await dialog.getByRole('button', { name: 'Rename' }).isDisabled()).toBe(true);
  await page.getByLabel('New name').fill('new');
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await window.link('new').waitFor();
  expect(await window.keys('names/')).toEqual(['names/new/1.txt', 'names/new/sub/2.txt']);
  await activity().getByRole('button', { name: 'Undo' }).last().click();
  await window.link('old').waitFor();
  expect(await window.keys('names/')).toEqual(['names/old/1.txt', 'names/old/sub/2.txt']);
});

test('a session that ends while a dialog is open costs only the password', async () => {
  await window.gallery.put('typed/a.txt');
  await window.go('typed/');
  await window.choose('a.txt');
  await page.keyboard.press('F2');
  await page.getByLabel('New name').fill('b.txt');
  await window.visit.context.clearCookies();
  await page.getByRole('dialog', { name: 'Rename' }).getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('dialog', { name: 'Log in again' }).waitFor();
  await fillLogin(page);
  await window.link('b.txt').waitFor();
  expect(await window.keys('typed/')).toEqual(['typed/b.txt']);
});

test('a selection of which somebody else has deleted a part is moved as far as it is there', async () => {
  await window.gallery.put('part/a.txt', 'part/b.txt', 'part/to/x.txt');
  await window.go('part/');
  await window.choose('a.txt', 'b.txt');
  const { bucket: Bucket, s3 } = window.gallery;
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'part/a.txt' }));
  await page.getByRole('button', { name: 'Move to…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'to', exact: true }).click();
  await dialog.getByRole('button', { name: 'Move here' }).click();
  await activity().getByText('Moved 1 file to part/to').waitFor();
  await activity().getByText('1 file was no longer there').waitFor();
  expect(await window.keys('part/')).toEqual(['part/to/b.txt', 'part/to/x.txt']);
  await expect.poll(() => window.names()).toEqual(['to']);
});

test.each(['a b + 100% #1 ?x=1&y', `it's "quoted" <i>`, '👩‍👩‍👧‍👦 family', 'שלום עולם'])(
  'a folder called %s is opened, renamed and deleted',
  async (name) => {
    await window.gallery.put(`odd/${name}/1.txt`);
    await window.go('odd/');
    await window.link(name).click();
    await window.link('1.txt').waitFor();
    await page.reload();
    await window.link('1.txt').waitFor();
    await page.goBack();
    await window.choose(name);
    await page.keyboard.press('F2');
    await page.getByLabel('New name').fill(`${name} 2`);
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await window.link(`${name} 2`).waitFor();
    expect(await window.keys('odd/')).toEqual([`odd/${name} 2/1.txt`]);
    await window.choose(`${name} 2`);
    await page.keyboard.press('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => window.keys('odd/')).toEqual([]);
  },
);

test('names that would turn text around are written out, and a new name is offered without', async () => {
  await window.gallery.put('turned/photo\u202Egpj.exe', 'turned/\u2066in\u200B/x.txt');
  await window.go('turned/');
  const [shown, folder] = ['photo\\u{202E}gpj.exe', '\\u{2066}in\\u{200B}'];
  await expect.poll(() => window.names()).toEqual([folder, shown]);
  await window.choose(shown);
  await page.keyboard.press('Delete');
  await page.getByRole('dialog').getByText(shown).waitFor();
  await page.keyboard.press('Escape');
  await window.link(shown).click();
  await page.getByRole('heading', { name: shown }).waitFor();
  expect(await page.title()).toContain(shown);
  const details = page.getByRole('complementary', { name: 'Details' });
  expect(await details.getByRole('definition').first().textContent()).toBe(shown);
  await page.getByRole('button', { name: 'Close' }).click();
  await window.link(folder).click();
  await window.link('x.txt').waitFor();
  await page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: folder }).waitFor();
  await window.go('turned/');
  await window.choose(shown);
  await page.keyboard.press('F2');
  await expect.poll(() => page.getByLabel('New name').inputValue()).toBe('photogpj.exe');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await activity().getByText(`Renamed “${shown}” to “photogpj.exe”`).waitFor();
  expect(await window.keys('turned/')).toEqual(['turned/photogpj.exe', 'turned/\u2066in\u200B/x.txt']);
});

test('keys that no file system has are shown and deleted: an empty name, dots, a space', async () => {
  await window.gallery.put('strange//x.txt', 'strange/../y.txt', 'strange/./z.txt', 'strange/ ');
  await window.go('strange/');
  await expect.poll(async () => (await window.names()).toSorted()).toEqual([' ', '(no name)', '.', '..']);
  await window.link('(no name)').click();
  await window.link('x.txt').waitFor();
  await window.go('strange/');
  await window.link('..').click();
  await window.link('y.txt').click();
  await page.getByRole('heading', { name: 'y.txt' }).waitFor();
  await window.go('strange/');
  await window.link('..').focus();
  await page.keyboard.press('Control+a');
  await page.getByText('4 selected').waitFor();
  await page.keyboard.press('Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => window.keys('strange/')).toEqual([]);
});
