import type { Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { type DeskWindows, withDeskWindows } from '../support/desk-windows.ts';

const FIRST = 'The harbour was quiet in the morning.';
const SECOND = 'The first boats came in after nine, and the quiet was over.';
const THIRD = 'By noon the nets were empty again.';
const paragraphs = (...texts: readonly string[]) => texts.map((text) => `<p>${text}</p>`).join('');
const CONTENT = paragraphs(FIRST, SECOND, THIRD);

let desk: DeskWindows;
let wanda: Page;
let edgar: Page;
let chinese: Page;

withDeskWindows(async (windows) => {
  desk = windows;
  wanda = await windows.enter('Wanda Pen', 'editor');
  edgar = await windows.enter('Edgar Blue', 'editor');
  const phone = { locale: 'zh-CN', viewport: { width: 360, height: 800 } };
  chinese = await windows.enter('Wang Fang', 'editor', phone);
  // Where nothing is known of others, several people write at once.
  for (const page of [wanda, edgar, chinese]) await page.route('**/api/presence**', (route) => route.abort());
});
afterEach(async () => {
  for (const page of [wanda, edgar, chinese]) await desk?.go(page, 'articles');
});

const title = (page: Page) => page.getByRole('textbox', { name: 'Title', exact: true });
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const surface = (page: Page) => page.locator('.rich-text-surface');
const lines = (page: Page) => surface(page).locator('p').allInnerTexts();
const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const stored = async (id: number) => (await desk.content.client.send(`/api/articles/${id}`)).body.data;
const conflict = (page: Page) => page.getByRole('dialog', { name: 'Edgar Blue has changed this article' });

/** An article that both have open. */
async function shared(name: string, more: Record<string, unknown> = {}): Promise<number> {
  const { body } = await desk.content.client.post('/api/articles', {
    title: name,
    content: CONTENT,
    ...more,
  });
  const { id } = body.data;
  for (const page of [wanda, edgar]) {
    await desk.go(page, `articles/${id}`);
    await surface(page).waitFor();
  }
  return id;
}

/** Waits until the service has a text, or a change that readers do not see yet. */
async function arrived(id: number, words: string): Promise<void> {
  const { client } = desk.content;
  const all = async () =>
    Promise.all(['', '/working-copy'].map((path) => client.send(`/api/articles/${id}${path}`)));
  await expect.poll(async () => JSON.stringify((await all()).map(({ body }) => body))).toContain(words);
}

/** Puts the caret behind words of the text. */
async function caretBehind(page: Page, words: string): Promise<void> {
  await surface(page).focus();
  await surface(page).evaluate((root, wanted) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const at = node.nodeValue?.indexOf(wanted) ?? -1;
      if (at !== -1) document.getSelection()?.collapse(node, at + wanted.length);
    }
  }, words);
}

async function typeBehind(page: Page, words: string, typed: string): Promise<void> {
  await caretBehind(page, words);
  await page.keyboard.type(typed);
}

test('what two have changed in different fields is brought together, and it is said what is from whom', async () => {
  const id = await shared('Both at once');
  await field(edgar, 'Summary').fill('Nine boats.');
  await field(edgar, 'Title in search results').fill('Nets');
  await arrived(id, 'Nets');
  await title(wanda).fill('Both, at once');
  await wanda.getByText('Meanwhile Edgar Blue has changed: Summary and Title in search results.').waitFor();
  await saved(wanda);
  expect(await desk.faultsOf(wanda)).toEqual([]);
  expect(await field(wanda, 'Summary').inputValue()).toBe('Nine boats.');
  expect(await stored(id)).toMatchObject({
    ...{ title: 'Both, at once', excerpt: 'Nine boats.', meta_title: 'Nets' },
  });
  // A third one meanwhile, and Edgar, who has not seen what came after his.
  await desk.content.client.patch(`/api/articles/${id}`, { alt_text: 'A pier' });
  await field(edgar, 'Summary').fill('Ten boats.');
  const words =
    'Meanwhile Wanda Pen has changed: Title. Meanwhile Test has changed: Description of the picture.';
  await edgar.getByText(words).waitFor();
  await saved(edgar);
  expect(await stored(id)).toMatchObject({
    ...{ title: 'Both, at once', excerpt: 'Ten boats.', meta_title: 'Nets', alt_text: 'A pier' },
  });
});

