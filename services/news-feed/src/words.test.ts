import { expect, test } from 'vitest';
import { dateIn, languageOfText, wordsIn } from './words.ts';

const DATE = '2026-11-20';

test.each([
  [undefined, 'Daily report of 2026-11-20', '3 sources report on it.'],
  ['en-GB', 'Daily report of 2026-11-20', '3 sources report on it.'],
  ['pt-PT', 'Resumo diário de 20 de novembro de 2026', '3 fontes noticiam o assunto.'],
  ['es-419', 'Resumen diario del 20 de noviembre de 2026', '3 medios informan de ello.'],
  ['de', 'Tagesbericht vom 20. November 2026', '3 Quellen berichten darüber.'],
  ['fr-CA', 'Bulletin quotidien du 20 novembre 2026', '3 sources en parlent.'],
  ['ja', '2026年11月20日の日報', '3社が報じています。'],
  ['zh-CN', '2026年11月20日日报', '共 3 家来源报道。'],
  // In other characters than these.
  ['zh-Hant-HK', 'Daily report of 2026-11-20', '3 sources report on it.'],
  ['it', 'Daily report of 2026-11-20', '3 sources report on it.'],
])('%s reads %s', (tag, heading, reason) => {
  const words = wordsIn(tag);
  expect(words.reportOf(words.report.daily, dateIn(tag, DATE))).toBe(heading);
  expect(words.sources(3)).toBe(reason);
});

test('the script of a text says more than its language does', () => {
  expect(['東京の地震', '東京地震', '地震', 'Sismo'].map((text) => languageOfText(text, 'pt'))).toEqual([
    'ja',
    'zh',
    'zh',
    'pt',
  ]);
  expect(languageOfText('東京地震', 'ja')).toBe('ja');
});
