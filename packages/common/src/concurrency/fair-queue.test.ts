import { expect, test } from 'vitest';
import { Failure } from '../failures/failure.ts';
import { FairQueue, type FairQueueLimits } from './fair-queue.ts';

/** A queue whose work ends when the test says so. */
function heldQueue(limits: FairQueueLimits) {
  const queue = new FairQueue(limits);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const add = (owner: string) =>
    queue.run(owner, () => {
      started.push(owner);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const endOne = async () => {
    // Added work has started by the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { add, endOne, started };
}

test('the owner served least comes first, however many pieces others have queued', async () => {
  const { add, endOne, started } = heldQueue({ places: 1, rememberMs: 60_000 });
  for (const owner of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) void add(owner);
  for (let i = 0; i < 4; i += 1) await endOne();
  void add('d');
  for (let i = 0; i < 4; i += 1) await endOne();
  expect(started).toEqual(['a', 'b', 'c', 'a', 'b', 'd', 'a', 'a']);
});

test('at most the given number of pieces run at a time, and a failure does not stop the queue', async () => {
  const queue = new FairQueue({ places: 2 });
  let running = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    throw new Error('failed');
  };
  const results = await Promise.allSettled(Array.from({ length: 6 }, () => queue.run('a', work)));
  expect(results.map(({ status }) => status)).toEqual(Array(6).fill('rejected'));
  expect(most).toBe(2);
  await expect(queue.run('a', async () => 'done')).resolves.toBe('done');
});

test('when the queue is full, work is refused without being started, but another owner still gets a turn', async () => {
  const { add, endOne, started } = heldQueue({
    places: 1,
    waiting: { pieces: 2, owners: 1, refusal: 'full' },
  });
  for (const owner of ['a', 'a', 'a']) void add(owner);
  await expect(add('a')).rejects.toThrow(Failure);
  void add('b');
  await expect(add('c')).rejects.toMatchObject({ kind: 'unavailable' });
  for (let i = 0; i < 4; i += 1) await endOne();
  expect(started).toEqual(['a', 'b', 'a', 'a']);
});

test('owners who are not remembered take turns, and new ones pass those who wait only once', async () => {
  const { add, endOne, started } = heldQueue({ places: 1 });
  for (const owner of ['a', 'a', 'a', 'b']) void add(owner);
  for (const owner of ['c', 'd', 'e', 'f', 'g']) {
    await endOne();
    void add(owner);
  }
  for (let i = 0; i < 4; i += 1) await endOne();
  expect(started).toHaveLength(9);
  expect(started.slice(0, 2)).toEqual(['a', 'b']);
  expect(started.indexOf('a', 1)).toBeLessThan(5);
  expect(started.lastIndexOf('a')).toBeLessThan(9);
});

test('one owner has no more than its share of what may wait', async () => {
  const waiting = { pieces: 4, piecesOfOne: 2, owners: 1, refusal: 'full' };
  const { add, endOne, started } = heldQueue({ places: 1, waiting });
  for (const owner of ['a', 'a', 'a']) void add(owner);
  await expect(add('a')).rejects.toMatchObject({ kind: 'unavailable' });
  for (const owner of ['b', 'b']) void add(owner);
  for (let i = 0; i < 5; i += 1) await endOne();
  expect(started).toEqual(['a', 'b', 'a', 'b', 'a']);
});
