import { expect, test } from 'vitest';
import { asWritten, foldText, formsOf, searchTerms } from './search-text.ts';

test.each([
  ['Café CRÈME', 'cafe creme'],
  ['cafe\u0301', 'cafe'],
  ['Łódź, Ærø, Œuvre, þing, Straße', 'lodz, aero, oeuvre, thing, strasse'],
  ['İstanbul ışık IŞIK', 'istanbul isik isik'],
  ['Ἀθήνα ΟΔΟΣ', 'αθηνα οδοσ'],
  ['Ёлка и Йод', 'елка и йод'],
  ['don’t “do” ‚it‘ `now´ 5″', 'dont do it now 5'],
  ['COVID‑19 — 2020–21', 'covid-19 - 2020-21'],
  ['Donau\u00addampf\u200bschiff', 'donaudampfschiff'],
  ['مَرْحَبًا أحمد إلى مكتبة', 'مرحبا احمد الي مكتبه'],
  ['کتاب می\u200cخواهم ۱۲۳', 'كتاب ميخواهم 123'],
  ['שָׁלוֹם צה״ל', 'שלום צהל'],
  ['臺灣國語資訊', '台湾国语资讯'],
  ['ＦＵＬＬ\u3000width', 'full width'],
  // Signs of vowels and sounds are letters where texts are never written without them.
  ['ぱぱ はは', 'ぱぱ はは'],
  ['हिन्दी ความสุข 한국어', 'हिन्दी ความสุข 한국어'],
])('%j is compared as %j', (text, expected) => {
  expect(foldText(text)).toBe(expected);
  expect(foldText(expected)).toBe(expected);
});

test.each([
  ['winter beets winter', ['winter', 'beets']],
  ['"winter  beets" soup', ['winter beets', 'soup']],
  ['“Winter beets” «soup»', ['winter beets', 'soup']],
  ['"winter beets', ['winter', 'beets']],
  ['צה"ל 5" pipe', ['צהל', '5', 'pipe']],
  [`'' "" \u00ad`, []],
])('%j has the terms %j', (query, expected) => {
  expect(searchTerms(query).map(({ folded }) => folded)).toEqual(expected);
});

test('a letter with more marks than any script has is soon folded', () => {
  const stacked = `a${'\u0301'.repeat(100_000)}${'\u0323'.repeat(100_000)} b`;
  expect(foldText(stacked)).toBe('a b');
  expect(formsOf(asWritten(stacked))).toMatch(/^á\u0301{29}\na$/);
});

test('the forms of a text are the words that folding changes', () => {
  expect(formsOf(asWritten('A cafe and a Café, a crème: it’s'))).toBe("café crème it's\ncreme its");
  expect(formsOf('Nothing of the kind')).toBe('');
});
