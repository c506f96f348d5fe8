import { fullFormats } from 'ajv-formats/dist/formats.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWebUri } from './fields.ts';

/** The check of `format: uri` in the tests of the description. */
const uri = fullFormats.uri as (text: string) => boolean;

test.each([
  'https://example.com',
  'http://example.com:8080/a/b?c=d&e=%20#f',
  'HTTPS://EXAMPLE.COM/',
  "https://example.com/a;b=c,d/(e)'!*",
  'https://[2001:db8::1]:443/x',
])('%s is a URI', (text) => expect(isWebUri(text)).toBe(true));

test.each([
  'ftp://example.com/',
  'https://user:word@example.com/',
  'https://user@example.com/',
  'https://@example.com/',
  '//example.com/',
  'https://',
  'https:///a',
  'https://example.com/新闻',
  'https://例子.中国/',
  'https://example.com/a b',
  'https://example.com/%zz',
  'https://example.com/a|b',
  'https://example.com/{a}',
  'https://example.com/[a]',
  'https://example.com/#a#b',
  'https://[::zz]/',
  'https://example.com/\n',
])('%j is not', (text) => expect(isWebUri(text)).toBe(false));

test('the format accepts every URI that we accept', () => {
  const text = fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc
      .string({ unit: fc.constantFrom(...'abz09:/?#[]@!$&\'()*+,;=-._~%2"<>\\^`{|}é ') })
      .map((s) => `http://a${s}`),
  );
  fc.assert(
    fc.property(text, (value) => {
      if (isWebUri(value)) expect(uri(value)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
