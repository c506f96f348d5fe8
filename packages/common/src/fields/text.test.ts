import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { anyText, codePoints, onOneLine, requiredText, text, webUrl } from './fields.ts';

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
  'https://例え.jp/',
  'https://example.com/ニュース',
  'https://example.com/"onerror="alert(1)',
  'https://example.com/\u202egnp.exe',
  'https://user:word@example.com/',
  'https://bank.example@example.com/',
  'https://@example.com/',
])('%j is not a web address', (value) => {
  expect(codesOf(webUrl(100), value)).toEqual(['invalid_format']);
});

test('a web address that is too long is reported as such', () => {
  expect(codesOf(webUrl(30), `https://example.com/${'a'.repeat(20)}`)).toEqual(['too_long']);
});

test('the message about a web address says what to change', () => {
  const messageOf = (value: string) => webUrl(100).safeParse(value).error?.issues[0]?.message;
  expect(messageOf('//example.com')).toBe('must be an absolute http or https URL');
  expect(messageOf('https://a:b@example.com')).toBe('must not contain a user name or password');
  expect(messageOf('https://example.com/é')).toContain('percent-encode');
});

test.each(['one\ntwo', 'one\r', 'one\u2028two', 'one\u0085', 'tab\t', 'a\u202eb', 'a\u2066b'])(
  '%j is not on one line',
  (value) => expect(codesOf(onOneLine(requiredText(20)), value)).toEqual(['invalid_characters']),
);

test.each(['שלום\u200f!', 'نیم\u200cفاصله', '👩\u200d🚀', 'soft\u00adhyphen'])('%j is', (value) => {
  expect(onOneLine(requiredText(20)).parse(value)).toBe(value);
});
