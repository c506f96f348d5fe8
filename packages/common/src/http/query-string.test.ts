import fc from 'fast-check';
import { expect, test } from 'vitest';
import { queryStringReader } from './query-string.ts';

test('whatever was read before, a query string has the parameters that are in it', () => {
  const name = fc.constantFrom('page', 'q', 'é');
  const value = fc.oneof(fc.constantFrom('', '1', 'a b', 'a+b', '%', '&='), fc.string({ unit: 'grapheme' }));
  const parameters = fc.array(fc.tuple(name, value), { maxLength: 4 });
  fc.assert(
    fc.property(fc.array(parameters), (queries) => {
      const read = queryStringReader();
      for (const query of queries) {
        const expected = query.map(([key]) => [
          key,
          query.filter(([other]) => other === key).map(([, v]) => v),
        ]);
        const found = Object.entries(read(new URLSearchParams(query).toString()));
        const lists = found.map(([key, values]) => [key, [values].flat()]);
        expect(Object.fromEntries(lists)).toEqual(Object.fromEntries(expected));
      }
    }),
  );
});

test('what is read for one request cannot be changed under the next', () => {
  const read = queryStringReader();
  expect(() => Object.assign(read('page=1'), { page: '2' })).toThrow(TypeError);
  expect(read('page=1')).toEqual({ page: '1' });
});
