import { afterEach, expect, test } from 'vitest';
import { figuresOf } from '../../bench/figures/figure.ts';
import { forgetParts, type Part, runParts } from '../../bench/figures/parts.ts';

const BENCH = 'test-of-parts';

afterEach(() => forgetParts(BENCH));

test('a bench that was interrupted continues with the part that was not finished', async () => {
  const begun: string[] = [];
  const part = (name: string, broken = false): Part => ({
    name,
    seconds: 1,
    run: async () => {
      begun.push(name);
      if (broken) throw new Error('interrupted');
      return [figuresOf(name)('work', 'rate', '/s', 1)];
    },
  });
  const run = (...parts: Part[]) => runParts(BENCH, parts, async () => undefined);
  await expect(run(part('one, 200'), part('other', true))).rejects.toThrow('interrupted');
  const figures = await run(part('one, 200'), part('other'));
  expect(figures.map(({ subject }) => subject)).toEqual(['one, 200', 'other']);
  expect(begun).toEqual(['one, 200', 'other', 'other']);

  forgetParts(BENCH);
  await run(part('one, 200'));
  expect(begun.at(-1)).toBe('one, 200');
});
