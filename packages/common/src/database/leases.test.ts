import { expect, test } from 'vitest';
import { backoffSeconds, backoffUntil } from './leases.ts';

test('each wait is a multiple of the one before, up to the longest', () => {
  const waits = (factor?: number) =>
    [1, 2, 3, 4, 5, 5000].map((failures) =>
      backoffSeconds({ firstSeconds: 5, mostSeconds: 60, factor }, failures),
    );
  expect(waits()).toEqual([5, 10, 20, 40, 60, 60]);
  expect(waits(4)).toEqual([5, 20, 60, 60, 60, 60]);
});

test('the first wait is never longer than the longest', () => {
  expect(backoffSeconds({ firstSeconds: 90, mostSeconds: 60 }, 1)).toBe(60);
});

test('it is given up once the waits together are long enough', () => {
  const given = [1, 2, 3, 4].map((failures) =>
    backoffUntil({ firstSeconds: 10, mostSeconds: 1000 }, 60, failures),
  );
  expect(given).toEqual([10, 20, 40, undefined]);
});
