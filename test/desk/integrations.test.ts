import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { drawing } from '../fixtures/drawing.ts';
import { type DeskWindows, withDeskWindows } from '../support/desk-windows.ts';
import { HookReceiver } from '../support/hook-receiver.ts';
import { send } from '../support/http.ts';
import { TestMailServer } from '../support/mail-server.ts';

let desk: DeskWindows;
let page: Page;
let receiver: HookReceiver | undefined;
const mailServer = new TestMailServer();

withDeskWindows(async (windows) => {
  desk = windows;
  receiver = await new HookReceiver().start();
  await mailServer.start();
  receiver.answer = (response) => response.writeHead(204).end();
  ({ page } = await desk.visit('people/keys'));
});
afterAll(async () => {
  if (receiver === undefined) return;
  await Promise.all([receiver.stop(), mailServer.stop()]);
});

test('an owner makes a key for a site, which works until it is revoked', async () => {
  await desk.content.client.category({ name: 'Harbour' });
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog', { name: 'New key' });
  await dialog.getByLabel('What it is for').fill('The harbour site');
  await dialog.getByRole('radio', { name: /^Write drafts/ }).check();
  await dialog.getByLabel('Only in the category').selectOption('Harbour');
  expect(await desk.faultsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Make the key' }).click();
  const shown = page.getByRole('dialog', { name: 'The key for The harbour site' });
  const key = await shown.getByLabel('Shown only now').inputValue();
  const read = () => send(`${desk.content.url}/api/articles?status=all`, { headers: { 'x-api-key': key } });
  expect((await read()).status).toBe(200);
  await shown.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('row', { name: /The harbour site.*Write drafts · only category 1/ }).waitFor();
  await page.getByRole('button', { name: 'Revoke the key for The harbour site' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('row', { name: /The harbour site.*Revoked/ }).waitFor();
  await expect.poll(async () => (await read()).status, { timeout: 20_000 }).toBe(403);
  expect(await page.content()).not.toContain(key);
});

test('an owner adds a hook, tests it, sees what came of it, pauses and removes it', async () => {
  const { url } = receiver as HookReceiver;
  await page.getByRole('link', { name: 'Hooks' }).click();
  await page.getByText('There are no hooks yet.').waitFor();
  await page.getByRole('button', { name: 'New hook' }).click();
  const dialog = page.getByRole('dialog', { name: 'New hook' });
  await dialog.getByLabel('Address').fill('https://ada:secret@site.example/');
  await dialog.getByRole('button', { name: 'Add the hook' }).click();
  await dialog.getByText('This is not an address that begins with https://').waitFor();
  await dialog.getByLabel('Address').fill('http://10.0.0.5/x');
  await dialog.getByRole('button', { name: 'Add the hook' }).click();
  await dialog.getByText('This address is inside a private network').waitFor();
  await dialog.getByLabel('Address').fill(url);
  await dialog.getByRole('button', { name: 'Add the hook' }).click();
  const secret = page.getByRole('dialog', { name: 'The secret of the hook' });
  expect(await secret.getByLabel('Shown only now').inputValue()).toMatch(/^whsec_/);
  await secret.getByRole('button', { name: 'Close' }).last().click();

  const act = async (item: string) => {
    await page.getByRole('button', { name: `Actions for ${url}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await act('Send a test');
  const deliveries = page.getByRole('dialog', { name: 'Deliveries' });
  await deliveries.getByText('The test has been sent. This is the result.').waitFor();
  await deliveries.getByRole('row', { name: /Test.*Delivered \(204\)/ }).waitFor();
  expect(receiver?.received).toHaveLength(1);
  expect(await desk.faultsOf(page)).toEqual([]);
  await deliveries.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('row', { name: new RegExp(`${url} Articles Works`) }).waitFor();

  await act('Pause');
  await page.getByText(/^Paused/).waitFor();
  await desk.content.client.publish({ title: 'While it is paused' });
  await act('Deliver again');
  await page.getByText(/^Works/).waitFor();
  await expect.poll(() => receiver?.received.length).toBe(3);
  await act('Repeat events…');
  await page.getByLabel('Everything since').fill('2026-01-01T00:00');
  await page.getByRole('button', { name: 'Repeat' }).click();
  await page.getByText('2 events are delivered again.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await expect.poll(() => receiver?.received.length).toBe(5);
  await act('Deliveries');
  const published = deliveries.getByRole('row', { name: /published.*Delivered/i });
  await expect.poll(() => published.count()).toBe(2);
  await published.first().getByRole('button', { name: 'Repeat' }).click();
  await deliveries.getByText('1 event is delivered again.').waitFor();
  await expect.poll(() => published.count()).toBe(3);
  expect(receiver?.received).toHaveLength(6);
  await deliveries.getByRole('button', { name: 'Close' }).last().click();

  await act('Remove');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('There are no hooks yet.').waitFor();

  const inside = 'http://localhost:9/x';
  const { body } = await desk.content.client.post('/api/hooks', { url: inside, events: ['tag.deleted'] });
  await desk.go(page, 'people/hooks');
  await page.getByRole('row', { name: `${inside} Tag deleted Not used yet` }).waitFor();
  await page.getByRole('button', { name: `Actions for ${inside}` }).click();
  await page.getByRole('menuitem', { name: 'Send a test' }).click();
  await deliveries.getByText('This address is inside a private network').waitFor();
  await desk.go(page, 'people/hooks');
  await page.getByText(/This address is inside a private network.*is tried again at/).waitFor();
  await desk.content.client.send(`/api/hooks/${body.data.id}`, { method: 'DELETE' });
});

test('an owner names the site, also while somebody else does, and takes the name of the server again', async () => {
  const { database, url } = desk.content;
  const title = async () => (await send(`${url}/articles/feed.json`)).body.title;
  await page.getByRole('link', { name: 'Site', exact: true }).click();
  const name = page.getByLabel('Name of the site', { exact: true });
  const save = page.getByRole('button', { name: 'Save' });
  await name.fill('Harbour News');
  await page.getByLabel('Addresses of articles').fill('/read');
  await save.click();
  await page.getByText('Write it like /articles/{slug}, with {slug} or {id}.').waitFor();
  const logo = page.getByLabel('Address of the logo', { exact: true });
  const file = { name: 'logo.jpg', mimeType: 'image/jpeg', buffer: await drawing(1) };
  await page.locator('[data-upload="logo"]').setInputFiles(file);
  await expect.poll(() => logo.inputValue()).toBe(`${desk.gallery.url}/media/public/logo.jpg`);
  expect(await title()).toBe('Pressroom');
  await page.getByLabel('Addresses of articles').fill('/read/{slug}');
  await page.getByRole('textbox', { name: 'Address of the site', exact: true }).fill('harbour.example');
  const language = page.getByRole('textbox', { name: 'Language of the articles', exact: true });
  await language.fill('English');
  await language.blur();
  expect(await language.inputValue()).toBe('en');
  await save.click();
  await page.getByText('Saved. It takes effect now.').waitFor();
  expect(await title()).toBe('Harbour News');
  const { rows } = await database.pool.query('select logo, url from content.site');
  expect(rows).toEqual([{ logo: await logo.inputValue(), url: 'https://harbour.example' }]);
  await page.getByText('Set at the desk. The server’s value: Pressroom').waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);

  await database.pool.query("update content.site set name = 'Theirs', description = 'By them'");
  await name.fill('Harbour and Hills');
  await save.click();
  await page.getByText('Somebody else has changed the settings meanwhile.').waitFor();
  await page.getByText('Until you save, it is: Theirs').waitFor();
  expect(await page.getByRole('textbox', { name: 'What the site is about' }).inputValue()).toBe('By them');
  await save.click();
  await page.getByText('Saved. It takes effect now.').waitFor();
  expect(await title()).toBe('Harbour and Hills');

  for (const field of ['Name', 'Address'])
    await page.getByRole('button', { name: `${field} of the site: use the server’s value` }).click();
  await save.click();
  await page.getByText('Saved. It takes effect now.').waitFor();
  await page.getByText('The server’s value: Pressroom').waitFor({ state: 'detached' });
  expect(await title()).toBe('Pressroom');
  // Once for all of them.
  await page.getByText('comes from the server, under these names').click();
  await page.getByText(/SITE_NAME, SITE_DESCRIPTION/).waitFor();
});

test('an owner makes a folder public, and sends a test mail', async () => {
  const { ask, bucket, s3, url } = desk.gallery;
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'press/a.txt', Body: 'text' }));
  await page.getByRole('link', { name: 'Folders and mail' }).click();
  await page.getByLabel('Public folders').fill('press');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. It takes effect now.').waitFor();
  const { body } = await ask('/api/gallery?json=1&path=press/');
  expect((await send(url + body.data.files[0].publicPath)).text).toBe('text');

  const image = 'https://site.example/media/press/a.jpg';
  await desk.content.client.article({ title: 'Pier', featured_image: image, is_published: true });
  await page.getByLabel('Public folders', { exact: true }).fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  const warning = page.getByRole('dialog');
  await warning.getByText('1 article shows files of a folder that you are removing').waitFor();
  await warning.getByRole('button', { name: 'Cancel' }).click();
  expect((await ask('/api/settings')).body.data.publicFolders.value).toEqual(['press/']);

  const typed = {
    'Address of the mail server': `smtp://${mailServer.host}`,
    'User of the mail server': 'desk',
    'Password of the user': 'wrong',
    Sender: 'desk@paper.example',
    'Address for a test': 'ann@example.org',
  };
  for (const [label, text] of Object.entries(typed)) await page.getByLabel(label).fill(text);
  const test = page.getByRole('button', { name: 'Send a test mail' });
  await test.click();
  await page.getByText('The mail server refuses the user or the password.').waitFor();
  await page.getByLabel('Password of the user').fill('p@ss');
  await test.click();
  await page.getByText('The server has accepted the mail.').waitFor();
  expect(mailServer.received.map(({ to }) => to)).toEqual([['ann@example.org']]);
});

test('on a phone and in Chinese, the pages are whole', async () => {
  await desk.content.client.post('/api/hooks', { url: receiver?.url, events: ['article.*'] });
  await page.setViewportSize({ width: 360, height: 740 });
  for (const place of ['people/site', 'people/gallery', 'people/keys', 'people/hooks']) {
    await desk.go(page, place);
    await page.locator('form.people-site, table').waitFor();
    expect(await desk.faultsOf(page)).toEqual([]);
  }
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('menuitemradio', { name: '中文' }).click();
  await page.getByRole('heading', { name: 'Webhook' }).waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
});
