import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { articleBody } from '../support/content-client.ts';
import { type DeskWindows, withDeskWindows } from '../support/desk-windows.ts';
import type { Visit } from '../support/gallery-page.ts';

const PASSWORD = 'nobody types this twice';

let desk: DeskWindows;
let owner: Visit;

withDeskWindows(async (windows) => {
  desk = windows;
  owner = await desk.visit('people');
});

/** Invites somebody by the desk, and returns the link. */
async function invite(name: string, email: string, role: string): Promise<string> {
  const { page } = owner;
  await desk.go(page, 'people');
  await page.getByRole('button', { name: 'Invite somebody' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('radio', { name: role }).check();
  await page.getByRole('button', { name: 'Make the link' }).click();
  const dialog = page.getByRole('dialog', { name: `The link for ${name}` });
  await dialog.getByText(/works once, for 72 hours/).waitFor();
  const link = await dialog.getByLabel('Link', { exact: true }).inputValue();
  await dialog.getByRole('button', { name: 'Close' }).click();
  return link;
}

/** Opens the link of an invitation, and chooses the password. */
async function accept(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Save and begin' }).click();
  await page.getByRole('banner').waitFor();
}

/** Chooses something of the menu of a person. */
async function act(name: string, item: string, role: 'menuitem' | 'menuitemradio' = 'menuitem') {
  await owner.page.getByRole('button', { name: `Actions for ${name}` }).click();
  await owner.page.getByRole(role, { name: item }).click();
}

test('an owner invites a writer, who writes a draft, and is shut out when removed', async () => {
  const link = await invite('Wanda Pen', 'wanda@example.org', 'Writer');
  await owner.page.getByRole('row', { name: /Wanda Pen .* Writer Invited until/ }).waitFor();

  const { page } = await desk.window();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Welcome, Wanda Pen' }).waitFor();
  await page.getByText('wanda@example.org').waitFor();
  expect(page.url()).toBe(`${desk.gallery.url}/desk/invitation`);
  await page.getByLabel('Password', { exact: true }).fill('short');
  await page.getByRole('button', { name: 'Save and begin' }).click();
  await page.getByText('This password is too short').waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Save and begin' }).click();

  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await page.getByRole('link', { name: 'Articles' }).click();
  expect(await page.getByRole('link', { name: 'Admin' }).count()).toBe(0);
  await page.getByRole('link', { name: 'New article' }).click();
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('By the writer');
  const text = page.getByRole('textbox', { name: 'Text', exact: true });
  await text.fill('The harbour was quiet in the morning, and the first boats came in after nine.');
  await page.getByText('Saved', { exact: true }).waitFor();
  const id = Number(new URL(page.url()).pathname.split('/').at(-1));
  const stored = (await desk.content.client.send(`/api/articles/${id}`)).body.data;
  expect(stored).toMatchObject({ title: 'By the writer', author: 'Wanda Pen', is_published: false });
  expect(await page.getByRole('button', { name: 'Publish' }).count()).toBe(0);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'History' }).waitFor();
  expect(await page.getByRole('menuitem', { name: /Schedule|Delete/ }).count()).toBe(0);
  await page.keyboard.press('Escape');

  const { page: used } = await desk.window();
  await used.goto(link);
  await used.getByText(/was used already, .* Ask for a new one\./).waitFor();

  await desk.go(owner.page, 'people');
  await act('Wanda Pen', 'Remove');
  const dialog = owner.page.getByRole('dialog', { name: 'Remove Wanda Pen?' });
  await dialog.getByText(/under their name/).waitFor();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await owner.page.getByText('Nobody has been invited yet.').waitFor();
  await owner.page.getByRole('row', { name: /Owner .*set up on the server/ }).waitFor();

  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('After the end');
  await page.getByText(/Your session has ended/).waitFor();
});

test('an owner changes the role, switches off and on, and makes a new link', async () => {
  const link = await invite('Ed Itor', 'ed@example.org', 'Editor');
  const { page } = await desk.window();
  await accept(page, link);
  await desk.go(owner.page, 'people');
  const row = (words: RegExp) => owner.page.getByRole('row', { name: words }).waitFor();
  await row(/Ed Itor .* Editor Last seen/);
  await act('Ed Itor', 'Photographer', 'menuitemradio');
  await row(/Ed Itor .* Photographer/);
  await act('Ed Itor', 'Switch off');
  await row(/Ed Itor .* Switched off/);
  await act('Ed Itor', 'Switch on');
  await act('Ed Itor', 'New link');
  await owner.page.getByRole('dialog', { name: 'The link for Ed Itor' }).waitFor();
  await owner.page.getByRole('button', { name: 'Copy link' }).waitFor();
  await owner.page.keyboard.press('Escape');

  await owner.page.getByRole('button', { name: 'Invite somebody' }).click();
  await owner.page.getByLabel('Name', { exact: true }).fill('Another');
  await owner.page.getByLabel('E-mail').fill('ED@example.org');
  await owner.page.getByRole('button', { name: 'Make the link' }).click();
  await owner.page.getByText('Another person has this e-mail address.').waitFor();
});

