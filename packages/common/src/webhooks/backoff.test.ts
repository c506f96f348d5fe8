import { expect, test } from 'vitest';
import { backoffMs } from './webhook-sender.ts';

test('pauses grow from 5 s to an hour, and end after three days', () => {
  const pauses: number[] = [];
  for (let pause = backoffMs(1); pause !== undefined; pause = backoffMs(pauses.length + 1))
    pauses.push(pause);
  expect(pauses.slice(0, 7)).toEqual([5000, 20_000, 80_000, 320_000, 1_280_000, 3_600_000, 3_600_000]);
  const days = pauses.reduce((sum, pause) => sum + pause) / 86_400_000;
  expect(days).toBeGreaterThanOrEqual(3);
  expect(days).toBeLessThan(3.05);
});
