import { expect, test } from 'vitest';
import { decodeKey, unquoted } from './object-page.ts';

test.each([
  ['a+b', 'a b'],
  ['a%20b', 'a b'],
  ['a%2Bb', 'a+b'],
  ['a%2520b', 'a%20b'],
  ['100%25', '100%'],
  ['%C3%BC%2F%E6%97%A5%E6%9C%AC', 'ü/日本'],
  ['%01', '\u0001'],
])('%j is decoded once, to %j', (encoded, key) => {
  expect(decodeKey(encoded)).toBe(key);
});

test('an entity tag loses its quotes and nothing else', () => {
  expect([unquoted('"abc-2"'), unquoted('abc'), unquoted('')]).toEqual(['abc-2', 'abc', '']);
});