test('a person changes name and password, and ends what is open elsewhere', async () => {
  const link = await invite('Rea Der', 'rea@example.org', 'Reader');
  const { page } = await desk.window();
  await accept(page, link);
  const { page: elsewhere } = await desk.window();
  await elsewhere.goto(`${desk.gallery.url}/desk/articles`);
  await elsewhere.getByLabel('Username or e-mail').fill('rea@example.org');
  await elsewhere.getByLabel('Password').fill(PASSWORD);
  await elsewhere.getByRole('button', { name: 'Log in' }).click();
  await elsewhere.getByRole('banner').waitFor();

  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('menuitem', { name: 'Account' }).click();
  await page.getByText('This one').waitFor();
  const end = page.getByRole('button', { name: 'Log out there: Chrome on Linux' });
  expect(await end.count()).toBe(1);

  await page.getByLabel('Name', { exact: true }).fill('Rea Reader');
  await page.getByLabel('Time zone').fill('Nowhere/Atall');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('This time zone is not known.').waitFor();
  await page.getByLabel('Time zone').fill('Europe/Berlin');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();

  const password = page.getByRole('form', { name: 'Change the password' });
  await password.getByLabel('Current password').fill('not that one at all');
  await password.getByLabel('New password').fill('another one for the reader');
  await password.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('The current password is wrong.').waitFor();
  await password.getByLabel('Current password').fill(PASSWORD);
  await password.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText(/The password is changed/).waitFor();
  await elsewhere.reload();
  await elsewhere.getByLabel('Username or e-mail').waitFor();
  await elsewhere.getByLabel('Username or e-mail').fill('rea@example.org');
  await elsewhere.getByLabel('Password').fill('another one for the reader');
  await elsewhere.getByRole('button', { name: 'Log in' }).click();
  await elsewhere.getByRole('banner').waitFor();
  await page.reload();
  await end.click();
  await end.waitFor({ state: 'detached' });
  await page.getByText('This one').waitFor();
});

test('times are those of the zone that a person has chosen, wherever the browser is', async () => {
  const { body } = await desk.content.client.post('/api/articles', articleBody({ title: 'On Kiritimati' }));
  const page = await desk.enter('Kiri Bati', 'editor', { timezoneId: 'Europe/Berlin' });
  await desk.go(page, 'account');
  await page.getByLabel('Time zone').fill('Pacific/Kiritimati');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await desk.go(page, `articles/${body.data.id}`);
  const schedule = async () => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Schedule…' }).click();
  };
  await schedule();
  await page.getByText('not in that of this browser: Pacific/Kiritimati (GMT+14)').waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
  await page.getByLabel('Publish at', { exact: true }).fill('2035-01-31T08:00');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText(/Will be published on 31 Jan 2035,? (at )?08:00/).waitFor();
  const { schedule: plan } = (
    await desk.content.client.send(`/api/articles/${body.data.id}?include=schedule`)
  ).body.data;
  expect(plan.publish_at).toBe('2035-01-30T18:00:00.000Z');
  await schedule();
  expect(await page.getByLabel('Publish at', { exact: true }).inputValue()).toBe('2035-01-31T08:00');
});