test('a text in which both have changed other paragraphs has both, where the caret was, and undo is one’s own', async () => {
  const id = await shared('Other paragraphs');
  await typeBehind(edgar, FIRST, ' So they said.');
  await edgar.keyboard.press('Enter');
  await edgar.keyboard.type('A line of Edgar.');
  await arrived(id, 'A line of Edgar.');
  await typeBehind(wanda, 'after nine', ' sharp');
  await wanda.getByText('Meanwhile Edgar Blue has changed: Text.').waitFor();
  await saved(wanda);
  await wanda.keyboard.type(', too');
  const both = [
    `${FIRST} So they said.`,
    'A line of Edgar.',
    SECOND.replace('nine', 'nine sharp, too'),
    THIRD,
  ];
  expect(await lines(wanda)).toEqual(both);
  await expect.poll(async () => (await stored(id)).content).toBe(paragraphs(...both));
  // Typed in two goes, it is undone in two; nothing of Edgar's is.
  const undone = async () => {
    await wanda.keyboard.press('Control+z');
    return lines(wanda);
  };
  await expect.poll(undone).toEqual([...both.slice(0, 2), SECOND, THIRD]);
  expect(await undone()).toEqual([...both.slice(0, 2), SECOND, THIRD]);
});

test('the same paragraph is shown side by side, alone, and both are kept', async () => {
  const id = await shared('One paragraph');
  await title(edgar).fill('One paragraph, by two');
  await typeBehind(edgar, SECOND, ' Edgar.');
  await typeBehind(edgar, THIRD, ' And Edgar.');
  await arrived(id, 'And Edgar.');
  await typeBehind(wanda, SECOND, ' Wanda.');
  const text = conflict(wanda).getByRole('region', { name: 'Text', exact: true });
  await text.getByText(`${SECOND} Edgar.`).waitFor();
  expect(await conflict(wanda).getByRole('region').count()).toBe(1);
  expect(await text.textContent()).not.toMatch(/quiet in the morning|noon/);
  expect(await desk.faultsOf(wanda)).toEqual([]);
  expect((await stored(id)).content).toBe(paragraphs(FIRST, `${SECOND} Edgar.`, `${THIRD} And Edgar.`));
  // A dialog that nobody asked for takes no key at first.
  await wanda.locator('dialog:not(.resting)').waitFor();
  await text.getByRole('button', { name: 'Keep both' }).press('Enter');
  await wanda.getByText('Meanwhile Edgar Blue has changed: Title and Address.').waitFor();
  await saved(wanda);
  const both = [FIRST, `${SECOND} Edgar.`, `${SECOND} Wanda.`, `${THIRD} And Edgar.`];
  await expect.poll(() => lines(wanda)).toEqual(both);
  expect(await stored(id)).toMatchObject({ title: 'One paragraph, by two', content: paragraphs(...both) });
});

test('only what both have changed is asked about, and what was agreed on stays whatever is chosen', async () => {
  const id = await shared('Asked');
  for (const [page, name] of [
    [edgar, 'Edgar'],
    [wanda, 'Wanda'],
  ] as const) {
    await title(page).fill(`Asked ${name}`);
    await typeBehind(page, name === 'Edgar' ? FIRST : THIRD, ` ${name}.`);
    await typeBehind(page, SECOND, ` ${name}.`);
    if (page === edgar) await arrived(id, `${SECOND} Edgar.`);
  }
  const section = (name: string) => conflict(wanda).getByRole('region', { name, exact: true });
  await section('Title').waitFor();
  await section('Text').getByRole('button', { name: 'Keep both' }).click();
  await section('Text').waitFor({ state: 'detached' });
  expect((await stored(id)).title).toBe('Asked Edgar');
  await conflict(wanda).getByRole('button', { name: 'Take theirs' }).click();
  await saved(wanda);
  const text = [`${FIRST} Edgar.`, `${SECOND} Edgar.`, `${SECOND} Wanda.`, `${THIRD} Wanda.`];
  expect(await title(wanda).inputValue()).toBe('Asked Edgar');
  expect(await stored(id)).toMatchObject({ title: 'Asked Edgar', content: paragraphs(...text) });
});

