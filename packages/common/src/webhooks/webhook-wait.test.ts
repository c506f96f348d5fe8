import { expect, test } from 'vitest';
import { webhookWait } from './webhook-sender.ts';

test('waits grow from 5 s to an hour, and end after three days', () => {
  const waits: number[] = [];
  for (let wait = webhookWait(1); wait !== undefined; wait = webhookWait(waits.length + 1)) waits.push(wait);
  expect(waits.slice(0, 7)).toEqual([5, 20, 80, 320, 1280, 3600, 3600]);
  const days = waits.reduce((sum, wait) => sum + wait) / 86_400;
  expect(days).toBeGreaterThanOrEqual(3);
  expect(days).toBeLessThan(3.05);
});
