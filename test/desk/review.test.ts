import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type DeskWindows, withDeskWindows } from '../support/desk-windows.ts';
import { send } from '../support/http.ts';

const LONG = 'The harbour was quiet in the morning, and the first boats came in after nine.';

let desk: DeskWindows;
let writer: Page;
let editor: Page;
let chinese: Page;

withDeskWindows(async (windows) => {
  desk = windows;
  writer = await windows.enter('Wanda Pen', 'writer');
  editor = await windows.enter('Edgar Blue', 'editor');
  chinese = await windows.enter('Wang Fang', 'editor', {
    locale: 'zh-CN',
    viewport: { width: 360, height: 800 },
    hasTouch: true,
  });
});

const title = (page: Page) => page.getByRole('textbox', { name: 'Title', exact: true });
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor();
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Review' });
const comment = (page: Page) => dialog(page).getByRole('textbox', { name: 'Comment' });
const press = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true }).click();

async function openRow(page: Page, name: string): Promise<void> {
  await desk.go(page, 'articles');
  await row(page, name).getByRole('link').click();
  await expect.poll(() => title(page).inputValue()).toBe(name);
}

test('a writer submits, an editor sends back, the writer answers, the editor approves and publishes', async () => {
  await writer.getByRole('link', { name: 'New article' }).click();
  await title(writer).fill('The harbour');
  await writer.getByRole('textbox', { name: 'Text', exact: true }).fill(LONG);
  await saved(writer);
  const id = Number(new URL(writer.url()).pathname.split('/').at(-1));
  // What readers cannot see, a writer cannot make public.
  await writer.getByRole('button', { name: 'Choose from the gallery' }).click();
  const pictures = writer.getByRole('dialog', { name: 'Pictures' });
  await pictures.getByRole('button', { name: 'Up to All files' }).click();
  await pictures.getByText('Ask an editor to copy one into public/, or upload one.').waitFor();
  await pictures.getByRole('button', { name: 'Cancel' }).click();
  await writer.getByRole('button', { name: 'Submit for review' }).click();
  await comment(writer).fill('Ready, I think.');
  expect(await desk.faultsOf(writer)).toEqual([]);
  await press(writer, 'Submit');
  await writer
    .getByRole('region', { name: 'Comment' })
    .getByText('Wanda Pen has submitted it')
    .first()
    .waitFor();
  // The editor who opens it next is the one who writes it, until the writer takes over.
  await desk.go(writer, 'articles');

  await desk.go(editor, 'articles');
  await editor.getByRole('link', { name: 'In review 1' }).click();
  await row(editor, 'The harbour').getByText('Submitted', { exact: true }).waitFor();
  expect(await desk.faultsOf(editor)).toEqual([]);
  await row(editor, 'The harbour').getByRole('link').click();
  await editor.getByText('Ready, I think.').waitFor();
  await editor.getByRole('button', { name: 'Review', exact: true }).click();
  await press(editor, 'Send back');
  await editor.getByText('Say in the comment what is to be changed.').waitFor();
  await comment(editor).fill('Which morning?\n<b>Say it</b>.');
  expect(await desk.faultsOf(editor)).toEqual([]);
  await press(editor, 'Send back');
  await editor.getByText('Edgar Blue has sent it back').first().waitFor();

  await openRow(writer, 'The harbour');
  await writer.getByText('<b>Say it</b>.').waitFor();
  await writer.getByText('Sent back', { exact: true }).waitFor();
  await writer.getByRole('button', { name: 'Take over' }).click();
  await title(writer).fill('The harbour on Monday');
  await saved(writer);
  await writer.getByRole('button', { name: 'Submit for review' }).click();
  await press(writer, 'Submit');
  await writer.getByText('Submitted', { exact: true }).waitFor();

  await openRow(editor, 'The harbour on Monday');
  await editor.getByRole('button', { name: 'Review', exact: true }).click();
  await press(editor, 'Approve');
  await editor.getByText('It is approved. Publish it now?').waitFor();
  expect(await desk.faultsOf(editor)).toEqual([]);
  await press(editor, 'Publish');
  const sheet = editor.getByRole('dialog', { name: 'Publish this article' });
  await sheet.getByRole('button', { name: 'Publish now' }).click();
  await editor.getByText(/^Published on/).waitFor();
  const seen = await send(`${desk.content.url}/api/articles/${id}`);
  expect(seen.body.data.title).toBe('The harbour on Monday');
  expect(seen.text).not.toMatch(/Which morning|approved|Edgar/);
});

