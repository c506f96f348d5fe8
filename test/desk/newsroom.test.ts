import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { appCode } from '../support/authenticator.ts';
import { type DeskWindows, withAuthenticator, withDeskWindows } from '../support/desk-windows.ts';
import { startGallery } from '../support/gallery.ts';
import { send } from '../support/http.ts';
import { type RealProvider, startProvider } from '../support/oidc.ts';

const LONG = 'The harbour was quiet in the morning, and the first boats came in after nine.';

let desk: DeskWindows;
let provider: RealProvider | undefined;
let owner: Page;

withDeskWindows(
  async (windows) => {
    desk = windows;
    owner = (await desk.visit('people')).page;
  },
  async () => {
    provider = await startProvider('work');
    return { OIDC_PROVIDERS: JSON.stringify([{ ...provider.client, name: 'Work' }]) };
  },
);
afterAll(() => provider?.close());

/** By a name: browsers keep no passkeys for an address. */
function named(address: string): string {
  return address.replace('127.0.0.1', 'localhost');
}

/** Invites somebody by the desk, and returns the window in which the link was opened. */
async function invited(name: string, role: string): Promise<Page> {
  await desk.go(owner, 'people');
  await owner.getByRole('button', { name: 'Invite somebody' }).click();
  await owner.getByLabel('Name', { exact: true }).fill(name);
  await owner.getByLabel('E-mail').fill(`${name.split(' ')[0]?.toLowerCase()}@example.org`);
  await owner.getByRole('radio', { name: role }).check();
  await owner.getByRole('button', { name: 'Make the link' }).click();
  const link = await owner.getByRole('dialog').getByLabel('Link', { exact: true }).inputValue();
  const page = await withAuthenticator(await desk.window());
  await page.goto(named(link));
  await page.getByRole('heading', { name: `Welcome, ${name}` }).waitFor();
  return page;
}

const title = (page: Page) => page.getByRole('textbox', { name: 'Title', exact: true });
const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor();

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Review' });

async function review(page: Page, step: string, comment?: string): Promise<void> {
  const dialog = dialogOf(page);
  if (comment !== undefined) await dialog.getByRole('textbox', { name: 'Comment' }).fill(comment);
  await dialog.getByRole('button', { name: step, exact: true }).click();
}

async function openReview(page: Page, name: string): Promise<void> {
  await page.goto(named(`${desk.gallery.url}/desk/articles`));
  await page.getByRole('row').filter({ hasText: name }).getByRole('link').click();
  await page.getByRole('button', { name: /^(Review|Submit for review)$/ }).click();
}

/** Waits for what the trail says that somebody did. */
async function did(who: string, deed: string): Promise<void> {
  const rows = owner.getByRole('row', { name: who }).and(owner.getByRole('row', { name: deed }));
  await rows.first().waitFor();
}

