import { expect, test } from 'vitest';
import { weighed } from './likeness.ts';
import { sharedWords } from './shared-words.ts';
import { readLexicon, termsOf } from './terms.ts';

const LEXICON = readLexicon();

/** The words of a story of reports with these titles, newest first. */
function wordsOf(...titles: string[]): string[] {
  const publishedAt = new Date('2026-11-20T12:00:00Z');
  const texts = titles.map((title) => ({
    ...termsOf({ title, originalTitle: null, summary: null }, LEXICON),
    publishedAt,
    title: undefined,
  }));
  const reports = weighed(texts, new Map([['open', 500]]), 1000);
  return sharedWords(
    reports.map((report, index) => ({ title: titles[index] ?? '', report })),
    LEXICON,
  );
}

test.each([
  [
    ['Harbour tunnel opens in Lisbon after 12 years', 'Lisbon: a harbour tunnel that took 12 years'],
    ['Lisbon', 'Harbour', 'tunnel', '12', 'years'],
  ],
  [
    ['Lantern 3 is out', 'Lantern 3 arrives'],
    ['Lantern', '3'],
  ],
  [
    ['深中海底隧道今日贯通', '海底隧道贯通,全长七公里'],
    ['海底隧道', '贯通'],
  ],
  [['One report alone'], []],
  [['Ships', 'Trains'], []],
])('the words of %j', (titles, expected) => {
  expect(wordsOf(...titles).toSorted()).toEqual(expected.toSorted());
});
