import { expect, test } from 'vitest';
import { forEachConcurrently, inBatches } from './objects.ts';

async function* numbers(count: number, taken?: { count: number }) {
  for (let i = 0; i < count; i += 1) {
    if (taken) taken.count += 1;
    yield i;
  }
}

test('every item is processed, never more than the limit at a time', async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await forEachConcurrently(numbers(100), 7, async (n) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    done.push(n);
  });
  expect(done.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i));
  expect(most).toBe(7);
});

test('after a failure nothing new starts, and running work ends before the failure is thrown', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const taken = { count: 0 };
  const work = async (n: number) => {
    begun.push(n);
    await new Promise(setImmediate);
    if (n === 1) throw new Error('one');
    await new Promise(setImmediate);
    ended.push(n);
  };
  await expect(forEachConcurrently(numbers(1000, taken), 3, work)).rejects.toThrow('one');
  expect(ended).toEqual(begun.filter((n) => n !== 1));
  expect(taken.count).toBeLessThan(10);
});

test('a failing source is a failure', async () => {
  async function* broken() {
    yield 1;
    throw new Error('source');
  }
  await expect(forEachConcurrently(broken(), 2, async () => undefined)).rejects.toThrow('source');
});

test('batches contain the items in order', async () => {
  const batches: number[][] = [];
  for await (const batch of inBatches(numbers(7), 3)) batches.push(batch);
  expect(batches).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
});
