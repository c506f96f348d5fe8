import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, skipWithout } from '../support/browser.ts';
import { type EditorPage, editorPage } from '../support/editor-page.ts';

let site: EditorPage;
let browser: Browser | undefined;

beforeAll(async () => {
  browser = await launchBrowser();
  if (browser !== undefined) site = await editorPage();
});
skipWithout(() => browser);
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** A window, which has nothing to complain about at the end. */
async function inEditor(
  use: (page: Page, written: () => Promise<string>) => Promise<void>,
  html?: string,
  options = {},
): Promise<void> {
  if (browser === undefined) return;
  const { page, written, complaints, close } = await site.open(browser, html, options);
  await page.getByRole('textbox', { name: 'Article' }).focus();
  await use(page, written);
  expect(await complaints()).toEqual([]);
  await close();
}

async function pasteInto(page: Page, data: Readonly<Record<string, string>>): Promise<void> {
  await page.evaluate(`(() => {
    const data = new DataTransfer();
    for (const [type, text] of Object.entries(${JSON.stringify(data)})) data.setData(type, text);
    const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
    document.querySelector('.rich-text-surface').dispatchEvent(event);
  })()`);
}

test('what is typed as in Markdown becomes what it says', () =>
  inEditor(async (page, written) => {
    for (const line of [
      '## Heading',
      'Some **bold** and *leaning* and `code`.',
      '- one',
      'two',
      '',
      '> said',
      '',
    ]) {
      await page.keyboard.type(line);
      await page.keyboard.press('Enter');
    }
    await page.keyboard.type('```ts ');
    await page.keyboard.type('const a = 1;');
    expect(await written()).toBe(
      '<h2>Heading</h2><p>Some <strong>bold</strong> and <em>leaning</em> and <code>code</code>.</p>' +
        '<ul><li>one</li><li>two</li></ul><blockquote><p>said</p></blockquote>' +
        '<pre><code class="language-ts">const a = 1;</code></pre>',
    );
  }));

test('a sign that begins an item of a list makes no list in it, and empty lines are not published', () =>
  inEditor(async (page, written) => {
    await page.keyboard.type('- one');
    await page.keyboard.press('Enter');
    await page.keyboard.type('- two');
    await page.keyboard.press('Enter');
    await page.keyboard.type('1. three');
    for (const key of ['Enter', 'Enter', 'Enter', 'Enter']) await page.keyboard.press(key);
    await page.keyboard.type('after');
    await page.keyboard.press('Enter');
    expect(await written()).toBe('<ul><li>one</li><li>two</li><li>1. three</li></ul><p>after</p>');
  }));

