import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { figuresOf } from '../../bench/figures/figure.ts';
import { type Part, runParts } from '../../bench/figures/parts.ts';
import { temporaryHome } from '../support/temporary-home.ts';

test('a bench that was interrupted continues with the part that was not finished', async () => {
  const folder = await temporaryHome();
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
  const run = (...parts: Part[]) => runParts(folder, parts, async () => undefined);
  await expect(run(part('one, 200'), part('other', true))).rejects.toThrow('interrupted');
  const figures = await run(part('one, 200'), part('other'));
  expect(figures?.map(({ subject }) => subject)).toEqual(['one, 200', 'other']);
  expect(begun).toEqual(['one, 200', 'other', 'other']);

  expect(await run(part('one, 200'))).toBeUndefined();
  await rm(folder, { recursive: true });
  await run(part('one, 200'));
  expect(begun.at(-1)).toBe('one, 200');
});
