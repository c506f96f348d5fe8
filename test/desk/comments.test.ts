import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type DeskWindows, withDeskWindows } from '../support/desk-windows.ts';
import { send } from '../support/http.ts';

const FIRST = 'The harbour was quiet in the morning.';
const SECOND = 'The first boats came in after nine, and the quiet was over.';
const CONTENT = `<p>${FIRST}</p><p>${SECOND}</p>`;

let desk: DeskWindows;
let writer: Page;
let editor: Page;
let reader: Page;
let chinese: Page;

withDeskWindows(async (windows) => {
  desk = windows;
  writer = await windows.enter('Wanda Pen', 'writer');
  editor = await windows.enter('Edgar Blue', 'editor');
  reader = await windows.enter('Rita Look', 'reader');
  chinese = await windows.enter('Wang Fang', 'editor', {
    locale: 'zh-CN',
    viewport: { width: 360, height: 800 },
  });
});

const surface = (page: Page) => page.locator('.rich-text-surface');
const panel = (page: Page, name = 'Comments') => page.getByRole('region', { name, exact: true });
const thread = (page: Page, words: string) =>
  panel(page).getByRole('listitem').filter({ hasText: words }).first();
const press = (page: Page, name: string) => panel(page).getByRole('button', { name, exact: true }).click();
const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor();
const marks = (page: Page) => page.locator('.rich-text-comment').allInnerTexts();
const openPanel = (page: Page, count: number) =>
  page.getByRole('button', { name: `Comments (${count})` }).click();

async function open(page: Page, id: number): Promise<void> {
  await desk.go(page, `articles/${id}`);
  await surface(page).waitFor();
}

/** A draft of the writer's, which their window shows. */
async function draft(title: string, content = CONTENT): Promise<number> {
  const { body } = await desk.content.client.post('/api/articles', {
    ...{ title, content, authors: ['wanda-pen'] },
  });
  return body.data.id;
}

/** Selects words of the text, as with a pointer. */
async function select(page: Page, words: string): Promise<void> {
  await surface(page).focus();
  await surface(page).evaluate((root, wanted) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const at = node.nodeValue?.indexOf(wanted) ?? -1;
      if (at !== -1) document.getSelection()?.setBaseAndExtent(node, at, node, at + wanted.length);
    }
  }, words);
  // The editor has seen it.
  await page.getByRole('button', { name: /^(Add a comment|添加批注)$/ }).waitFor();
}

async function comment(page: Page, words: string, text: string): Promise<void> {
  await select(page, words);
  await page.getByRole('button', { name: 'Add a comment' }).click();
  await panel(page).getByRole('textbox', { name: 'Comment' }).fill(text);
  await press(page, 'Send');
  await thread(page, text).waitFor();
}

const typeAt = async (page: Page, words: string, typed: string) => {
  await select(page, words);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.type(typed);
};

test('an editor comments a place, the writer answers, the editor resolves, and no reader sees any of it', async () => {
  // Whoever writes is an author from then on.
  await desk.go(writer, 'articles/new');
  await writer.getByRole('textbox', { name: 'Title', exact: true }).fill('The harbour');
  await surface(writer).fill(`${FIRST} ${SECOND}`);
  await saved(writer);
  const id = Number(new URL(writer.url()).pathname.split('/').at(-1));
  await open(editor, id);
  await comment(editor, 'after nine', 'Was it not\n<b>eight</b>?');
  await expect.poll(() => marks(editor)).toEqual(['after nine']);
  expect(await desk.faultsOf(editor)).toEqual([]);

  await open(writer, id);
  await expect.poll(() => marks(writer)).toEqual(['after nine']);
  await writer.locator('.rich-text-comment').click();
  await thread(writer, '<b>eight</b>?').waitFor();
  await thread(writer, 'eight').getByRole('button', { name: 'Answer', exact: true }).click();
  await writer.getByRole('textbox', { name: 'Answer' }).fill('Nine, by the log.');
  await writer.keyboard.press('Control+Enter');
  await thread(writer, 'eight').getByText('Nine, by the log.').waitFor();
  expect(await desk.faultsOf(writer)).toEqual([]);

  await open(editor, id);
  await openPanel(editor, 1);
  await thread(editor, 'Nine, by the log.').waitFor();
  await press(editor, 'Resolve');
  await editor.getByRole('button', { name: 'Comments (0)' }).waitFor();
  await expect.poll(() => marks(editor)).toEqual([]);
  await panel(editor).getByRole('checkbox', { name: 'Show resolved' }).check();
  await thread(editor, 'Edgar Blue has resolved it').waitFor();
  expect(await desk.faultsOf(editor)).toEqual([]);
  await press(editor, 'Open again');
  await editor.getByRole('button', { name: 'Comments (1)' }).waitFor();

  await desk.go(editor, 'articles');
  const row = editor.getByRole('row').filter({ hasText: 'The harbour' });
  await row.getByRole('img', { name: '1 open comment' }).waitFor();
  expect(await desk.faultsOf(editor)).toEqual([]);

  await desk.content.client.patch(`/api/articles/${id}`, { is_published: true });
  const seen = await send(`${desk.content.url}/api/articles/${id}`);
  expect([seen.status, /eight|by the log|rich-text/.test(seen.text)]).toEqual([200, false]);
});

