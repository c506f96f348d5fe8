import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readQueryString } from './request-reading.ts';

test('a query string is parsed into its parameters', () => {
  const name = fc.constantFrom('page', 'q', 'é');
  const value = fc.oneof(fc.constantFrom('', '1', 'a b', 'a+b', '%', '&='), fc.string({ unit: 'grapheme' }));
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 4 }), (query) => {
      const expected = query.map(([key]) => [
        key,
        query.filter(([other]) => other === key).map(([, v]) => v),
      ]);
      const found = Object.entries(readQueryString(new URLSearchParams(query).toString()));
      const lists = found.map(([key, values]) => [key, [values].flat()]);
      expect(Object.fromEntries(lists)).toEqual(Object.fromEntries(expected));
    }),
  );
});
