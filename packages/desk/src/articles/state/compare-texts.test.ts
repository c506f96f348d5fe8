import { JSDOM } from 'jsdom';
import { expect, test } from 'vitest';
import { compareTexts, withPartOf } from './compare-texts.ts';

const { document } = new JSDOM('').window;

const compare = (before: string, now: string) => compareTexts(before, now, document);

test.each([
  ['the same', '<p>a</p><p>b</p>', '<p>a</p><p>b</p>', ['<p>a</p><p>b</p>']],
  [
    'a heading of another level, and a picture',
    '<h2>A</h2><p>a</p><figure><img src="/1.png" alt="One"></figure>',
    '<h3>A</h3><p>a</p><figure><img src="/2.png" alt="One"></figure>',
    [
      { before: '<h2>A</h2>', now: '<h3>A</h3>' },
      '<p>a</p>',
      {
        before: '<figure><img src="/1.png" alt="One"></figure>',
        now: '<figure><img src="/2.png" alt="One"></figure>',
      },
    ],
  ],
  [
    'one gone, one added at the end',
    '<p>a</p><p>b</p><p>c</p>',
    '<p>b</p><p>c</p><p>d</p>',
    [{ before: '<p>a</p>', now: '' }, '<p>b</p><p>c</p>', { before: '', now: '<p>d</p>' }],
  ],
  ['all of it', '<p>a</p>', '', [{ before: '<p>a</p>', now: '' }]],
])('two versions: %s', (_name, before, now, parts) => {
  expect(compare(before, now)).toEqual(parts);
});

test('a part comes back alone, and a line without an element runs into nothing', () => {
  const parts = compare('lone<p>b</p><p>c</p>', '<p>A</p><p>b</p><p>C</p>');
  const texts = parts.flatMap((part) => (typeof part === 'string' ? [] : withPartOf(parts, part)));
  expect(texts).toEqual(['<p>lone</p><p>b</p><p>C</p>', '<p>A</p><p>b</p><p>c</p>']);
});
