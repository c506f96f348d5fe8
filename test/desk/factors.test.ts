import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { appCode } from '../support/authenticator.ts';
import { type DeskWindows, withAuthenticator, withDeskWindows } from '../support/desk-windows.ts';
import { ADMIN, startGallery } from '../support/gallery.ts';
import { send } from '../support/http.ts';

const PASSWORD = 'nobody types this twice';

let desk: DeskWindows;
/** The desk at a name: browsers keep no passkeys for an address. */
let url: string;

withDeskWindows(async (windows) => {
  desk = windows;
  url = named(desk.gallery.url);
});

function named(address: string): string {
  return address.replace('127.0.0.1', 'localhost');
}

/** A window with an authenticator of its own. */
async function window(options: Parameters<DeskWindows['window']>[0] = {}): Promise<Page> {
  return withAuthenticator(await desk.window(options));
}

async function invited(name: string): Promise<{ email: string; token: string }> {
  const email = `${name}@example.org`;
  const json = { name, email, role: 'reader' };
  const { body, status, text } = await desk.gallery.post('/api/people', json);
  expect(status, text).toBe(201);
  return { email, token: body.data.invitation.token };
}

/** Somebody with a password. */
async function joined(name: string): Promise<string> {
  const { email, token } = await invited(name);
  const json = { token, password: PASSWORD };
  const { status } = await send(`${desk.gallery.url}/api/invitation/accept`, { method: 'POST', json });
  expect(status).toBe(200);
  return email;
}

async function logIn(page: Page, username: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Username or e-mail').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** Lets the last 15 minutes pass for everybody who is logged in but the test itself. */
async function growOld(): Promise<void> {
  await desk.gallery.database.pool.query(
    `update gallery.session set created_at = created_at - interval '16 minutes', confirmed_at = null
     where person_id is not null or device like 'Mozilla%'`,
  );
}

test('an invitation is accepted with a passkey, which lets in by one button', async () => {
  const { token } = await invited('pia');
  const page = await window();
  await page.goto(`${url}/desk/invitation#${token}`);
  await page.getByRole('button', { name: 'Use a passkey instead' }).waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Use a passkey instead' }).click();
  await page.getByRole('banner').waitFor();
  await page.context().clearCookies();
  await page.goto(`${url}/desk/account`);
  await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  const passkey = page.getByRole('listitem').filter({ hasText: 'Chrome, Linux' });
  await passkey.getByText(/added .* last used/).waitFor();
  await passkey.getByRole('button', { name: 'Rename the passkey Chrome, Linux' }).click();
  await page.getByLabel('New name').fill('Office');
  expect(await desk.faultsOf(page)).toEqual([]);
  await page.keyboard.press('Enter');
  const renamed = page.getByRole('listitem').filter({ hasText: 'Office' });
  await renamed.getByRole('button', { name: 'Remove the passkey Office' }).click();
  await page.getByText('This is your only way to log in').waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
});

test('an app is set up by its first code; a recovery code lets in once', async () => {
  const email = await joined('tom');
  const page = await window({ viewport: { width: 360, height: 800 } });
  await page.goto(`${url}/desk/account`);
  await logIn(page, email);
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  await page.getByRole('img', { name: 'QR code for the app' }).waitFor();
  const form = page.getByRole('form', { name: 'Set up an authenticator app' });
  const secret = (await form.locator('code').textContent()) ?? '';
  const code = appCode(secret, Date.now());
  await form.getByRole('textbox', { name: 'Code' }).fill(code === '000000' ? '000001' : '000000');
  await form.getByRole('button', { name: 'Use this app' }).click();
  await page.getByText('This code is wrong, or was used already.').waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
  await form.getByRole('textbox', { name: 'Code' }).fill(appCode(secret, Date.now()));
  await form.getByRole('button', { name: 'Use this app' }).click();
  const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await codes.first().waitFor();
  expect(await codes.count()).toBe(10);
  const recovery = (await codes.first().textContent()) ?? '';
  await page.getByText('10 recovery codes are left.').waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);

  const elsewhere = await window();
  await elsewhere.goto(`${url}/desk/account`);
  await logIn(elsewhere, email);
  await elsewhere.getByLabel('Code').fill('wrong');
  await elsewhere.getByRole('button', { name: 'Log in' }).click();
  await elsewhere.getByText('This code is wrong, or was used already.').waitFor();
  expect(await desk.faultsOf(elsewhere)).toEqual([]);
  await elsewhere.getByLabel('Code').fill(recovery);
  await elsewhere.getByRole('button', { name: 'Log in' }).click();
  await elsewhere.getByText('9 recovery codes are left.').waitFor();
});

