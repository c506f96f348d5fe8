import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { type DeskWindows, withDeskWindows } from '../support/desk-windows.ts';
import { type RealProvider, startProvider } from '../support/oidc.ts';

const HEADER = 'X-Forwarded-Email';

let provider: RealProvider;
let desk: DeskWindows;
/** The desk by a name that is another site than the provider's. */
let origin: string;

withDeskWindows(
  async (windows) => {
    desk = windows;
    origin = desk.gallery.url.replace('127.0.0.1', 'localhost');
  },
  async () => {
    provider = await startProvider('work');
    return {
      OIDC_PROVIDERS: JSON.stringify([{ ...provider.client, name: 'Work' }]),
      TRUST_PROXY: '127.0.0.0/8, ::1',
      LOGIN_PROXY_HEADER: HEADER,
    };
  },
);
afterAll(() => provider?.close());

async function window(options?: Parameters<DeskWindows['window']>[0]): Promise<Page> {
  return (await desk.window(options)).page;
}

async function added(name: string, email: string) {
  const { body } = await desk.gallery.post('/api/people', { name, email, role: 'editor' });
  return body.data as { person: { id: string }; invitation: { token: string } };
}

/** Logs in on the pages of the provider. */
async function atProvider(page: Page, login: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(login);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

test('somebody signs in by a provider of another site, at the place where they were, and out there too', async () => {
  await added('Ann', 'ann@example.org');
  provider.accounts.set('ann', { email: 'ann@example.org', email_verified: true });
  const page = await window({ viewport: { width: 360, height: 720 } });
  await page.goto(`${origin}/desk/articles?status=draft`);
  await page.getByRole('link', { name: 'Sign in with Work' }).waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
  await page.getByRole('link', { name: 'Sign in with Work' }).click();
  await atProvider(page, 'ann');
  await page.getByRole('banner').waitFor();
  expect(page.url()).toBe(`${origin}/desk/articles?status=draft`);

  await page.goto(`${origin}/desk/account`);
  await page.getByText(/^by Work · /).waitFor();
  await page.getByRole('heading', { name: 'Accounts that you sign in with' }).waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Unlink Work' }).click();
  await page.getByText(/This is your only way to log in/).waitFor();

  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByRole('button', { name: 'Yes, sign me out' }).click();
  await page.getByRole('link', { name: 'Sign in with Work' }).waitFor();
  expect(page.url()).toBe(`${origin}/desk/articles?status=draft`);
});

test('whoever is not let in is told why, once', async () => {
  provider.accounts.set('nobody', { email: 'nobody@example.org', email_verified: true });
  const page = await window();
  await page.goto(`${origin}/desk/media`);
  await page.getByRole('link', { name: 'Sign in with Work' }).click();
  await atProvider(page, 'nobody');
  await page.getByRole('alert').getByText('Nobody at this desk has your e-mail address.').waitFor();
  expect(page.url()).toBe(`${origin}/desk/media`);
  const chinese = await window({ locale: 'zh-CN' });
  await chinese.goto(`${origin}/desk/media?sign_in=unverified_email`);
  await chinese.getByText('登录服务未确认该电子邮箱属于您').waitFor();
  await chinese.getByRole('link', { name: '使用 Work 登录' }).waitFor();
});

test('an invitation is accepted by a provider, and an account is linked later', async () => {
  const { invitation } = await added('Ivy', 'ivy@example.org');
  const page = await window();
  await page.goto(`${origin}/desk/invitation#${invitation.token}`);
  await page.getByRole('button', { name: 'No password: sign in with Work' }).waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'No password: sign in with Work' }).click();
  await atProvider(page, 'ivy');
  await page.getByRole('banner').waitFor();

  const { invitation: other } = await added('Joe', 'joe@example.org');
  const joe = await window();
  await joe.goto(`${origin}/desk/invitation#${other.token}`);
  await joe.getByLabel('Password', { exact: true }).fill('nobody types this twice');
  await joe.getByRole('button', { name: 'Save and begin' }).click();
  await joe.getByRole('banner').waitFor();
  await joe.goto(`${origin}/desk/account`);
  await joe.getByRole('button', { name: 'Link Work' }).click();
  await atProvider(joe, 'joe');
  await joe.getByText('The account is linked.').waitFor();
  await joe.getByRole('button', { name: 'Unlink Work' }).click();
  await joe.getByRole('button', { name: 'Link Work' }).waitFor();
});

test('whoever signs in again in another window goes on in this one', async () => {
  const { person } = await added('Kim', 'kim@example.org');
  provider.accounts.set('kim', { email: 'kim@example.org', email_verified: true });
  const page = await window();
  await page.goto(`${origin}/desk/media`);
  await page.getByRole('link', { name: 'Sign in with Work' }).click();
  await atProvider(page, 'kim');
  await page.getByRole('banner').waitFor();
  await desk.gallery.database.pool.query('delete from gallery.session where person_id = $1', [person.id]);
  await page.getByRole('link', { name: 'Articles' }).click();
  const opening = page.waitForEvent('popup');
  await page.getByRole('dialog').getByRole('link', { name: 'Sign in with Work' }).click();
  const popup = await opening;
  await popup.getByRole('banner').waitFor();
  await popup.close();
  await page.evaluate('dispatchEvent(new Event("focus"))');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'New article' }).waitFor();
});

test('whoever has a linked account alone shows in another window who they are, and goes on in this one', async () => {
  await added('Max', 'max@example.org');
  provider.accounts.set('max', { email: 'max@example.org', email_verified: true });
  const page = await window({ viewport: { width: 360, height: 720 } });
  await page.goto(`${origin}/desk/account`);
  await page.getByRole('link', { name: 'Sign in with Work' }).click();
  await atProvider(page, 'max');
  await page.getByRole('button', { name: 'Set up an authenticator app' }).waitFor();
  await desk.gallery.database.pool.query(
    "update gallery.session set created_at = created_at - interval '16 minutes', confirmed_at = null where way = 'work'",
  );
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  const asking = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await asking.getByRole('button', { name: 'Sign in with Work' }).waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
  const opening = page.waitForEvent('popup');
  await asking.getByRole('button', { name: 'Sign in with Work' }).click();
  const popup = await opening;
  await popup.getByPlaceholder('Enter any login').fill('max');
  await popup.getByPlaceholder('and password').fill('any');
  await popup.getByRole('button', { name: 'Sign-in' }).click();
  await popup.getByText('You have confirmed that it is you.').waitFor();
  await popup.close();
  await page.evaluate('dispatchEvent(new Event("focus"))');
  await page.getByRole('img', { name: 'QR code for the app' }).waitFor();
});

test('a proxy in front has let somebody in', async () => {
  await added('Lea', 'lea@example.org');
  const page = await window({ extraHTTPHeaders: { [HEADER]: 'lea@example.org' } });
  await page.goto(`${desk.gallery.url}/desk/account`);
  await page.getByRole('button', { name: 'Go on as lea@example.org' }).click();
  await page.getByText(/^by the proxy in front · /).waitFor();
});