test('what was changed while an editor looked at it is not approved unseen', async () => {
  await desk.go(writer, 'articles/new');
  await title(writer).fill('The lighthouse');
  await writer.getByRole('textbox', { name: 'Text', exact: true }).fill(LONG);
  await saved(writer);
  await writer.getByRole('button', { name: 'Submit for review' }).click();
  await press(writer, 'Submit');
  await writer.getByText('Submitted', { exact: true }).waitFor();
  await openRow(editor, 'The lighthouse');
  await title(writer).fill('The lighthouse keeper');
  await saved(writer);
  await editor.getByRole('button', { name: 'Review', exact: true }).click();
  await press(editor, 'Approve');
  await editor.getByText(/Somebody has changed or decided on this draft/).waitFor();
  expect(await title(editor).inputValue()).toBe('The lighthouse keeper');
  await press(editor, 'Approve');
  await editor.getByText('It is approved. Publish it now?').waitFor();
  await press(editor, 'Close');

  // The writer has another thought.
  await title(writer).fill('The last keeper');
  await saved(writer);
  await writer.getByText('Wanda Pen has changed it after it was approved').waitFor();
  await writer.getByText('Submitted', { exact: true }).waitFor();
});

test('an editor assigns an article, and whoever has it finds it among theirs', async () => {
  const { client } = desk.content;
  const { id } = await client.article({ title: 'To be taken over' });
  const guest = async (name: string) => (await client.post('/api/authors', { name })).body.data.id;
  await guest('A Guest');
  await client.put(`/api/articles/${id}/assignee`, { author_id: await guest('Assigned Guest') });
  await openRow(editor, 'To be taken over');
  const assignee = editor.getByRole('combobox', { name: 'Assigned to' });
  await assignee.getByRole('option', { name: 'Wanda Pen' }).waitFor({ state: 'attached' });
  expect(await assignee.locator('option:checked').textContent()).toBe('Assigned Guest');
  expect(await assignee.getByRole('option').allTextContents()).not.toContain('A Guest');
  await assignee.selectOption('Wanda Pen');
  await expect
    .poll(async () => {
      const { body } = await desk.content.client.send(`/api/articles/${id}?include=assignee`);
      return body.data.assignee?.name;
    })
    .toBe('Wanda Pen');
  expect(await desk.faultsOf(editor)).toEqual([]);

  await desk.go(writer, 'articles');
  await row(writer, 'To be taken over').getByText('Assigned to Wanda Pen').waitFor();
  await desk.content.client.article({ title: 'By somebody else' });
  await desk.go(writer, 'articles');
  await row(writer, 'By somebody else').waitFor();
  await writer.getByRole('button', { name: 'Mine' }).click();
  await expect.poll(() => row(writer, 'By somebody else').count()).toBe(0);
  await row(writer, 'To be taken over').getByRole('link').click();
  await writer.getByRole('button', { name: 'Take over' }).click();
  await title(writer).fill('Taken over');
  await saved(writer);
});

test('review speaks Chinese, on a phone too', async () => {
  // Nothing is written yet, and Chinese is counted in characters.
  await desk.go(chinese, 'articles/new');
  await chinese.getByText('0 字', { exact: true }).waitFor();
  await desk.content.client.article({ title: '灯塔' });
  await desk.go(chinese, 'articles');
  await row(chinese, '灯塔').getByRole('link').click();
  // A phone shows the tool for pictures at once, and a finger drags no file.
  const tool = await chinese.getByRole('button', { name: '插入图片' }).boundingBox();
  expect((tool?.x ?? 360) + (tool?.width ?? 0)).toBeLessThanOrEqual(360);
  expect(await chinese.getByText('将图片拖到此处').first().isVisible()).toBe(false);
  await chinese.getByRole('button', { name: '审稿' }).click();
  const opened = chinese.getByRole('dialog', { name: '审稿' });
  await opened.getByRole('button', { name: '提交' }).focus();
  await chinese.keyboard.press('Enter');
  await chinese.getByText('待审', { exact: true }).waitFor();
  await chinese.getByText('已提交', { exact: true }).waitFor();
  expect(await desk.faultsOf(chinese)).toEqual([]);
  await chinese.getByRole('button', { name: '审稿' }).click();
  await opened.getByText('Wang Fang 已提交').waitFor();
  expect(await desk.faultsOf(chinese)).toEqual([]);
  await chinese.keyboard.press('Escape');
  await desk.go(chinese, 'articles?status=submitted');
  await row(chinese, '灯塔').getByText('待审').waitFor();
  expect(await desk.faultsOf(chinese)).toEqual([]);
});
