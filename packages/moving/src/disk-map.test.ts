import { expect, test } from 'vitest';
import { DiskMap } from './source-entry.ts';

test('a key has its values in the order in which they were added', () => {
  const map = new DiskMap<string | { n: number }>();
  for (const value of ['b', 'a', { n: 1 }]) map.add('some', value);
  map.add('', '\u2028 "');
  expect([map.all('some'), map.get(''), map.get('none'), map.has('none'), map.size]).toEqual([
    ['b', 'a', { n: 1 }],
    '\u2028 "',
    undefined,
    false,
    4,
  ]);
  expect([...map.values()]).toEqual(['b', 'a', { n: 1 }, '\u2028 "']);
});
