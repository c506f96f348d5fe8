import { expect, test } from 'vitest';
import { release } from './thumbnails.ts';

test('the memory of an image is freed, and that which it shares with others is not', () => {
  const own = Buffer.allocUnsafeSlow(1000);
  const shared = Buffer.from('a piece of the pool');
  release(own);
  release(shared);
  expect(own).toHaveLength(0);
  expect(shared.toString()).toBe('a piece of the pool');
});
