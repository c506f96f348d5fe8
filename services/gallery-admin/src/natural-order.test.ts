import fc from 'fast-check';
import { expect, test } from 'vitest';
import { naturalOrder } from './listing.ts';

const compare = naturalOrder();

test('numbers compare by value, before accents and case', () => {
  expect(['a10', 'B1', 'a2', 'A2', 'a02', 'ä1', 'b1', '10', '9'].sort(compare)).toEqual([
    '9',
    '10',
    'ä1',
    'a02',
    'a2',
    'A2',
    'a10',
    'b1',
    'B1',
  ]);
});

test('different names never compare equal, and the order is antisymmetric', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      expect(compare(a, b) === 0).toBe(a === b);
      expect(Math.sign(compare(a, b))).toBe(-Math.sign(compare(b, a)) || 0);
    }),
  );
});
