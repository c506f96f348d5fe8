import { once } from 'node:events';
import { expect, test } from 'vitest';
import { atOnce } from './launch.ts';

const never = new AbortController().signal;

/** A part that ends in good order after the signal, with its reason. */
async function patient(signal: AbortSignal, note: (text: string) => void): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
  await Promise.resolve();
  note('ended');
  throw signal.reason;
}

test('the results are in the order of the parts', async () => {
  const late = Promise.withResolvers<string>();
  const results = await atOnce(never, [
    () => late.promise,
    async () => {
      late.resolve('first');
      return 2;
    },
  ]);
  expect(results).toEqual(['first', 2]);
});

test('the first failure ends the others, and is thrown when they have ended', async () => {
  const noted: string[] = [];
  const failing = atOnce(never, [
    (signal) => patient(signal, (text) => noted.push(text)),
    async () => {
      throw new Error('the cause');
    },
  ]);
  await expect(failing).rejects.toThrow('the cause');
  expect(noted).toEqual(['ended']);
});

test('the signal ends all parts', async () => {
  const noted: string[] = [];
  const interrupted = new AbortController();
  const ending = atOnce(interrupted.signal, [
    (signal) => patient(signal, (text) => noted.push(text)),
    (signal) => patient(signal, (text) => noted.push(text)),
  ]);
  interrupted.abort(new Error('Ctrl-C'));
  await expect(ending).rejects.toThrow('Ctrl-C');
  expect(noted).toEqual(['ended', 'ended']);
});
