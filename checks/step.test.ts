import { expect, test } from 'vitest';
import { runSteps } from './step.ts';

test('every step runs and is reported, even if others fail', async () => {
  const lines: string[] = [];
  const tally = await runSteps(
    [
      { name: 'throws', run: () => Promise.reject(new Error('no such file')) },
      { name: 'finds', run: async () => ['a.ts: wrong', 'b.ts: wrong'] },
      { name: 'passes', run: async () => [] },
    ],
    (line) => lines.push(line),
  );
  expect(tally).toEqual({ passed: 1, failed: 2 });
  expect(lines).toEqual([
    'FAIL  throws',
    '      Error: no such file',
    'FAIL  finds',
    '      a.ts: wrong',
    '      b.ts: wrong',
    'pass  passes',
  ]);
});
