import { expect, test } from 'vitest';
import type { Reason } from '../reasons.ts';
import { plainText } from '../source-entry.ts';
import { articleHtml } from './html.ts';

const CONTEXT = {
  attachment: () => undefined,
  own: () => [],
  removeOthers: true,
  onOther: () => undefined,
  onEmptyBlock: () => undefined,
  onLost: () => undefined,
  pattern: () => undefined,
  footnotes: [],
};

const LENGTH = 1_000_000;

/** A text of a megabyte with these parts again and again. */
const megabyteOf = (...parts: string[]) =>
  parts.map((part) => part.repeat(LENGTH / parts.length / part.length)).join('');

// Work that grows with the square of the length would take hours.
test.each([
  ['shortcodes that do not end', megabyteOf('[a x]')],
  ['shortcodes that are cut off', megabyteOf('[a ')],
  ['shortcodes that end elsewhere', megabyteOf('[a]', '[/a]')],
  ['shortcodes in shortcodes', Array.from({ length: 50_000 }, (_, n) => `[a${n} x=1]`).join('')],
  ['code that is not closed', megabyteOf('<pre>')],
  ['tags that are cut off', megabyteOf('<p ')],
  ['comments that are cut off', megabyteOf('<!-- wp:a {} ')],
  ['ends of what was not begun', megabyteOf('<td>', '</p>')],
  ['patterns that are cut off', megabyteOf('<!-- wp:block {"ref":1')],
  ['blocks that do not end', megabyteOf('<!-- wp:a -->')],
  ['blocks that were not begun', megabyteOf('<!-- /wp:a -->x')],
  ['a block', `<!-- wp:block {${megabyteOf('"ref":1,"content":{')} -->`],
  ['elements that cross', megabyteOf('<b>x</p>')],
  ['spaces before the end of a line', `a${megabyteOf(' ')}b\n`],
  ['code in shortcodes that does not end', megabyteOf('[code x]')],
  ['code in shortcodes that is cut off', megabyteOf('[code ')],
  ['shortcodes that are written about', megabyteOf('[[gallery')],
  ['addresses', `${megabyteOf('https://a.example/')}"`],
])('a megabyte of %s is read in time', (_, text) => {
  const html = articleHtml(text, CONTEXT);
  expect(plainText(html).length).toBeLessThanOrEqual(text.length);
});

test.each([
  [
    '[code language="php"]\n<?php [gallery]\n\n<!--more-->&lt;\n[/code]',
    'php',
    '&lt;?php [gallery]\n\n&lt;!--more--&gt;&amp;lt;',
  ],
  ['[sourcecode lang=js]a &lt; b &amp;&amp; c[/sourcecode]', 'js', 'a &lt; b &amp;&amp; c'],
  ['[python]\n  x = 1\nhttps://a.example/\n[/python]', 'python', '  x = 1\nhttps://a.example/'],
  ['[code]\n<script>a</script>\n[/code]', '', '&lt;script&gt;a&lt;/script&gt;'],
])('%s is code', (text, language, code) => {
  const attribute = language && ` class="language-${language}"`;
  expect(articleHtml(`Before\n${text}\nafter`, CONTEXT)).toBe(
    `<p>Before</p>\n<pre><code${attribute}>${code}</code></pre><p>after</p>`,
  );
});

test('patterns and footnotes are put where they are shown, and what is missing is told', () => {
  const lost: string[] = [];
  const html = articleHtml(
    '<!-- wp:paragraph --><p>One</p><!-- /wp:paragraph --><!-- wp:block {"ref":1} /--><!-- wp:footnotes /--><!-- wp:block {"ref":9} /-->',
    {
      ...CONTEXT,
      pattern: (id) => (id === '1' ? '<p>Shared</p><!-- wp:block {"ref":1} /-->' : undefined),
      footnotes: [{ id: 'f', content: 'A <em>note</em>' }],
      onLost: ({ text }) => lost.push(text),
    },
  );
  expect(html.replaceAll('\n', '')).toBe(
    '<p>One</p><p>Shared</p><ol class="wp-block-footnotes"><li id="f">A <em>note</em> <a href="#f-link">↩︎</a></li></ol>',
  );
  expect(lost).toEqual([1, 9].map((id) => `pattern ${id}: is not in the export; left out`));
});

