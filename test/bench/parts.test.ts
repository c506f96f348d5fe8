import { afterEach, expect, test } from 'vitest';
import { forgetParts, runParts } from '../../bench/figures/parts.ts';

const BENCH = 'test-of-parts';

afterEach(() => forgetParts(BENCH));

test('a bench that was interrupted continues with the part that was not finished', async () => {
  const begun: string[] = [];
  const part = (name: string, broken = false) => ({
    name,
    seconds: 1,
    run: async () => {
      begun.push(name);
      if (broken) throw new Error('interrupted');
      return name.length;
    },
  });
  await expect(runParts(BENCH, [part('one, 200'), part('other', true)])).rejects.toThrow('interrupted');
  expect(await runParts(BENCH, [part('one, 200'), part('other')])).toEqual([8, 5]);
  expect(begun).toEqual(['one, 200', 'other', 'other']);

  forgetParts(BENCH);
  await runParts(BENCH, [part('one, 200')]);
  expect(begun.at(-1)).toBe('one, 200');
});
