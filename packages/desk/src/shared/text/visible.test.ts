import { expect, test } from 'vitest';
import { visible, withoutUnseen } from './visible.ts';

test.each([
  ['photo\u202Egpj.exe', 'photo\\u{202E}gpj.exe'],
  ['\u2066a\u2069.txt', '\\u{2066}a\\u{2069}.txt'],
  ['a\u200B\u2060\uFEFFb', 'a\\u{200B}\\u{2060}\\u{FEFF}b'],
  ['pay\u200Dpal', 'pay\\u{200D}pal'],
  ['line\nfeed\u2028\x7F', 'line\\u{A}feed\\u{2028}\\u{7F}'],
  ['soft\u00ADhyphen \u3164', 'soft\\u{AD}hyphen \\u{3164}'],
  ['half \uD800', 'half \\u{D800}'],
  ['tag\u{E0041}', 'tag\\u{E0041}'],
])('%j is shown as %s', (name, shown) => {
  expect(visible(name)).toBe(shown);
  expect(withoutUnseen(name)).toBe(shown.replaceAll(/\\u\{[0-9A-F]+\}/g, ''));
});

test.each([
  'photo 1.jpg',
  'שלום עולם.txt',
  '👩‍👩‍👧‍👦 family 👩🏽‍🚀.jpg',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿.svg',
  'می‌خواهم.pdf',
  'क्‍ष.txt',
  'Új \u00A0 mappa',
  '写真❤️.png',
])('%s is shown as it is', (name) => {
  expect(visible(name)).toBe(name);
});
