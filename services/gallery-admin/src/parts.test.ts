import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DEFAULT_PART_SIZE,
  MAX_PART_SIZE,
  MAX_PARTS,
  MAX_SIZE,
  MIN_PART_SIZE,
  planParts,
} from './uploads-store.ts';

describe('the parts of an upload', () => {
  test.each([
    [1, DEFAULT_PART_SIZE, DEFAULT_PART_SIZE, 1],
    [DEFAULT_PART_SIZE, DEFAULT_PART_SIZE, DEFAULT_PART_SIZE, 1],
    [DEFAULT_PART_SIZE + 1, DEFAULT_PART_SIZE, DEFAULT_PART_SIZE, 2],
    [MIN_PART_SIZE * MAX_PARTS, MIN_PART_SIZE, MIN_PART_SIZE, MAX_PARTS],
    [MIN_PART_SIZE * MAX_PARTS + 1, MIN_PART_SIZE, MIN_PART_SIZE + 2 ** 20, 8334],
  ])('%i bytes in parts of %i', (size, wanted, partSize, partCount) => {
    expect(planParts(size, wanted)).toEqual({ partSize, partCount });
  });

  test('are never more than 10,000, never smaller than requested, and cover the whole object', () => {
    const size = fc.integer({ min: 1, max: MAX_SIZE });
    const wanted = fc.integer({ min: MIN_PART_SIZE, max: MAX_PART_SIZE });
    fc.assert(
      fc.property(size, wanted, (size, wanted) => {
        const { partSize, partCount } = planParts(size, wanted);
        expect(partCount).toBeLessThanOrEqual(MAX_PARTS);
        expect(partSize).toBeGreaterThanOrEqual(wanted);
        expect(partSize).toBeLessThanOrEqual(MAX_PART_SIZE);
        expect(partSize * partCount).toBeGreaterThanOrEqual(size);
        expect(partSize * (partCount - 1)).toBeLessThan(size);
      }),
    );
  });
});
