import { expect, test } from 'vitest';
import { BackgroundLoop } from './background-loop.ts';

/** A loop whose work ends when the test says so. */
function heldLoop(firstInMs?: number) {
  const begun: ((restMs: number) => void)[] = [];
  const awaited: (() => void)[] = [];
  const loop = new BackgroundLoop(() => {
    const { promise, resolve } = Promise.withResolvers<number>();
    begun.push(resolve);
    for (const tell of awaited.splice(0)) tell();
    return promise;
  }, firstInMs);
  /** Resolves when the work has begun so many times, with what ends it. */
  const beginning = async (times: number) => {
    while (begun.length < times) await new Promise<void>((resolve) => awaited.push(resolve));
    return (restMs: number) => begun[times - 1]?.(restMs);
  };
  return { loop, begun, beginning };
}

/** Everything that is under way and waits for no timer has happened by then. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('rests for as long as the work says', async () => {
  const { loop, begun, beginning } = heldLoop();
  (await beginning(1))(1);
  (await beginning(2))(Infinity);
  await settled();
  expect(begun).toHaveLength(2);
  await loop.stop();
});

test('begins when it is woken, also before the first time that it named', async () => {
  const { loop, begun, beginning } = heldLoop(Infinity);
  await settled();
  expect(begun).toHaveLength(0);
  loop.wake();
  (await beginning(1))(Infinity);
  await settled();
  loop.wake();
  (await beginning(2))(Infinity);
  await loop.stop();
});

test('works once more when it is woken during the work, however often', async () => {
  const { loop, begun, beginning } = heldLoop();
  const end = await beginning(1);
  loop.wake();
  loop.wake();
  await settled();
  expect(begun).toHaveLength(1);
  end(Infinity);
  (await beginning(2))(Infinity);
  await settled();
  expect(begun).toHaveLength(2);
  await loop.stop();
});

test('gathers the calls of a while, and works once for them', async () => {
  const { loop, begun, beginning } = heldLoop();
  const end = await beginning(1);
  loop.wakeIn(1);
  loop.wakeIn(1);
  end(Infinity);
  (await beginning(2))(Infinity);
  await settled();
  expect(begun).toHaveLength(2);
  loop.wakeIn(1);
  (await beginning(3))(Infinity);
  loop.wakeIn(1_000_000);
  await loop.stop();
});

test('does not miss a call between the end of the work and the rest', async () => {
  const { loop, beginning } = heldLoop();
  const end = await beginning(1);
  end(Infinity);
  loop.wake();
  (await beginning(2))(Infinity);
  await Promise.resolve();
  loop.wake();
  (await beginning(3))(Infinity);
  await loop.stop();
});

test('takes a time that has passed, and one that never comes', async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  process.on('warning', warned);
  const { loop, begun, beginning } = heldLoop(-1);
  (await beginning(1))(-1);
  (await beginning(2))(Infinity);
  await settled();
  process.off('warning', warned);
  expect(begun).toHaveLength(2);
  // Node warns of times that its timers do not take, and lets 1 ms pass instead.
  expect(warnings).toEqual([]);
  await loop.stop();
});

test('stops in the rest, and does not begin again', async () => {
  const { loop, begun, beginning } = heldLoop();
  (await beginning(1))(Infinity);
  await settled();
  await loop.stop();
  loop.wake();
  await settled();
  expect(begun).toHaveLength(1);
});

test('stops before the first time', async () => {
  const { loop, begun } = heldLoop(Infinity);
  await loop.stop();
  expect(begun).toHaveLength(0);
});

test('tells the work to stop, and waits for it', async () => {
  const { promise: signal, resolve: begin } = Promise.withResolvers<AbortSignal>();
  const { promise: work, resolve: end } = Promise.withResolvers<number>();
  let times = 0;
  const loop = new BackgroundLoop((given) => {
    times += 1;
    begin(given);
    return work;
  });
  const given = await signal;
  expect(given.aborted).toBe(false);
  let isStopped = false;
  const stopped = loop.stop().then(() => {
    isStopped = true;
  });
  expect(given.aborted).toBe(true);
  await settled();
  expect(isStopped).toBe(false);
  end(Infinity);
  await stopped;
  expect(times).toBe(1);
});