test('comments stay at their words through edits before, within and after them, and a reload', async () => {
  const id = await draft('Moving');
  await open(writer, id);
  await comment(writer, 'quiet in the', 'First');
  await comment(writer, 'boats', 'Second');
  const both = (first: string) => expect.poll(() => marks(writer)).toEqual([first, 'boats']);
  await both('quiet in the');
  await typeAt(writer, 'harbour', ' and the quiet in the town');
  await typeAt(writer, 'morning', ' of that day');
  await both('quiet in the');
  // Within.
  await select(writer, 'iet in the');
  await writer.keyboard.press('ArrowLeft');
  await writer.keyboard.type('-');
  await both('qu-iet in the');
  await saved(writer);
  await expect
    .poll(async () =>
      (
        await desk.content.database.pool.query(
          `select anchor ->> 'exact' as exact from content.article_comment where article_id = $1 order by id`,
          [id],
        )
      ).rows.map(({ exact }) => exact),
    )
    .toEqual(['qu-iet in the', 'boats']);
  const { body } = await desk.content.client.send(`/api/articles/${id}`);
  expect(body.data.content).not.toContain('<span');
  await writer.reload();
  await both('qu-iet in the');

  // A deleted article is gone until the deletion is undone.
  await select(writer, 'boats');
  await writer.keyboard.press('Delete');
  await openPanel(writer, 2);
  await thread(writer, 'Second').getByText('The text it referred to is gone').waitFor();
  expect(await marks(writer)).toEqual(['qu-iet in the']);
  expect(await desk.faultsOf(writer)).toEqual([]);
  await surface(writer).focus();
  await writer.keyboard.press('Control+z');
  await both('qu-iet in the');
  await expect.poll(() => panel(writer).getByText('The text it referred to is gone').count()).toBe(0);
  await saved(writer);
});

test('who may only read comments too, and deletes and changes their own alone', async () => {
  const id = await draft('Read only');
  await open(editor, id);
  await comment(editor, 'morning', 'By the editor');
  await open(reader, id);
  await expect.poll(() => marks(reader)).toEqual(['morning']);
  await comment(reader, 'quiet was over', 'By the reader');
  await expect.poll(() => marks(reader)).toEqual(['morning', 'quiet was over']);
  const [own, others] = [thread(reader, 'By the reader'), thread(reader, 'By the editor')];
  expect(await others.getByRole('button', { name: /Change|Delete|Resolve/ }).count()).toBe(0);
  await own.getByRole('button', { name: 'Change' }).click();
  await panel(reader).getByRole('textbox', { name: 'Comment' }).fill('By somebody who reads');
  await press(reader, 'Save');
  await thread(reader, 'By somebody who reads').waitFor();
  expect(await desk.faultsOf(reader)).toEqual([]);
  await thread(reader, 'By somebody').getByRole('button', { name: 'Delete' }).click();
  await reader.getByText('Delete it, with its answers?').waitFor();
  expect(await desk.faultsOf(reader)).toEqual([]);
  await reader.getByRole('group', { name: 'Delete it' }).getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => marks(reader)).toEqual(['morning']);
});

test('comments speak Chinese, on a phone too', async () => {
  const id = await draft(
    '灯塔',
    '<p>灯塔建于一九二三年，至今仍在使用。守塔人每天傍晚点灯，清晨熄灯，风雨无阻。港口的渔民说，没有灯塔就没有他们的生活，也就没有这座小城。</p>',
  );
  await open(chinese, id);
  await select(chinese, '一九二三年');
  await chinese.keyboard.press('Control+Alt+m');
  const opened = panel(chinese, '批注');
  await opened.getByRole('textbox', { name: '意见' }).fill('请核实年份。');
  expect(await desk.faultsOf(chinese)).toEqual([]);
  await opened.getByRole('button', { name: '发送', exact: true }).click();
  await opened.getByText('请核实年份。').waitFor();
  await expect.poll(() => marks(chinese)).toEqual(['一九二三年']);
  await opened.getByRole('button', { name: '批注全文' }).click();
  await opened.getByRole('textbox', { name: '意见' }).fill('很好');
  await chinese.keyboard.press('Control+Enter');
  await opened.getByText('很好').waitFor();
  await chinese.getByRole('button', { name: '批注（2）' }).waitFor();
  expect(await desk.faultsOf(chinese)).toEqual([]);
  await opened.getByRole('button', { name: '一九二三年' }).click();
  await expect
    .poll(() =>
      chinese.locator('.rich-text-comment.active').evaluate((one) => one.getBoundingClientRect().top),
    )
    .toBeGreaterThan(0);
});
