import { expect, test } from 'vitest';
import { asHtml, rssTitle, xmlText } from './xml.ts';

test('characters that XML cannot contain are left out, all others stay', () => {
  expect(xmlText('a\u0008b\u001bc\uffffd\ufffee')).toBe('abcde');
  expect(xmlText('tab\tline\r\n中文 \u{1f600} &<>"')).toBe('tab\tline\r\n中文 \u{1f600} &<>"');
});

test('what HTML would take for markup is escaped, in a title only where there is any', () => {
  expect(asHtml('R&D: <b>1 < 2</b>\u0008')).toBe('R&amp;D: &lt;b&gt;1 &lt; 2&lt;/b&gt;');
  expect(rssTitle('R&D: 1 < 2 > 0\u0008')).toBe('R&D: 1 < 2 > 0');
  expect(rssTitle('the <dialog> element')).toBe('the &lt;dialog&gt; element');
  expect(rssTitle('how to write &amp;')).toBe('how to write &amp;amp;');
});
