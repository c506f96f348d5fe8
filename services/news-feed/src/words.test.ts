import { expect, test } from 'vitest';
import { dateIn, wordsIn } from './words.ts';

const DATE = '2026-11-20';

test.each([
  [undefined, 'Daily report of 2026-11-20'],
  ['en-GB', 'Daily report of 2026-11-20'],
  ['pt-PT', 'Resumo diário de 20 de novembro de 2026'],
  ['es-419', 'Resumen diario del 20 de noviembre de 2026'],
  ['de', 'Tagesbericht vom 20. November 2026'],
  ['fr-CA', 'Bulletin quotidien du 20 novembre 2026'],
  ['ja', '2026年11月20日の日報'],
  ['zh-CN', '2026年11月20日日报'],
  // In other characters than these.
  ['zh-Hant-HK', 'Daily report of 2026-11-20'],
  ['it', 'Daily report of 2026-11-20'],
])('%s reads %s', (tag, heading) => {
  const words = wordsIn(tag);
  expect(words.reportOf(words.report.daily, dateIn(tag, DATE))).toBe(heading);
});