test('nothing that is typed while it is brought together is lost', async () => {
  const id = await shared('Typing on');
  await typeBehind(edgar, FIRST, ' Edgar.');
  await arrived(id, ' Edgar.');
  let goOn = () => {};
  const isTyped = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await wanda.route('**/revisions*', async (route) => {
    await isTyped;
    await route.continue();
  });
  const isAsked = wanda.waitForRequest('**/revisions*');
  await typeBehind(wanda, SECOND, ' One.');
  await isAsked;
  await wanda.keyboard.type(' Two.');
  await field(wanda, 'Summary').fill('Typed meanwhile');
  await caretBehind(wanda, ' Two.');
  // Not yet said to the page when the merge is.
  await wanda.keyboard.type(' Three.');
  goOn();
  await wanda.getByText('Meanwhile Edgar Blue has changed: Text.').waitFor();
  await wanda.keyboard.type(' Four.');
  await wanda.unroute('**/revisions*');
  const both = [`${FIRST} Edgar.`, `${SECOND} One. Two. Three. Four.`, THIRD];
  await expect.poll(() => lines(wanda)).toEqual(both);
  await expect
    .poll(() => stored(id))
    .toMatchObject({ content: paragraphs(...both), excerpt: 'Typed meanwhile' });
});

test('a space that is typed before what others have written comes in stays', async () => {
  const id = await shared('A space');
  await typeBehind(edgar, FIRST, ' Edgar.');
  await arrived(id, ' Edgar.');
  await typeBehind(wanda, SECOND, ' One. ');
  await expect.poll(() => lines(wanda)).toContain(`${FIRST} Edgar.`);
  await wanda.keyboard.type('Two.');
  const both = [`${FIRST} Edgar.`, `${SECOND} One. Two.`, THIRD];
  expect(await lines(wanda)).toEqual(both);
  await expect.poll(async () => (await stored(id)).content).toBe(paragraphs(...both));
});

