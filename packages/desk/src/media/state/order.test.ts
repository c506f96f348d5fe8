import { expect, test } from 'vitest';
import type { Entry } from '../api/types.ts';
import { merged, orderOf } from './order.ts';

function entry(name: string, kind: Entry['kind'] = 'file'): Entry {
  return { kind, name, path: name, size: 0, modified: 0, contentType: '' };
}

const names = (entries: readonly Entry[]) => entries.map(({ name }) => name);

test('a page that arrives is put in order with few comparisons, wherever it belongs', () => {
  const order = orderOf('name', false);
  let comparisons = 0;
  const counting: typeof order = (a, b) => {
    comparisons += 1;
    return order(a, b);
  };
  const even = Array.from({ length: 50_000 }, (_, index) => entry(`${2 * index}.txt`));
  const odd = Array.from({ length: 1000 }, (_, index) => entry(`${100 * index + 1}.txt`));
  const all = merged(even, odd, counting);
  expect(all).toHaveLength(51_000);
  expect(names(all)).toEqual(names([...all].sort(order)));
  expect(comparisons).toBeLessThan(20_000);
});

test('folders come before files, and the lists that are joined stay as they were', () => {
  const order = orderOf('name', false);
  const first = [entry('b', 'folder'), entry('a2.txt'), entry('a10.txt')];
  const second = [entry('a', 'folder'), entry('A3.txt')];
  expect(names(merged(first, second, order))).toEqual(['a', 'b', 'a2.txt', 'A3.txt', 'a10.txt']);
  expect(names(merged(first, [], order))).toEqual(['b', 'a2.txt', 'a10.txt']);
  expect(names(merged([], second, order))).toEqual(['a', 'A3.txt']);
  expect(names(first)).toEqual(['b', 'a2.txt', 'a10.txt']);
});
