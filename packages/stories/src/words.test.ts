import { expect, test } from 'vitest';
import { languageOfText, wordsIn } from './words.ts';

test.each([
  [undefined, '3 sources report on it.'],
  ['en-GB', '3 sources report on it.'],
  ['pt-PT', '3 fontes noticiam o assunto.'],
  ['es-419', '3 medios informan de ello.'],
  ['de', '3 Quellen berichten darüber.'],
  ['fr-CA', '3 sources en parlent.'],
  ['ja', '3社が報じています。'],
  ['zh-CN', '共 3 家来源报道。'],
  // In other characters than these.
  ['zh-Hant-HK', '3 sources report on it.'],
  ['it', '3 sources report on it.'],
])('%s reads %s', (tag, reason) => {
  expect(wordsIn(tag).sources(3)).toBe(reason);
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