test('a reader looks at everything, and is offered nothing that changes it', async () => {
  const { body } = await desk.content.client.post('/api/articles', articleBody({ title: 'To be read' }));
  await desk.gallery.put('picture.jpg');
  const { page } = await desk.window();
  await accept(page, await invite('Lo Oker', 'lo@example.org', 'Reader'));
  await page.getByRole('link', { name: 'Media', exact: true }).first().click();
  await page.getByRole('link', { name: 'picture.jpg' }).waitFor();
  for (const name of ['Upload', 'New folder']) {
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
  }
  await page.getByRole('link', { name: 'picture.jpg' }).focus();
  await page.keyboard.press('Delete');
  await page.getByRole('link', { name: 'picture.jpg' }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Download' }).waitFor();
  expect(await page.getByRole('menuitem', { name: /Rename|Move|Copy to|Delete/ }).count()).toBe(0);
  await page.keyboard.press('Escape');
  expect(await page.getByRole('dialog').count()).toBe(0);

  await desk.go(page, 'articles');
  await page.getByRole('link', { name: 'To be read' }).waitFor();
  expect(await page.getByRole('link', { name: 'New article' }).count()).toBe(0);
  expect(await page.getByRole('checkbox').count()).toBe(0);
  await desk.go(page, `articles/${body.data.id}`);
  await page.getByText('You can read this article but not change it.').waitFor();
  const title = page.getByRole('textbox', { name: 'Title', exact: true });
  expect(await title.isEditable()).toBe(false);
  await page.getByRole('textbox', { name: 'Text', exact: true }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Summary' }).isDisabled()).toBe(true);
  await page.keyboard.press('Control+Enter');
  await page.getByText('Your role does not allow this.').waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
  await desk.go(page, 'moving');
  await page.getByText('Your role does not allow this.').waitFor();
  expect(await page.getByRole('button', { name: 'Choose a file' }).count()).toBe(0);

  await desk.go(page, 'people');
  await page.getByText('Your role does not allow this.').waitFor();
});

test('a writer reads what others write, and may not change it', async () => {
  const { body } = await desk.content.client.post('/api/articles', articleBody({ title: 'By others' }));
  const { page } = await desk.window();
  await accept(page, await invite('Wri Ter', 'writer@example.org', 'Writer'));
  await desk.go(page, `articles/${body.data.id}`);
  await page.getByText('You can read this article but not change it.').waitFor();
});

test('the account of the server is changed there', async () => {
  await desk.go(owner.page, 'account');
  await owner.page.getByText(/ADMIN_USERNAME and ADMIN_PASSWORD/).waitFor();
  expect(await owner.page.getByLabel('New password').count()).toBe(0);
});

test.each([
  ['light', 360],
  ['dark', 1280],
] as const)('no screen has a fault: %s, %i px wide', async (colorScheme, width) => {
  const { page } = owner;
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  await invite(`Somebody at ${width}`, `somebody${width}@example.org`, 'Reader');
  expect(await desk.faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Invite somebody' }).click();
  await page.getByRole('dialog').waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
  await desk.go(page, 'account');
  await page.getByText('This one').waitFor();
  expect(await desk.faultsOf(page)).toEqual([]);
});

test('people, accounts and invitations speak Chinese', async () => {
  const link = await invite('Wang Fang', 'wang@example.org', 'Owner');
  const { page } = await desk.window({ locale: 'zh-CN' });
  await page.goto(link);
  await page.getByLabel('密码', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: '保存并开始' }).click();
  await page.getByRole('link', { name: '管理' }).click();
  await page.getByRole('row', { name: /Wang Fang .* 所有者/ }).waitFor();
  await page.getByRole('button', { name: '设置' }).click();
  await page.getByRole('menuitem', { name: '账户' }).click();
  await page.getByText('当前设备').waitFor();
  await page.getByRole('link', { name: '管理' }).click();
  await page.getByRole('button', { name: '邀请成员' }).click();
  await page.getByLabel('姓名').fill('Li Na');
  await page.getByLabel('电子邮箱').fill('li@example.org');
  await page.getByRole('button', { name: '生成链接' }).click();
  // Sentences of Chinese have no space between them.
  await page.getByText(/只显示这一次。邀请有效期至/).waitFor();
});

test('an owner looks up who did what, in both languages and on a phone', async () => {
  const { page } = owner;
  const { id } = await desk.content.client.article({ is_published: true, title: 'In the trail' });
  await desk.go(page, 'people');
  await page.getByRole('link', { name: 'Trail' }).click();
  await page
    .getByRole('row', { name: /Logged in/ })
    .first()
    .waitFor();
  await page.getByLabel('Kind').selectOption({ label: 'People and roles' });
  await page
    .getByRole('row', { name: /Added a person/ })
    .first()
    .waitFor();
  await page
    .getByRole('row', { name: /Logged in/ })
    .first()
    .waitFor({ state: 'detached' });
  await page.getByLabel('To what').fill('no such thing');
  await page.getByText('There are no entries of this kind.').waitFor();
  await page.getByLabel('To what').fill('');
  await page.getByLabel('Where', { exact: true }).selectOption({ label: 'Articles and keys' });
  await page
    .getByRole('row', { name: new RegExp(`Published an article article: ${id}, address: in-the-trail`) })
    .waitFor();
  // What is shown stays where what is earlier cannot be read.
  const earlier = /\/trail\?.*before=/;
  await page.route(/\/trail\?(?!.*before=)/, (route) =>
    route.continue({ url: route.request().url().replace('limit=100', 'limit=1') }),
  );
  await page.route(earlier, (route) => route.fulfill({ status: 500 }));
  await page.getByLabel('Where', { exact: true }).selectOption({ label: 'Desk, media and news' });
  const shown = () => page.locator('tbody tr').count();
  await page.getByRole('button', { name: 'Earlier' }).click();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  expect(await shown()).toBe(1);
  await page.unroute(earlier);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(shown).toBeGreaterThan(1);
  const saved = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Save as CSV' }).click();
  expect((await saved).suggestedFilename()).toBe('trail.csv');
  expect(await desk.faultsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await desk.faultsOf(page)).toEqual([]);
});
