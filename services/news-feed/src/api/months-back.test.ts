import { expect, test } from 'vitest';
import { monthsBack } from './archive-store.ts';

const at = (text: string) => new Date(text);

test('months are named newest step first, twice as many each time, without a gap', () => {
  const steps = [...monthsBack(at('2026-01-31T23:59:59.999Z'), at('2026-11-01T00:00:00Z'))];
  expect(steps.map(({ names }) => names.join(' '))).toEqual([
    '202611',
    '202609 202610',
    '202605 202606 202607 202608',
    '202601 202602 202603 202604',
  ]);
  expect(steps.at(0)).toMatchObject({
    from: at('2026-11-01T00:00:00Z'),
    through: at('2026-11-30T23:59:59.999Z'),
  });
  expect(steps.at(1)?.through).toEqual(at('2026-10-31T23:59:59.999Z'));
  expect(steps.at(-1)?.from).toEqual(at('2026-01-01T00:00:00Z'));
});

test('one month is one step, also in the first century; nothing ends before it begins', () => {
  expect([...monthsBack(at('0033-04-03T00:00:00Z'), at('0033-04-30T00:00:00Z'))]).toEqual([
    { names: ['003304'], from: at('0033-04-01T00:00:00Z'), through: at('0033-04-30T23:59:59.999Z') },
  ]);
  expect([...monthsBack(at('2026-12-01T00:00:00Z'), at('2026-11-30T00:00:00Z'))]).toEqual([]);
});