test('a pattern that an article changes is there, as are the footnotes that are missing: as a note', () => {
  const lost: string[] = [];
  const onLost = ({ text }: Reason) => lost.push(text);
  const context = { ...CONTEXT, pattern: () => '<p>Shared</p>', onLost };
  const changed = '<!-- wp:block {"ref":1,"content":{"Name":{"content":"Other"}}} /-->';
  expect(articleHtml(`${changed}<!-- wp:footnotes /-->`, context)).toBe('<p>Shared</p>');
  expect(lost).toEqual([
    'pattern 1: what the article changes in it is left out',
    'footnotes: are not in the export',
  ]);
});

test('a picture that a block has only as a background is there', () => {
  const [before, after] = [
    '<!-- wp:cover {"url":"https://a.example/a.jpg?a\\u0026b","id":7} -->',
    '<!-- /wp:cover -->',
  ];
  const inner = '<div class="wp-block-cover__inner-container"><p>Words</p></div>';
  const picture = '<img src="https://a.example/a.jpg?a&amp;b" alt="">';
  const style = 'style="background-image:url(https://a.example/a.jpg?a&amp;b)"';
  expect(articleHtml(`${before}<div class="wp-block-cover" ${style}>${inner}</div>${after}`, CONTEXT)).toBe(
    `<div class="wp-block-cover">${picture}${inner}</div>`,
  );
  const whole = `<div class="wp-block-cover">${picture}${inner}</div>`;
  expect(articleHtml(`${before}${whole}${after}`, CONTEXT)).toBe(whole);
});

test('pages of an article are paragraphs of their own', () => {
  expect(articleHtml('One<!--nextpage-->Two', CONTEXT)).toBe('<p>One</p>\n<p>Two</p>');
});

test.each([
  ['before blocks', 'One\n\ntwo\nthree\n\n<!-- wp:list --><ul><li>a</li></ul><!-- /wp:list -->'],
  ['behind blocks', '<!-- wp:spacer {"height":1} /-->\n\nOne\n\ntwo\nthree'],
  [
    'between blocks',
    '<!-- wp:html --><hr><!-- /wp:html -->\n\nOne\n\ntwo\nthree\n\n<!-- wp:html --><hr><!-- /wp:html -->',
  ],
  ['around a block without HTML', 'One\n\n<!-- wp:a/b /-->two\nthree'],
  ['in a classic block', '<!-- wp:freeform -->\nOne\n\ntwo\nthree\n<!-- /wp:freeform -->'],
  [
    'in a classic block of a group',
    '<!-- wp:group --><div><!-- wp:core/freeform -->One\n\ntwo\nthree<!-- /wp:core/freeform --></div><!-- /wp:group -->',
  ],
  [
    'in a block of a shortcode',
    '<!-- wp:shortcode -->\n[box a=b]\nOne\n\ntwo\nthree\n[/box]\n<!-- /wp:shortcode -->',
  ],
  ['behind an end without a beginning', '<!-- /wp:html --><!-- /wp:html -->One\n\ntwo\nthree'],
])('text %s has its paragraphs', (_, text) => {
  expect(articleHtml(text, CONTEXT)).toContain('<p>One</p>\n<p>two<br>\nthree</p>');
});

test('text in blocks is as it is, also around classic text', () => {
  const [code, group] = ['<div>a\n\nb</div>', (inner: string) => `<div>c\n\nd${inner}e\n\nf</div>`];
  const blocks = (inner: string) =>
    `<!-- wp:html -->${code}<!-- /wp:html --><!-- wp:group -->${group(inner)}<!-- /wp:group -->`;
  expect(articleHtml(`x\n\n${blocks('<!-- wp:html --><!-- /wp:html -->')}`, CONTEXT)).toBe(
    `<p>x</p>\n${code}${group('')}`,
  );
  expect(articleHtml(blocks('<!-- wp:freeform -->y<!-- /wp:freeform -->'), CONTEXT)).toBe(
    `${code}${group('<p>y</p>\n')}`,
  );
});
