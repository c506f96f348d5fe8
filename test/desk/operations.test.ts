import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type DeskWindows, withDeskWindows } from '../support/desk-windows.ts';
import { HookReceiver } from '../support/hook-receiver.ts';
import { startNewsroom } from '../support/news-desk.ts';

let desk: DeskWindows;
let page: Page;
let newsroom: Awaited<ReturnType<typeof startNewsroom>> | undefined;
let database: TestDatabase | undefined;
let receiver: HookReceiver | undefined;

withDeskWindows(
  async (windows) => {
    desk = windows;
    ({ page } = await desk.visit('operations'));
  },
  async () => {
    [database, receiver] = await Promise.all([createTestDatabase(), new HookReceiver().start()]);
    newsroom = await startNewsroom(database.url);
    return { NEWSROOM_URL: newsroom.url };
  },
);
afterAll(async () => {
  await newsroom?.stop();
  await receiver?.stop();
  await database?.drop();
});

const subject = (name: string) => page.getByRole('region', { name, exact: true });
const line = (name: string, words: RegExp) => subject(name).getByRole('listitem').filter({ hasText: words });

test('an owner sees how the site runs, and that there are no backups', async () => {
  await page.getByRole('heading', { level: 1, name: 'Operations' }).waitFor();
  await line('Backups', /Needs you.*No backup has been reported/).waitFor();
  await line('Articles', /In order.*The content service answers/).waitFor();
  await line('News', /1 worker runs/).waitFor();
  await line('Media', /The object store answers/).waitFor();
  await line('Database and versions', /The database has every migration of this version/).waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);

  await desk.gallery.database.pool.query(`
    insert into gallery.backup_report (reported_at, kept, made_at, bytes, encrypted, due_at, failing)
    values (now(), 3, now() - interval '30 hours', 5e9, true, now() - interval '6 hours', '{}')
  `);
  await desk.go(page, 'operations');
  const late = line('Backups', /The next backup should be there by now/);
  await late.getByText('6 hr ago').waitFor();
  expect(await late.locator('time').getAttribute('title')).toMatch(/\d{4}/);
  await line('Backups', /The newest backup is 5 GB large and encrypted/).waitFor();
});

test('a hook that failed is tried again by the keyboard', async () => {
  const { client } = desk.content;
  const { answer, url } = receiver as HookReceiver;
  (receiver as HookReceiver).answer = (response) => response.writeHead(500).end();
  await client.post('/api/hooks', { url, events: ['article.*'] });
  await client.publish({ title: 'The gauge' });
  const failed = line('Articles', /The hook to 127\.0\.0\.1:\d+ has failed/);
  await expect
    .poll(
      async () => {
        await desk.go(page, 'operations');
        await subject('Articles').waitFor();
        return failed.count();
      },
      { timeout: 60_000 },
    )
    .toBe(1);
  expect(await desk.faultsOf(page)).toEqual([]);
  (receiver as HookReceiver).answer = answer;
  await failed.getByRole('button', { name: 'Try again' }).press('Enter');
  await expect.poll(() => receiver?.received.length, { timeout: 60_000 }).toBeGreaterThan(1);
});

test('only owners are led there', async () => {
  const menuOf = async (of: Page) => {
    await of.getByRole('button', { name: 'Settings' }).click();
    await of.getByRole('menuitem', { name: 'Account' }).waitFor();
    return of.getByRole('menuitem', { name: 'Operations' }).count();
  };
  expect(await menuOf(page)).toBe(1);
  await page.keyboard.press('Escape');
  const editor = await desk.enter('Edgar Blue', 'editor');
  await editor.getByRole('banner').waitFor();
  expect(await menuOf(editor)).toBe(0);
});

test('what is away is said, and the rest stands, in Chinese on a phone, too', async () => {
  await newsroom?.stop();
  await desk.go(page, 'operations');
  await line('Articles', /The content service answers/).waitFor();
  await line('News', /Needs you.*The newsroom does not answer/).waitFor();
  await line('Media', /The object store answers/).waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('menuitemradio', { name: '中文' }).click();
  await page.getByRole('heading', { level: 1, name: '运行状况' }).waitFor();
  await page.getByText('新闻服务没有响应。').waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
});
