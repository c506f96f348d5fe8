import { expect, test } from 'vitest';
import { unknownFacts } from './model-judge.ts';

test.each([
  ['In 2026 14 people died on May 5 2026.', '14 dead on 5 May 2026', []],
  ['Es kostete 1.234,5 Millionen und 15.300 Stellen.', '1,234.5 million, 15,300 jobs', []],
  ['Cela a coûté 14 000 euros, 2,5 milliards en tout.', '€14,000 of 2.5 billion', []],
  ['花费42亿元，波及1万人。', '4.2 billion for 10,000', []],
  ['Costó 3,3 mil millones.', 'It cost 3.3 billion', []],
  ['Es kostete 15 Millionen.', 'It cost 15 thousand', ['15']],
  ['It left 1,400 dead.', 'It left 14 dead', ['1,400']],
])('of “%s”, “%s” does not have %j', (told, given, unknown) => {
  expect(unknownFacts(told, given)).toEqual(unknown);
});
