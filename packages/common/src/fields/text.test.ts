import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { anyText, codePoints, requiredText, text, webUrl } from './text.ts';

/** The codes of the errors that `schema` finds in `value`. */
function codesOf(schema: z.ZodType, value: unknown): unknown[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map((issue) => ('params' in issue ? issue.params?.code : issue.code));
}

test.each([
  ['', 0],
  ['abc', 3],
  ['été', 3],
  ['🗞️', 2],
  ['👨‍👩‍👧', 5],
  ['新聞', 2],
  ['\ud83d', 1],
])('%j has %i code points', (value, count) => {
  expect(codePoints(value)).toBe(count);
});

test('text within the limit is kept as sent, and one code point more is too long', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      fc.pre(!value.includes('\0'));
      expect(text(codePoints(value)).parse(value)).toBe(value);
      expect(codesOf(text(codePoints(value)), `${value}🗞`)).toEqual(['too_long']);
    }),
  );
});

test.each(['a\0b', '\ud83d', 'a\udc00b'])('%j cannot be stored as text', (value) => {
  expect(codesOf(anyText(), value)).toEqual(['invalid_characters']);
  expect(codesOf(text(10), value)).toEqual(['invalid_characters']);
});

test.each(['', ' ', '\n\t', '\u00a0', '\u3000'])('%j is empty where text is required', (value) => {
  expect(codesOf(requiredText(10), value)).toEqual(['required']);
  expect(codesOf(text(10), value)).toEqual([]);
});

test('all errors of a text are found at once', () => {
  expect(codesOf(requiredText(2), ' \0 ')).toEqual(['invalid_characters', 'too_long', 'required']);
});

test.each([1, null, undefined, ['a'], {}])('%j is not text', (value) => {
  expect(codesOf(text(10), value)).toEqual(['invalid_type']);
});

test.each([
  'https://example.com',
  'HTTP://EXAMPLE.COM/A?b=c#d',
  'http://[::1]:8080/',
  'https://例え.jp/ニュース',
  'https://example.com/%20',
])('%s is a web address and is kept as written', (value) => {
  expect(webUrl(100).parse(value)).toBe(value);
});

test.each([
  '',
  'example.com',
  '//example.com',
  '/path',
  'https:example.com',
  'https:/example.com',
  'https://',
  ' https://example.com',
  'https://example.com ',
  'https://exa\nmple.com',
  'https://example.com/a b',
  'https://example.com/\u0001',
  'javascript:alert(1)//https://example.com',
  'data:text/html,https://example.com',
  'ftp://example.com',
])('%j is not a web address', (value) => {
  expect(codesOf(webUrl(100), value)).toEqual(['invalid_format']);
});

test('a web address that is too long is reported as such', () => {
  expect(codesOf(webUrl(30), `https://example.com/${'a'.repeat(20)}`)).toEqual(['too_long']);
});
