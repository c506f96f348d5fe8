import { expect, test } from 'vitest';
import { SharedWork } from './thumbnails.ts';

function begin() {
  const work = new SharedWork<string>();
  const begun: { signal: AbortSignal; finish: (value: string) => void; fail: (error: Error) => void }[] = [];
  const join = (signal = new AbortController().signal) =>
    work.do('key', signal, (inner) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      begun.push({ signal: inner, finish: resolve, fail: reject });
      return promise;
    });
  return { join, begun };
}

test('work that several callers want at the same time is done once', async () => {
  const { join, begun } = begin();
  const both = [join(), join()];
  expect(begun).toHaveLength(1);
  begun[0]?.finish('done');
  expect(await Promise.all(both)).toEqual(['done', 'done']);
  const later = join();
  expect(begun).toHaveLength(2);
  begun[1]?.finish('again');
  expect(await later).toBe('again');
});

test('a failure reaches all who wait, and the next caller starts again', async () => {
  const { join, begun } = begin();
  const both = [join(), join()];
  begun[0]?.fail(new Error('no'));
  for (const one of both) await expect(one).rejects.toThrow('no');
  void join();
  expect(begun).toHaveLength(2);
});

test('a caller who leaves does not disturb the others; the last one to leave ends the work', async () => {
  const { join, begun } = begin();
  const [first, second] = [new AbortController(), new AbortController()];
  const results = [join(first.signal), join(second.signal)];
  first.abort(new Error('left'));
  await expect(results[0]).rejects.toThrow('left');
  expect(begun[0]?.signal.aborted).toBe(false);
  second.abort(new Error('left too'));
  await expect(results[1]).rejects.toThrow('left too');
  expect(begun[0]?.signal.aborted).toBe(true);
  // Aborted work is no caller's result.
  void join();
  expect(begun).toHaveLength(2);
});

test('a caller who left before the start waits for nothing', async () => {
  const { join, begun } = begin();
  await expect(join(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  expect(begun[0]?.signal.aborted).toBe(true);
});
