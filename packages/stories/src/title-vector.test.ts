import { expect, test } from 'vitest';
import { inBytes, meaningOf, storedTitle, titleVector } from './title-vectors.ts';

const vector = (values: readonly number[], ground = 0.8, model = 'm') => ({
  model,
  values: inBytes(values),
  ground,
});

test('what any two titles have in common says nothing', () => {
  expect(meaningOf(vector([1, 0.75]), vector([0.75, 1]))).toBeCloseTo(0.8, 1);
  expect(meaningOf(vector([1, 0.75], 0.96), vector([0.75, 1], 0.96))).toBeCloseTo(0, 1);
  expect(meaningOf(vector([3, 4]), vector([0.3, 0.4]))).toBeCloseTo(1);
});

test('two models, two lengths, or vectors that are all alike cannot be compared', () => {
  expect(meaningOf(vector([1, 2]), undefined)).toBeNull();
  expect(meaningOf(vector([1, 2]), vector([1, 2], 0.8, 'other'))).toBeNull();
  expect(meaningOf(vector([1, 2]), vector([1, 2, 3]))).toBeNull();
  expect(meaningOf(vector([1, 2], 1), vector([1, 2], 1))).toBeNull();
});

test('a vector is stored in a byte for each number, and read as it was', () => {
  const one = vector([0.5, -0.25, 0.125], 0.75);
  expect(titleVector(storedTitle(one))).toEqual(one);
  expect(storedTitle(one)[1]).toHaveLength(4);
});
