import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partRanges } from './objects.ts';

const sizes = fc.integer({ min: 1, max: 2 ** 45 });
const partSizes = fc.integer({ min: 2 ** 23, max: 2 ** 32 });

test('the parts of an object cover all its bytes, once and in order', () => {
  fc.assert(
    fc.property(sizes, partSizes, (size, partBytes) => {
      const ranges = partRanges(size, partBytes);
      expect(ranges.length).toBeLessThanOrEqual(10_000);
      const wrong = ranges.filter(({ number, first }, index) => {
        const before = index === 0 ? -1 : ranges[index - 1]?.last;
        return number !== index + 1 || first - 1 !== before;
      });
      expect(wrong).toEqual([]);
      expect(ranges.at(-1)?.last).toBe(size - 1);
    }),
    { numRuns: 50 },
  );
});