test('a newsroom of three: each comes in another way, an article is reviewed and published, and one is shut out', async () => {
  const editor = await invited('Edgar Blue', 'Editor');
  await editor.getByRole('button', { name: 'Use a passkey instead' }).click();
  await editor.getByRole('banner').waitFor();

  const writer = await invited('Wanda Pen', 'Writer');
  await writer.getByRole('button', { name: 'No password: sign in with Work' }).click();
  await writer.getByPlaceholder('Enter any login').fill('wanda');
  await writer.getByPlaceholder('and password').fill('any');
  await writer.getByRole('button', { name: 'Sign-in' }).click();
  await writer.getByRole('button', { name: 'Continue' }).click();
  await writer.getByRole('banner').waitFor();

  const reader = await invited('Rui Look', 'Reader');
  await reader.getByLabel('Password', { exact: true }).fill('nobody types this twice');
  await reader.getByRole('button', { name: 'Save and begin' }).click();
  await reader.getByRole('banner').waitFor();
  await reader.goto(named(`${desk.gallery.url}/desk/account`));
  await reader.getByRole('button', { name: 'Set up an authenticator app' }).click();
  const form = reader.getByRole('form', { name: 'Set up an authenticator app' });
  const secret = (await form.locator('code').textContent()) ?? '';
  await form.getByRole('textbox', { name: 'Code' }).fill(appCode(secret, Date.now()));
  await form.getByRole('button', { name: 'Use this app' }).click();
  await reader.getByText('10 recovery codes are left.').waitFor();

  await writer.goto(named(`${desk.gallery.url}/desk/articles/new`));
  await title(writer).fill('The harbour');
  await writer.getByRole('textbox', { name: 'Text', exact: true }).fill(LONG);
  await saved(writer);
  const id = Number(new URL(writer.url()).pathname.split('/').at(-1));
  await writer.getByRole('button', { name: 'Submit for review' }).click();
  await review(writer, 'Submit', 'Ready, I think.');
  await writer.getByText('Wanda Pen has submitted it').first().waitFor();
  await openReview(editor, 'The harbour');
  await review(editor, 'Send back', 'Which morning?');
  await editor.getByText('Edgar Blue has sent it back').first().waitFor();
  await openReview(writer, 'The harbour');
  await dialogOf(writer).getByText('Which morning?').waitFor();
  await review(writer, 'Submit', 'Monday.');
  await openReview(editor, 'The harbour');
  await dialogOf(editor).getByText('Monday.').waitFor();
  await review(editor, 'Approve');
  await review(editor, 'Publish');
  await editor
    .getByRole('dialog', { name: 'Publish this article' })
    .getByRole('button', { name: 'Publish now' })
    .click();
  await editor.getByText(/^Published on/).waitFor();
  const seen = await send(`${desk.content.url}/api/articles/${id}`);
  expect(seen.body.data).toMatchObject({ title: 'The harbour', author: 'Wanda Pen' });

  await desk.go(owner, 'people');
  await owner.getByRole('row', { name: /Edgar Blue .*1 passkey/ }).waitFor();
  await owner.getByRole('row', { name: /Rui Look .*authenticator app/ }).waitFor();
  await owner.getByRole('link', { name: 'Trail' }).click();
  for (const name of ['Edgar Blue', 'Wanda Pen', 'Rui Look']) await did(name, 'Accepted the invitation');
  await did('Wanda Pen', 'Logged in with: work');
  await owner.getByLabel('Where', { exact: true }).selectOption({ label: 'Articles and keys' });
  await did('Wanda Pen', 'Reviewed an article');
  await did('Edgar Blue', 'Reviewed an article');
  await did('Edgar Blue', 'Published an article');

  // A page is open at each of two replicas when its person is removed.
  const replica = await startGallery(desk.gallery.settings);
  try {
    await writer.goto(named(`${desk.gallery.url}/desk/articles/new`));
    await title(writer).fill('Still mine');
    await writer.getByRole('textbox', { name: 'Text', exact: true }).fill(LONG);
    await saved(writer);
    const other = await writer.context().newPage();
    await other.goto(named(`${replica.url}/desk/media`));
    await other.getByRole('banner').waitFor();
    await desk.go(owner, 'people');
    await owner.getByRole('button', { name: 'Actions for Wanda Pen' }).click();
    await owner.getByRole('menuitem', { name: 'Remove', exact: true }).click();
    await owner.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await owner.getByRole('row', { name: /Wanda Pen/ }).waitFor({ state: 'detached' });
    for (const page of [writer, other]) {
      const statuses = await page.evaluate(`Promise.all(
        ['/api/me', '/api/gallery', '/api/desk/content/articles'].map(async (path) => (await fetch(path)).status),
      )`);
      expect(statuses).toEqual([401, 401, 401]);
    }
    await title(writer).fill('No longer mine');
    await writer.getByRole('dialog').getByRole('button', { name: 'Log in' }).waitFor();
    await other.getByRole('link', { name: 'Articles' }).click();
    await other.getByRole('button', { name: 'Log in' }).waitFor();
    const { body } = await desk.content.client.send('/api/articles?status=draft&author=Wanda%20Pen');
    expect(body.data.map((article: { title: string }) => article.title)).toEqual(['Still mine']);
    await writer.getByRole('link', { name: 'Sign in with Work' }).waitFor();
  } finally {
    await replica.close();
  }
});
