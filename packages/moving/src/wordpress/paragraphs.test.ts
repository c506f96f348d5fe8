import fc from 'fast-check';
import { expect, test } from 'vitest';
import { paragraphs } from './html.ts';

test.each([
  ['one', '<p>one</p>\n'],
  ['one\n\ntwo\nthree', '<p>one</p>\n<p>two<br>\nthree</p>\n'],
  ['one\r\n\r\n  \r\ntwo', '<p>one</p>\n<p>two</p>\n'],
  ['one<br />\ntwo', '<p>one<br>\ntwo</p>\n'],
  ['<h2>head</h2>\ntext', '<h2>head</h2><p>text</p>\n'],
  ['<div>one</div>', '<div>one</div>'],
  ['<div>\n\none\n\ntwo</div>', '<div><p>one</p>\n<p>two</p>\n</div>'],
  ['<ul>\n<li>a</li>\n<li>b\n\nc</li>\n</ul>', '<ul>\n<li>a</li>\n<li><p>b</p>\n<p>c</p>\n</li>\n</ul>'],
  ['a\n\n<pre>x\n\ny</pre>\n\nb', '<p>a</p>\n<pre>x\n\ny</pre><p>b</p>\n'],
  ['<p>one\n\ntwo</p>', '<p>one\n\ntwo</p>'],
  ['<blockquote>one\n\ntwo</blockquote>', '<blockquote><p>one</p>\n<p>two</p>\n</blockquote>'],
  ['<address>a</address>', '<address>a</address>'],
  ['', ''],
])('%j becomes %j', (text, html) => {
  expect(paragraphs(text)).toBe(html);
});

test('no text is lost, whatever the tags', () => {
  const part = fc.constantFrom(
    'a',
    'b ',
    '\n',
    '\n\n',
    '<p>',
    '</p>',
    '<div>',
    '</div>',
    '<b>',
    '<pre>',
    '</pre>',
    '<',
    '<td',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const letters = (html: string) => html.replaceAll(/<\/?\w+>/g, '').replaceAll(/\s+/g, '');
      expect(letters(paragraphs(parts.join('')))).toBe(letters(parts.join('')));
    }),
  );
});
