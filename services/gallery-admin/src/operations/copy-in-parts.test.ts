import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partRanges } from './copy-in-parts.ts';

test('the parts of an object are all its bytes, once and in order', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2 ** 45 }),
      fc.integer({ min: 2 ** 23, max: 2 ** 32 }),
      (size, part) => {
        const ranges = partRanges(size, part);
        expect(ranges.length).toBeLessThanOrEqual(10_000);
        let next = 0;
        for (const [index, { number, first, last }] of ranges.entries()) {
          expect([number, first]).toEqual([index + 1, next]);
          expect(last).toBeGreaterThanOrEqual(first);
          next = last + 1;
        }
        expect(next).toBe(size);
      },
    ),
    { numRuns: 50 },
  );
});
