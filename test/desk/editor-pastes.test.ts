import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inspectHtml } from '@pressroom/content/html/article-parser';
import { JSDOM } from 'jsdom';
import { expect, test } from 'vitest';
import { readHtml } from '../../packages/desk/src/articles/editor/html/read-html.ts';
import { writeHtml } from '../../packages/desk/src/articles/editor/html/write-html.ts';
import { cleanPasted } from '../../packages/desk/src/articles/editor/paste/clean-pasted.ts';
import { looksLikeMarkdown, markdownToHtml } from '../../packages/desk/src/articles/editor/paste/markdown.ts';

const RULES = { html: 'checked', jsonLd: false, overlays: false } as const;

const { document } = new JSDOM('').window;

function clipboardOf(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../fixtures/pastes/${name}`, import.meta.url)), 'utf8');
}

/** The HTML that a paste adds to the article. */
function pasted(html: string): string {
  return writeHtml(readHtml(cleanPasted(html, document), document));
}

test.each([
  [
    'word.clipboard',
    '<h2>The harbour reopens</h2>' +
      '<p><strong>After eleven years</strong> the <em>old</em> harbour is open again, says the ' +
      '<a href="https://harbour.example/news?id=7&amp;utm=word">port authority</a>.</p>' +
      '<ul><li>Two ferries a day<ul><li>one at seven</li></ul></li><li>A market on Sundays</li></ul>' +
      '<p>Prices:</p><ol><li>Adults</li><li>Children</li></ol>' +
      '<table><tbody><tr><td><strong>Day</strong></td><td>Visitors</td></tr>' +
      '<tr><td>Sunday</td><td>1,200</td></tr></tbody></table>',
  ],
  [
    'google-docs.clipboard',
    '<h2>The harbour reopens</h2>' +
      '<p><strong>After eleven years</strong> the <em>old</em> harbour is open, H<sub>2</sub>O included, ' +
      '<s>or not</s><a href="https://harbour.example/news">says the port</a></p>' +
      '<ul><li>Two ferries<ul><li>at seven</li></ul></li></ul>' +
      '<table><tbody><tr><td>Sunday</td><td>1,200</td></tr></tbody></table>' +
      '<p><img src="https://lh7-rt.googleusercontent.com/docsz/AD_4nXc" alt="" width="624" height="351"></p>',
  ],
  [
    'web-page.clipboard',
    '<h2>The harbour reopens</h2><p>By Ada</p><p>After eleven years the <em>old</em> harbour is open.</p>' +
      '<p>Nothing runs, and <a href="https://harbour.example/a?b=1">links</a> stay.</p>' +
      '<figure><img src="https://media.example/harbour.jpg" alt="The harbour" width="800" height="450">' +
      '<figcaption>The harbour <em>at dawn</em></figcaption></figure><blockquote><p>“At last.”</p></blockquote>' +
      '<pre><code class="language-js">const a = 1;\na + 1;</code></pre>' +
      '<h4>Further reading</h4><p>Port</p><p>A place for ships</p>' +
      '<iframe src="https://player.example/v/1" title="A film"></iframe>',
  ],
  [
    'excel.clipboard',
    '<table><tbody><tr><td><strong>Day</strong></td><td colspan="2">Visitors</td></tr>' +
      '<tr><td>Sunday</td><td>1,200</td><td></td></tr></tbody></table>',
  ],
])('%s comes in clean', async (name, expected) => {
  const html = pasted(clipboardOf(name));
  expect(html).toBe(expected);
  expect((await inspectHtml(html, RULES)).faults).toEqual([]);
});

test('text in Markdown becomes what it says, and nothing in it runs', async () => {
  const text = clipboardOf('notes.md');
  expect(looksLikeMarkdown(text)).toBe(true);
  const html = pasted(await markdownToHtml(text));
  expect(html).toBe(
    '<h2>The harbour reopens</h2><p>After <strong>eleven years</strong> the <em>old</em> harbour is ' +
      '<a href="https://harbour.example/">open</a>.</p><ul><li>Two ferries<ul><li>at seven</li></ul></li><li>A market</li></ul>' +
      '<ol><li>Adults</li><li>Children</li></ol><blockquote><p>At last.</p></blockquote>' +
      '<pre><code class="language-ts">const a = \'&lt;b&gt;\';\n</code></pre>' +
      '<table><thead><tr><th>Day</th><th>Visitors</th></tr></thead><tbody><tr><td>Sunday</td><td>1,200</td></tr></tbody></table>' +
      '<p><img src="https://media.example/harbour.jpg" alt="The harbour"></p>',
  );
  expect((await inspectHtml(html, RULES)).faults).toEqual([]);
});

test('footnotes and tasks of Markdown stay', async () => {
  const text =
    'The harbour[^1] is open[^b].\n\n- [x] ferries\n- [ ] market\n\n[^1]: Since **1890**.\n[^b]: Daily.\n';
  expect(pasted(await markdownToHtml(text))).toBe(
    '<p>The harbour<sup>1</sup> is open<sup>2</sup>.</p><ul><li>☑ ferries</li><li>☐ market</li></ul>' +
      '<ol><li>Since <strong>1890</strong>.</li><li>Daily.</li></ol>',
  );
});

const word = (level: number, numbering: string, marker: string, text: string) =>
  `<p class=MsoListParagraph style='mso-list:l0 level${level} ${numbering}'><![if !supportLists]><span ` +
  `style='mso-list:Ignore'>${marker}<span style='font:7.0pt "Times New Roman"'>&nbsp; </span></span><![endif]>${text}</p>`;

test.each([
  [
    'a numbered list after a bulleted one',
    word(1, 'lfo1', '·', 'a') +
      word(1, 'lfo1', '·', 'b') +
      word(1, 'lfo2', '1.', 'c') +
      word(1, 'lfo2', '2.', 'd'),
    '<ul><li>a</li><li>b</li></ul><ol><li>c</li><li>d</li></ol>',
  ],
  [
    'one in the other',
    word(1, 'lfo1', '1.', 'a') +
      word(2, 'lfo1', 'a)', 'b') +
      word(2, 'lfo3', 'o', 'c') +
      word(1, 'lfo1', '2.', 'd'),
    '<ol><li>a<ol><li>b</li></ol><ul><li>c</li></ul></li><li>d</li></ol>',
  ],
  [
    'two numbered ones, the second of which goes on elsewhere',
    word(1, 'lfo1', '1.', 'a') + word(1, 'lfo2', '5.', 'b'),
    '<ol><li>a</li></ol><ol start="5"><li>b</li></ol>',
  ],
  [
    'Chinese numbers',
    word(1, 'lfo1', '一、', 'a') + word(1, 'lfo1', '二、', 'b'),
    '<ol><li>a</li><li>b</li></ol>',
  ],
])('lists of Word stay what they are: %s', (_name, html, expected) => {
  expect(pasted(html)).toBe(expected);
});

test.each(['Just a sentence.', 'At 5 - 3 = 2, and 2 * 3 * 4.', 'a_b_c and #hashtag'])(
  'plain text stays so: %s',
  (text) => {
    expect(looksLikeMarkdown(text)).toBe(false);
  },
);

test.each([
  '<p><a href="java&#9;script:alert(1)">x</a><img src=x onerror=alert(1)><b title="-->">y</b></p>',
  '<table><td><p>x<form><input name=a></form><td>y</table><li>z<dd>w',
  '<math><mi><b>x</b></mi></math><svg><script>alert(1)</script></svg><iframe srcdoc="<script>x</script>"></iframe>',
  '<b><p>one<a href="https://a.example/">two<a href="https://b.example/">three</b>',
])('whatever is pasted, content accepts it: %s', async (html) => {
  expect((await inspectHtml(pasted(html), RULES)).faults).toEqual([]);
});