test('after a while, the desk asks for the password again, and goes on with what was asked', async () => {
  const page = await window();
  await page.goto(`${url}/desk/people`);
  await logIn(page, ADMIN.username, ADMIN.password);
  await page.getByRole('row', { name: /pia .*1 passkey/ }).waitFor();
  await growOld();
  await page.getByRole('button', { name: 'Actions for pia' }).click();
  await page.getByRole('menuitem', { name: 'New link' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await dialog.getByLabel('Password').fill('a guess');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.getByText('The password is wrong.').waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
  await dialog.getByLabel('Password').fill(ADMIN.password);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('dialog', { name: 'The link for pia' }).waitFor();
  await page.keyboard.press('Escape');

  await growOld();
  await page.getByRole('button', { name: 'Actions for pia' }).click();
  await page.getByRole('menuitem', { name: 'Remove all but the password' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('This was not done').waitFor();
  await page.getByRole('row', { name: /pia .*1 passkey/ }).waitFor();
});

test('an article is deleted for good once its editor has shown again who that is', async () => {
  const { client } = desk.content;
  const trash = async () => (await client.send('/api/trash')).body.meta.total as number;
  for (const title of ['Gone one', 'Gone two', 'Gone three'])
    await client.delete(`/api/articles/${(await client.article({ title })).id}`);
  const page = await desk.enter('Edda', 'editor');
  await desk.go(page, 'articles?status=trash');
  await growOld();
  const erase = async () => {
    await page.getByLabel('Select Gone one').check();
    await page.getByLabel('Select Gone two').check();
    await page.getByRole('button', { name: 'Delete for good…' }).click();
    const sure = page.getByRole('dialog', { name: 'Delete 2 articles for good?' });
    await sure.getByRole('button', { name: 'Delete for good' }).click();
  };
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await erase();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('This was not done: it has to be confirmed.').waitFor();
  await dialog.waitFor({ state: 'detached' });
  expect(await trash()).toBe(3);
  await erase();
  await dialog.getByLabel('Password').fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Deleted 2 articles for good').waitFor();
  expect(await trash()).toBe(1);

  await growOld();
  await page.getByRole('button', { name: 'Empty the trash…' }).click();
  const all = page.getByRole('dialog', { name: 'Delete 1 article for good?' });
  await all.getByRole('button', { name: 'Delete for good' }).click();
  await dialog.getByLabel('Password').fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Deleted 1 article for good').waitFor();
  expect(await trash()).toBe(0);
});

test('where a second factor is required, the desk leads to it, in Chinese too', async () => {
  const email = await joined('rui');
  const service = await startGallery({ ...desk.gallery.settings, LOGIN_SECOND_FACTOR: 'required' });
  const there = named(service.url);
  const page = await window({ locale: 'zh-CN' });
  await page.goto(`${there}/desk/articles`);
  await page.getByLabel('用户名或电子邮箱').fill(email);
  await page.getByLabel('密码').fill(PASSWORD);
  await page.getByRole('button', { name: '登录', exact: true }).click();
  await page.getByText('请先设置通行密钥或验证码应用。').waitFor();
  expect(new URL(page.url()).pathname).toBe('/desk/account');
  expect(await desk.faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: '添加通行密钥' }).click();
  await page.getByRole('button', { name: /移除通行密钥/ }).waitFor();
  await page.getByRole('link', { name: '文章' }).click();
  await page.getByRole('link', { name: '文章', exact: true }).and(page.locator('[aria-current]')).waitFor();
  expect(new URL(page.url()).pathname).toBe('/desk/articles');
  await service.close();
});
