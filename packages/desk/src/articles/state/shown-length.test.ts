import { expect, test } from 'vitest';
import { shownOf } from './shown-length.ts';

test.each([
  ['A lighthouse', 60, { length: 12, most: 60 }],
  ['灯塔重新点亮', 60, { length: 6, most: 30 }],
  ['长洲 Ferry 停航', 60, { length: 8, most: 30 }],
])('%s is said in its own characters', (text, most, shown) => {
  expect(shownOf(text, most)).toEqual(shown);
});