test('a save whose answer was lost is no change of somebody else', async () => {
  const id = await shared('Answer lost');
  await wanda.route('**/drafts/*', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await typeBehind(wanda, SECOND, ' One.');
  await wanda.getByText(/^Not saved: The service does not answer/).waitFor();
  await wanda.keyboard.type(' Two.');
  await field(edgar, 'Summary').fill('Of Edgar');
  await edgar.getByText('Meanwhile Wanda Pen has changed: Text.').waitFor();
  await saved(edgar);
  await wanda.unroute('**/drafts/*');
  // It tries again by itself.
  await wanda.getByText('Meanwhile Edgar Blue has changed: Summary.').waitFor();
  await saved(wanda);
  const content = paragraphs(FIRST, `${SECOND} One. Two.`, THIRD);
  expect(await stored(id)).toMatchObject({ content, excerpt: 'Of Edgar' });
});

test('nothing of somebody else is overwritten where it could not be read who that was', async () => {
  const id = await shared('Not read');
  await typeBehind(edgar, FIRST, ' Edgar.');
  await arrived(id, `${FIRST} Edgar.`);
  await wanda.route('**/revisions*', (route) => route.abort());
  await typeBehind(wanda, THIRD, ' Wanda.');
  await wanda.getByText(/^Not saved: The service does not answer/).waitFor();
  await wanda.unroute('**/revisions*');
  // It tries again by itself.
  await wanda.getByText('Meanwhile Edgar Blue has changed: Text.').waitFor();
  await saved(wanda);
  const content = paragraphs(`${FIRST} Edgar.`, SECOND, `${THIRD} Wanda.`);
  expect((await stored(id)).content).toBe(content);
});

test('changes that readers do not see yet are brought together too, and none is published unseen', async () => {
  const id = await shared('Two copies', { is_published: true });
  const copy = `/api/articles/${id}/working-copy`;
  const kept = async () => (await desk.content.client.send(copy)).body.data.changes;
  await typeBehind(edgar, FIRST, ' Edgar.');
  await arrived(id, ' Edgar.');
  await typeBehind(wanda, THIRD, ' Wanda.');
  await wanda.getByText('Meanwhile Edgar Blue has changed: Text.').waitFor();
  await saved(wanda);
  const content = paragraphs(`${FIRST} Edgar.`, SECOND, `${THIRD} Wanda.`);
  expect(await kept()).toEqual({ content });
  // Somebody else changes the version that readers see.
  await desk.content.client.patch(`/api/articles/${id}`, {
    title: 'Two copies, and a title',
    excerpt: 'Seen',
  });
  await press(wanda, 'Publish changes');
  const refused = 'Not published: Meanwhile Test has changed: Title and Summary.';
  await wanda.getByText(refused).waitFor();
  expect(await title(wanda).inputValue()).toBe('Two copies, and a title');
  expect((await stored(id)).content).toBe(CONTENT);
  await press(wanda, 'Publish changes');
  await wanda.getByText(/^Published on/).waitFor();
  expect(await stored(id)).toMatchObject({ content, title: 'Two copies, and a title', excerpt: 'Seen' });
});

test('a draft that was crashed out of comes back beside what others have saved since', async () => {
  const id = await shared('Kept here');
  await wanda.route('**/drafts/*', (route) => route.abort());
  await typeBehind(wanda, SECOND, ' Wanda.');
  await wanda.getByText(/^Not saved: The service does not answer/).waitFor();
  await typeBehind(edgar, FIRST, ' Edgar.');
  await arrived(id, ' Edgar.');
  await wanda.unroute('**/drafts/*');
  wanda.once('dialog', (dialog) => void dialog.accept());
  await wanda.reload();
  await press(wanda, 'Use them');
  const both = [`${FIRST} Edgar.`, `${SECOND} Wanda.`, THIRD];
  await expect.poll(async () => (await stored(id)).content).toBe(paragraphs(...both));
  expect(await lines(wanda)).toEqual(both);
});

test('what somebody has typed stays theirs where another person logs in with their browser', async () => {
  const id = await shared('One browser');
  await wanda.route('**/drafts/*', (route) => route.abort());
  await typeBehind(wanda, SECOND, ' Wanda.');
  await wanda.getByText(/^Not saved: The service does not answer/).waitFor();
  wanda.once('dialog', (dialog) => void dialog.accept());
  const own = await wanda.context().cookies();
  await wanda.context().addCookies(await edgar.context().cookies());
  await wanda.unroute('**/drafts/*');
  // What asks next loads the page again as that of who is logged in, who gets none of it.
  await expect.poll(() => lines(wanda)).toEqual([FIRST, SECOND, THIRD]);
  await field(wanda, 'Summary').fill('Of Edgar');
  await saved(wanda);
  expect(await wanda.getByRole('button', { name: 'Use them' }).count()).toBe(0);
  expect(await stored(id)).toMatchObject({ content: CONTENT, excerpt: 'Of Edgar' });
  await wanda.context().addCookies(own);
  await wanda.reload();
  await press(wanda, 'Use them');
  const both = paragraphs(FIRST, `${SECOND} Wanda.`, THIRD);
  await expect.poll(() => stored(id)).toMatchObject({ content: both, excerpt: 'Of Edgar' });
});

test('an article that was opened by its address is left without a list', async () => {
  await shared('By its address');
  await title(wanda).fill('By its address, changed');
  await saved(wanda);
  await wanda.getByRole('link', { name: 'Media' }).click();
  await wanda.getByText('No files yet').waitFor();
});

test('all of it in Chinese, on a phone', async () => {
  const id = await shared('灯塔');
  await desk.go(chinese, `articles/${id}`);
  await surface(chinese).waitFor();
  await field(edgar, 'Summary').fill('Of Edgar');
  await typeBehind(edgar, SECOND, ' Edgar.');
  await arrived(id, ' Edgar.');
  await typeBehind(chinese, SECOND, ' Wang.');
  const dialog = chinese.getByRole('dialog', { name: 'Edgar Blue 修改了这篇文章' });
  await dialog.getByRole('button', { name: '两者都保留' }).waitFor();
  expect(await desk.faultsOf(chinese)).toEqual([]);
  await dialog.getByRole('button', { name: '两者都保留' }).click();
  await chinese.getByText('Edgar Blue 同时修改了：摘要。').waitFor();
  expect(await desk.faultsOf(chinese)).toEqual([]);
  await expect
    .poll(async () => (await stored(id)).content)
    .toBe(paragraphs(FIRST, `${SECOND} Edgar.`, `${SECOND} Wang.`, THIRD));
});