test('a slash in an empty paragraph offers blocks, found by their names', () =>
  inEditor(async (page, written) => {
    const options = page.getByRole('listbox', { name: 'Blocks' }).getByRole('option');
    await page.keyboard.type('/HEAD');
    await expect.poll(() => options.allTextContents()).toEqual(['Heading 2', 'Heading 3', 'Heading 4']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Over');
    await page.keyboard.press('Enter');
    await page.keyboard.type('/nothing like it');
    await expect.poll(() => options.count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.keyboard.type('/');
    await options.first().waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => options.count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.keyboard.type('and/or /');
    expect(await options.count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.keyboard.type('/');
    await options.filter({ hasText: 'Horizontal rule' }).click();
    await page.keyboard.type('under');
    expect(await written()).toBe(
      '<h3>Over</h3><p>/nothing like it</p><p>/</p><p>and/or /</p><hr><p>under</p>',
    );
  }));

test.each([
  // Chosen, and Enter once more.
  ['HEAD', '', 2, '<h2></h2><p>Under</p>'],
  // Words that no block has, typed while a block is still offered.
  ['', 'zzz', 1, '<p>/zzz</p><p>Under</p>'],
])('a key before the menu of blocks is drawn again is the text’s: /%s, %s', (query, more, times, expected) =>
  inEditor(async (page, written) => {
    const options = page.getByRole('listbox', { name: 'Blocks' }).getByRole('option');
    await page.keyboard.type(`/${query}`);
    await options.first().waitFor();
    await page.evaluate(`(async () => {
      document.execCommand('insertText', false, '${more}');
      await null;
      for (let time = 0; time < ${times}; time += 1)
        document.querySelector('.rich-text-surface').dispatchEvent(
          new KeyboardEvent('keydown', { key: 'Enter', keyCode: 13, bubbles: true, cancelable: true }));
    })()`);
    await page.keyboard.type('Under');
    expect(await written()).toBe(expected);
  }),
);

test('an empty article says how to begin, and tools that few articles take are asked for', () =>
  inEditor(async (page, written) => {
    const hint = page.locator('[data-placeholder]');
    expect(await hint.getAttribute('data-placeholder')).toContain('type /');
    expect(await page.getByRole('button', { name: 'Subscript' }).count()).toBe(0);
    await page.keyboard.press('Alt+F10');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('toolbar', { name: 'More formatting' }).waitFor();
    await page.getByRole('textbox', { name: 'Article' }).focus();
    await page.keyboard.type('H');
    expect(await hint.count()).toBe(0);
    await page.getByRole('button', { name: 'Subscript' }).click();
    await page.keyboard.type('2');
    expect(await written()).toBe('<p>H<sub>2</sub></p>');
  }));

test('undo and redo take back and bring back', () =>
  inEditor(async (page, written) => {
    await page.keyboard.type('abc');
    await page.keyboard.press('Control+b');
    await page.keyboard.type('d');
    await page.keyboard.press('Control+z');
    expect(await written()).not.toContain('<strong>');
    await page.keyboard.press('Control+y');
    expect(await written()).toBe('<p>abc<strong>d</strong></p>');
  }));

test('a link is made and removed by keys alone', () =>
  inEditor(async (page, written) => {
    await page.keyboard.type('see this');
    // Within a moment of a change, the surface sets the selection itself.
    const select = async () => {
      await page.keyboard.press('End');
      await page.keyboard.press('Control+Shift+ArrowLeft');
      return page.evaluate('getSelection().toString()');
    };
    await expect.poll(select).toBe('this');
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Web address' }).waitFor();
    await page.keyboard.type('javascript:alert(1)');
    await page.keyboard.press('Enter');
    await page.getByText('Write an address').waitFor();
    await page.getByRole('textbox', { name: 'Address' }).fill('example.com/a?b=1&c');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.type(' more');
    expect(await written()).toBe('<p>see <a href="https://example.com/a?b=1&amp;c">this</a> more</p>');
    const link = page.getByRole('button', { name: 'Link', exact: true });
    const goLeft = async () => {
      await page.keyboard.press('ArrowLeft');
      return link.getAttribute('aria-pressed');
    };
    await expect.poll(goLeft).toBe('true');
    await page.keyboard.press('Control+k');
    await page.getByRole('button', { name: 'Remove link' }).press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await written()).toBe('<p>see this more</p>');
  }));

test.each([
  ['with a mouse', { viewport: { width: 1280, height: 800 } }],
  ['on a phone', { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }],
])('tools come with selected text, cover none of it, and Escape puts them away: %s', (_name, options) =>
  inEditor(
    async (page, written) => {
      const tools = page.getByRole('toolbar', { name: 'For the selected text' });
      const select = async () => {
        await page.keyboard.press('Control+Home');
        await page.keyboard.press('Shift+ArrowDown');
        await page.keyboard.press('Shift+End');
        return tools.count();
      };
      await expect.poll(select).toBe(1);
      const seen = `(() => {
        const bar = document.querySelector('.rich-text-selection').getBoundingClientRect();
        const text = getSelection().getRangeAt(0).getBoundingClientRect();
        return [bar.top >= text.bottom, bar.left >= 0, bar.right <= innerWidth];
      })()`;
      // It takes its place when what was selected is drawn.
      await expect.poll(() => page.evaluate(seen)).toEqual([true, true, true]);
      // The browser tells of a selection a moment after its key, and Escape may come before.
      const isKept = await page.evaluate(`(() => {
        getSelection().modify('extend', 'backward', 'word');
        const selected = String(getSelection());
        document.activeElement.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'Escape', keyCode: 27, bubbles: true, cancelable: true }));
        return String(getSelection()) === selected;
      })()`);
      expect(isKept).toBe(true);
      await expect.poll(() => tools.count()).toBe(0);
      await page.keyboard.press('Shift+ArrowLeft');
      await expect.poll(() => tools.count()).toBe(1);
      await page.keyboard.press('Alt+F10');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Alt+F10');
      await page.keyboard.press('Escape');
      await expect.poll(() => tools.count()).toBe(0);
      expect(await written()).toMatch(/^<p><em>/);
      await page.keyboard.press('End');
      await page.keyboard.type('!');
      expect(await written()).toContain('!');
    },
    `<p>${'Words that stand in a line. '.repeat(2)}</p><p>And one more.</p>`,
    options,
  ),
);

test('a table is added, filled and enlarged by keys alone', () =>
  inEditor(async (page, written) => {
    await page.keyboard.type('/table');
    await page.getByRole('option', { name: 'Insert table' }).waitFor();
    await page.keyboard.press('Enter');
    for (const cell of ['a', 'b', 'c', '1', '2', '3', '4', '5', '6', '7']) {
      await page.keyboard.type(cell);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.type('8');
    const rows = page.getByRole('toolbar', { name: 'Table' });
    await rows.getByRole('button', { name: 'Delete column' }).press('Enter');
    expect(await written()).toBe(
      '<table><thead><tr><th>a</th><th>c</th></tr></thead><tbody><tr><td>1</td><td>3</td></tr>' +
        '<tr><td>4</td><td>6</td></tr><tr><td>7</td><td></td></tr></tbody></table>',
    );
  }));

test('words are found and replaced, through formats and links, and one undo takes all back', () =>
  inEditor(async (page, written) => {
    await page.keyboard.press('Control+f');
    const bar = page.getByRole('search', { name: 'Find and replace' });
    const [find, put] = [bar.getByLabel('Find', { exact: true }), bar.getByLabel('Replace with')];
    const status = bar.getByRole('status');
    await expect.poll(() => find.evaluate((field) => field === document.activeElement)).toBe(true);
    await find.fill('CAT');
    await expect.poll(() => status.textContent()).toBe('1 of 4');
    await find.press('Shift+Enter');
    await expect.poll(() => status.textContent()).toBe('4 of 4');
    await bar.getByRole('button', { name: 'Whole words' }).click();
    await expect.poll(() => status.textContent()).toBe('3 of 3');
    await bar.getByRole('button', { name: 'Match case' }).click();
    await expect.poll(() => status.textContent()).toBe('Not in the text');
    await find.fill('cat');
    await expect.poll(() => status.textContent()).toBe('3 of 3');
    await put.fill('$& dog');
    await put.press('Enter');
    await expect.poll(() => status.textContent()).toBe('1 of 2');
    await bar.getByRole('button', { name: 'Replace all' }).click();
    await expect.poll(() => status.textContent()).toBe('Replaced: 2');
    expect(await written()).toBe(
      '<p>İ A $&amp; dog, <a href="https://a.example/">$&amp; dog</a>, concatenated.</p>' +
        '<p><em>$&amp; dog</em>. 我们在北京大学生活。</p>',
    );
    await find.press('Escape');
    await expect.poll(() => bar.count()).toBe(0);
    await page.keyboard.press('Control+z');
    expect(await written()).toContain('A cat, <a href="https://a.example/">cat</a>, con');
    // Chinese has words without spaces between them.
    await page.keyboard.press('Control+f');
    await find.fill('大学生');
    await expect.poll(() => status.textContent()).toBe('1 of 1');
    await bar.getByRole('button', { name: 'Whole words' }).click();
    await expect.poll(() => status.textContent()).toBe('Not in the text');
    await find.fill('生活');
    await expect.poll(() => status.textContent()).toBe('1 of 1');
  }, '<p>İ A cat, <a href="https://a.example/">cat</a>, concatenated.</p>' +
    '<p><em>c</em>at. 我们在北京大学生活。</p>'));

test('a picture needs an alternative text', () =>
  inEditor(async (page, written) => {
    await page.keyboard.type('before');
    await page.getByRole('button', { name: 'Picture' }).click();
    await page.getByLabel('Caption').fill('Taken today');
    await page.keyboard.press('Enter');
    await page.getByText('Write what the picture shows.').waitFor();
    const isInvalid = () => page.evaluate('document.activeElement.getAttribute("aria-invalid")');
    await expect.poll(isInvalid).toBe('true');
    await page.keyboard.type('A harbour');
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: 'A harbour' }).waitFor();
    expect(await written()).toBe(
      `<p>before</p><figure><img src="${site.url}picture.jpg" alt="A harbour" width="320" height="240">` +
        '<figcaption>Taken today</figcaption></figure>',
    );
    await page.keyboard.type('after');
    await expect.poll(written).toMatch(/^<p>before<\/p><figure><img .*<\/figure><p>after<\/p>$/);
    await page.getByRole('img', { name: 'A harbour' }).dblclick();
    await page.getByLabel('Alternative text').fill('A small harbour');
    await page.keyboard.press('Enter');
    await expect.poll(written).toContain('alt="A small harbour"');
  }));

test('a picture is shown, exchanged, marked as decorative, and has a credit below it', () =>
  inEditor(async (page, written) => {
    await page.getByRole('img', { name: 'Old' }).click();
    await page.getByRole('toolbar', { name: 'For the picture' }).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Describe the picture' });
    await dialog.locator('img[src="/old.jpg"]').waitFor();
    expect(await dialog.getByLabel('Caption').inputValue()).toBe('The pier');
    await dialog.getByRole('button', { name: 'Choose another one' }).click();
    await dialog.locator('img[src$="/picture.jpg"]').waitFor();
    await dialog.getByLabel('Credit').fill('Ada / Agency');
    await dialog.getByRole('checkbox', { name: 'Decorative' }).check();
    expect(await dialog.getByLabel('Alternative text').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Apply' }).click();
    const figure = (role: string, by: string) =>
      `<figure><img src="${site.url}picture.jpg" alt="" width="320" height="240" class="wide"${role}>` +
      `<figcaption>The pier${by}</figcaption></figure><p>after</p>`;
    const credit = ' <small class="credit">Ada / Agency</small>';
    await expect.poll(written).toBe(figure(' role="presentation"', credit));
    await page.locator('.rich-text-surface img').dblclick();
    expect(await dialog.getByLabel('Credit').inputValue()).toBe('Ada / Agency');
    await dialog.getByLabel('Credit').fill('');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(written).toBe(figure(' role="presentation"', ''));
  }, '<figure><img src="/old.jpg" srcset="/old.jpg 2x" alt="Old" class="wide"><figcaption>The pier</figcaption></figure>' +
    '<p>after</p>'));

const CREDIT = ' <small class="credit">Ada</small>';
const CREDITED = `<figure><img src="/4.jpg" alt="Four"><figcaption>${CREDIT.trim()}</figcaption></figure>`;
const REST = `${CREDITED}<p>after</p>`;

test('pictures stand side by side, at most three, below each other on a phone, and are parted again', () =>
  inEditor(async (page, written) => {
    const tops = () =>
      page.evaluate<number>(
        `new Set([...document.querySelectorAll(".rich-text-surface img:not([alt=Four])")].map((one) => one.getBoundingClientRect().top)).size`,
      );
    await page.getByRole('img', { name: 'One' }).click();
    await page.keyboard.press('Control+Alt+b');
    const row = (more: string) =>
      `<figure class="side-by-side"><img src="/1.jpg" alt="One"><img src="/2.jpg" alt="Two">${more}` +
      `<figcaption><p>First${CREDIT}</p><p>Second${CREDIT}</p></figcaption></figure>${REST}`;
    // Parted, each has its own words.
    await expect.poll(written).toBe(row(''));
    await page.keyboard.press('Control+Alt+b');
    await expect
      .poll(written)
      .toBe(
        `<figure><img src="/1.jpg" alt="One"><figcaption>First${CREDIT}</figcaption></figure>` +
          `<figure><img src="/2.jpg" alt="Two"><figcaption>Second${CREDIT}</figcaption></figure>${REST}`,
      );
    await page.keyboard.press('Control+Alt+b');
    await expect.poll(written).toBe(row(''));
    await expect.poll(tops).toBe(1);
    await page.setViewportSize({ width: 360, height: 800 });
    await expect.poll(tops).toBe(2);
    await page.getByRole('img', { name: 'Two' }).click();
    await page.getByRole('button', { name: 'Add one beside it' }).click();
    await page.getByLabel('Alternative text').fill('Three');
    await page.keyboard.press('Enter');
    const three = `<img src="${site.url}picture.jpg" alt="Three" width="320" height="240">`;
    await expect.poll(written).toBe(row(three));
    const add = page.getByRole('button', { name: 'Add one beside it' });
    await expect.poll(() => add.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('button', { name: 'Pictures side by side' }).click();
    await expect
      .poll(written)
      .toBe(
        '<figure><img src="/1.jpg" alt="One"></figure><figure><img src="/2.jpg" alt="Two"></figure>' +
          `<figure>${three}<figcaption><p>First${CREDIT}</p><p>Second${CREDIT}</p></figcaption></figure>${REST}`,
      );
    // The last one comes beside the one before, and its credit stands there already.
    await page.getByRole('img', { name: 'Four' }).click();
    await page.keyboard.press('Control+Alt+b');
    await expect
      .poll(written)
      .toContain(
        `<figure class="side-by-side">${three}<img src="/4.jpg" alt="Four">` +
          `<figcaption><p>First${CREDIT}</p><p>Second${CREDIT}</p></figcaption></figure><p>after</p>`,
      );
  }, `<figure><img src="/1.jpg" alt="One"><figcaption>First${CREDIT}</figcaption></figure>` +
    `<figure><img src="/2.jpg" alt="Two"><figcaption>Second${CREDIT}</figcaption></figure>${REST}`));

/** Pastes a picture as a file. */
const pasteFile = (page: Page, name: string) =>
  page.evaluate(`(() => {
    const data = new DataTransfer();
    data.items.add(new File(['x'], '${name}', { type: 'image/jpeg' }));
    const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
    document.querySelector('.rich-text-surface').dispatchEvent(event);
  })()`);

test('a file that is pasted stays without a description, until somebody leaves it out', () =>
  inEditor(async (page, written) => {
    const dialog = page.getByRole('dialog', { name: 'Describe the picture' });
    await pasteFile(page, 'harbour.jpg');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(written).toContain(`<img src="${site.url}harbour.jpg" alt="" `);
    await pasteFile(page, 'pier.jpg');
    await dialog.waitFor();
    // The dialog ignores what was meant for the text.
    await page.keyboard.type('words ');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('INPUT');
    expect(await dialog.getByLabel('Alternative text').inputValue()).toBe('');
    await dialog.getByRole('button', { name: 'Leave it out' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate('takenBack')).toEqual(['pier.jpg']);
    expect(await written()).not.toContain('pier.jpg');
    await pasteFile(page, 'left.jpg');
    await dialog.waitFor();
    await page.evaluate('closeArticle()');
    expect(await page.evaluate('reported.at(-1)')).toContain('left.jpg');
  }));

test('a file that is pasted is uploaded, and described', () =>
  inEditor(async (page, written) => {
    await pasteFile(page, 'harbour.jpg');
    await page.getByLabel('Alternative text').fill('A harbour');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(written).toContain(`src="${site.url}harbour.jpg" alt="A harbour"`);
  }));

test('a video is embedded by the address of its page', () =>
  inEditor(async (page, written) => {
    await page.getByRole('button', { name: 'Embed' }).click();
    await page
      .getByRole('textbox', { name: 'Address' })
      .fill('https://www.youtube.com/watch?v=abc_123&t=1m2s');
    await page.getByLabel('What it shows').fill('A film');
    await page.keyboard.press('Enter');
    await expect
      .poll(written)
      .toContain('<iframe src="https://www.youtube-nocookie.com/embed/abc_123?start=62" title="A film"');
    expect(await page.locator('.rich-text-player').textContent()).toBe('A filmYouTube');
  }));

test('what is embedded from within a caption, and what is written next, stands behind the pictures', () =>
  inEditor(async (page, written) => {
    await page.getByText('The pier').click();
    await page.getByRole('button', { name: 'Embed' }).click();
    await page.getByRole('textbox', { name: 'Address' }).fill('https://vimeo.com/1');
    await page.getByLabel('What it shows').fill('A film');
    await page.keyboard.press('Enter');
    await page.locator('.rich-text-player').waitFor();
    await page.keyboard.type('Next');
    await expect
      .poll(written)
      .toMatch(/<figcaption>The pier<\/figcaption><\/figure><iframe [^>]*><\/iframe><p>Next<\/p>$/);
  }, '<figure><img src="/1.jpg" alt="One"><img src="/2.jpg" alt="Two"><figcaption>The pier</figcaption></figure>'));

test('an address becomes a player or a card, typed or pasted, and undo leaves a pasted one as a link', () =>
  inEditor(async (page, written) => {
    const card = {
      ...{ url: 'https://a.example/b', title: 'The <b>tide</b>', site: 'a.example', text: 'High at noon.' },
      picture: 'https://cdn.example/a.jpg',
    };
    const film = { src: 'https://player.vimeo.com/video/1#t=42s', title: 'A film', width: 640, height: 360 };
    const found = {
      'https://a.example/b': { provider: null, frame: { ...film, src: 'https://a.example/b' }, card },
      'https://vimeo.com/1#t=42s': { provider: 'Vimeo', frame: film, card: { ...card, picture: null } },
    };
    await page.evaluate(`
      window.findEmbed = async (address) => (${JSON.stringify(found)})[address] ?? 'It is not there.';
      closeArticle();
      openArticle('<p></p>');`);
    await page.getByRole('textbox', { name: 'Article' }).focus();
    await pasteInto(page, { 'text/plain': 'https://vimeo.com/1#t=42s' });
    const frame =
      '<iframe src="https://player.vimeo.com/video/1#t=42s" title="A film" width="640" height="360"' +
      ' loading="lazy" allowfullscreen="" referrerpolicy="strict-origin-when-cross-origin"></iframe>';
    await expect.poll(written).toBe(frame);
    await page.keyboard.press('Control+z');
    const link = '<p><a href="https://vimeo.com/1#t=42s">https://vimeo.com/1#t=42s</a></p>';
    await expect.poll(written).toBe(link);
    await page.getByRole('button', { name: 'Embed' }).click();
    const dialog = page.getByRole('dialog', { name: 'Embed a page or video' });
    const address = dialog.getByLabel('Web address');
    await address.fill('https://a.example/none');
    await dialog.getByText('It is not there.').waitFor();
    await address.fill('a.example/b');
    await dialog.getByText('High at noon.').waitFor();
    expect(await dialog.getByRole('radio', { name: 'A card' }).isChecked()).toBe(true);
    await address.press('Enter');
    await expect
      .poll(written)
      .toBe(
        `${link}<div class="embed-card"><figure><img src="https://cdn.example/a.jpg" alt="" role="presentation">` +
          '</figure><p><a href="https://a.example/b">The &lt;b&gt;tide&lt;/b&gt;</a></p><p>High at noon.</p>' +
          '<p><small>a.example</small></p></div>',
      );
    expect(await page.evaluate(`canRepresent(reported.at(-1))`)).toBe(true);
  }));

test('HTML and Markdown of the clipboard come in clean, and styles do not trouble the policy', () =>
  inEditor(async (page, written) => {
    await pasteInto(page, {
      'text/html':
        '<meta charset="utf-8"><b style="font-weight:normal" id="docs-internal-guid-1"><p style="line-height:1.4" dir="ltr">' +
        '<span style="font-weight:700;color:#f00">Loud</span><span style="font-weight:400"> text</span></p></b>',
    });
    expect(await written()).toBe('<p><strong>Loud</strong> text</p>');
    await page.keyboard.press('Control+a');
    await pasteInto(page, { 'text/plain': '## A\n\n- b **c**\n- [d](https://d.example/)\n' });
    await expect
      .poll(written)
      .toBe('<h2>A</h2><ul><li>b <strong>c</strong></li><li><a href="https://d.example/">d</a></li></ul>');
  }));

test('what is cut here is pasted whole', () =>
  inEditor(async (page, written) => {
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+x');
    expect(await written()).toBe('<p></p>');
    await page.keyboard.press('Control+v');
    await expect
      .poll(written)
      .toContain('<p id="x" class="lead">One</p><details><summary>a</summary>b</details>');
  }, '<p id="x" class="lead">One</p><details><summary>a</summary>b</details><p>Two</p>'));

test('an input method composes, and nothing is reported before it is done', () =>
  inEditor(async (page, written) => {
    const input = await page.context().newCDPSession(page);
    await page.keyboard.type('你好');
    await page.evaluate('dispatchEvent(new Event("pagehide"))');
    for (const text of ['x', 'xi', 'xin', 'xinw'])
      await input.send('Input.imeSetComposition', {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
      });
    await expect.poll(() => page.getByRole('textbox').textContent()).toBe('你好xinw');
    // Longer than the pause after which the article is reported.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 1500))');
    expect(await page.evaluate('reported.at(-1)')).toBe('<p>你好</p>');
    await input.send('Input.insertText', { text: '新闻' });
    await expect.poll(written).toBe('<p>你好新闻</p>');
    expect(await page.evaluate('textLength')).toEqual({ count: 4, unit: 'characters' });
  }));

test('Arabic runs from right to left', () =>
  inEditor(async (page, written) => {
    await page.keyboard.type('مرحبا');
    expect(await written()).toBe('<p dir="auto">مرحبا</p>');
    await page.keyboard.press('Enter');
    await page.keyboard.type('abc');
    await page.getByRole('button', { name: 'More formatting' }).click();
    await page.getByRole('button', { name: 'Right to left' }).click();
    expect(await written()).toBe('<p dir="auto">مرحبا</p><p dir="rtl">abc</p>');
  }));

test('an article that nobody has changed is not reported, and another one takes its place', () =>
  inEditor(async (page) => {
    await page.keyboard.press('ArrowRight');
    await page.evaluate('dispatchEvent(new Event("pagehide"))');
    expect(await page.evaluate('reported')).toEqual([]);
    await page.evaluate('openArticle("<h2>Other</h2>")');
    await page.getByRole('heading', { name: 'Other' }).waitFor();
    expect(await page.evaluate('reported')).toEqual([]);
  }, '<div  class="x"><p>As it was</p></div>'));

test('what is reported between another text and its being taken in stays', () =>
  inEditor(async (page, written) => {
    await page.keyboard.press('End');
    await page.keyboard.type(' Typed.');
    await page.evaluate(`
      window.nextOf = (written) => written + '<p>Theirs.</p>';
      openArticle('<p>Mine.</p><p>Theirs.</p>');
      window.dispatchEvent(new Event('pagehide'));
      window.nextOf = undefined;`);
    await page.getByText('Theirs.').waitFor();
    await page.keyboard.type(' On.');
    expect(await written()).toBe('<p>Mine. Typed. On.</p><p>Theirs.</p>');
  }, '<p>Mine.</p>'));

test('a text that is older than a report is not shown, though the page is drawn in between', () =>
  inEditor(async (page) => {
    const text = page.getByRole('textbox', { name: 'Article' });
    await page.keyboard.press('End');
    await page.keyboard.type(' Typed.');
    await page.evaluate(`
      openArticle('<p>Mine.</p><p>Theirs.</p>');
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown',
        { key: 'k', code: 'KeyK', keyCode: 75, ctrlKey: true, bubbles: true, cancelable: true }));`);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    expect(await text.textContent()).toBe('Mine. Typed.');
    await page.evaluate(`openArticle('<p>Mine. Typed.</p><p>Theirs.</p>')`);
    await page.getByText('Theirs.').waitFor();
  }, '<p>Mine.</p>'));

test.each([
  ['en-GB', 'light', 360],
  ['zh-CN', 'dark', 1280],
] as const)(
  'nothing is wrong for people who hear it or use keys: %s, %s, %i px',
  async (locale, colorScheme, width) => {
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    await inEditor(
      async (page) => {
        await page.evaluate(axe);
        const faults = () =>
          page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
          violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ' ' + html.slice(0, 200))))`);
        expect(await faults()).toEqual([]);
        await page.getByRole('table').getByText('cell').click();
        expect(await faults()).toEqual([]);
        const select = async () => {
          await page.getByRole('heading', { name: 'Title', level: 2 }).click();
          await page.keyboard.press('Shift+Home');
          return page.locator('.rich-text-selection').count();
        };
        await expect.poll(select).toBe(1);
        expect(await faults()).toEqual([]);
        await page.getByRole('img', { name: 'A', exact: true }).click();
        await page.locator('.rich-text-row kbd').first().waitFor();
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').waitFor();
        expect(await faults()).toEqual([]);
        await page.keyboard.press('Escape');
        await page.getByRole('heading', { name: 'Title', level: 2 }).click();
        await page.keyboard.press('Control+f');
        await page.getByRole('search').locator('.icon-button').first().waitFor();
        expect(await faults()).toEqual([]);
        await page.keyboard.press('Escape');
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog').waitFor();
        expect(await faults()).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      },
      '<h2>Title</h2><p>Text with a <a href="/a">link</a>.</p><figure><img src="/a.jpg" alt="A"><figcaption>b</figcaption></figure>' +
        '<table><thead><tr><th>head</th></tr></thead><tbody><tr><td>cell</td></tr></tbody></table><pre><code>x</code></pre>' +
        '<iframe src="https://a.example/" title="A film"></iframe><details><summary>More</summary>Less</details>',
      { locale, colorScheme, viewport: { width, height: 800 } },
    );
  },
);
