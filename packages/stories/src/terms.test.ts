import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { chineseNumber, marksConflict, readLexicon, termsOf } from './terms.ts';

const lexicon = readLexicon();

function read(title: string) {
  return termsOf({ title, originalTitle: null, summary: null }, lexicon);
}

test.each([
  ['raises $420 million', '完成 4.2 亿美元融资', '#420000000'],
  ['a context of 256,000 tokens', '上下文长度 25.6 万', '#256000'],
  ['hires three thousand', '三千万元', undefined],
  ['the team of twelve', '团队共十二人', '#12'],
  ['quakes in Chile', '智利发生地震', '=earthquake'],
  ['quakes in Chile', '智利发生地震', '=chile'],
])('%s and %s share %s', (english, chinese, term) => {
  const theirs = read(chinese).terms;
  const shared = [...read(english).terms.keys()].filter((key) => theirs.has(key));
  if (term === undefined) expect(shared).toEqual([]);
  else expect(shared).toContain(term);
});

test.each([
  ['Болельщики «Локомотива»', 'Матч с «Локомотивом»'],
  ['Остановка сердца', 'Остановки сердца'],
  ['A policy for stories', 'Two policies, one story'],
  ['Η κυβέρνηση', 'Της κυβέρνησης'],
  ['الحكومة', 'حكومة'],
])('%s and %s share a word', (one, other) => {
  const theirs = read(other).terms;
  expect([...read(one).terms.keys()].filter((key) => theirs.has(key))).not.toEqual([]);
});

test.each([
  ['二十一', 21],
  ['三千万', 30_000_000],
  ['一亿二千万', 120_000_000],
  ['十二', 12],
  ['半', undefined],
])('%s is %s', (text, value) => {
  expect(chineseNumber(text)).toBe(value);
});

test.each([
  ['Lantern 3.1 released', 'Lantern 3.2 发布', true],
  ['Lantern 3.1 released', 'Lantern 3.1 发布', false],
  ['Magnitude 6.4 earthquake', 'Strong quake of 6.5 in Chile', false],
  ['Magnitude 6.4 earthquake', '5.1级地震', true],
  ['A 6.4 magnitude earthquake', 'Quake of magnitude 5.1', true],
  ['Profit in the second quarter', '三季度利润', true],
  ['Alder raises Series B', 'Alder 完成 C 轮融资', true],
  ['AI Index 2025', 'AI Index 2026', true],
  ['Lantern raises 30 million', 'Lantern hires 50', false],
])('%s and %s are told apart: %s', (a, b, conflict) => {
  expect(marksConflict(read(a).marks, read(b).marks)).toBe(conflict);
});

test('a pack of the site adds its own things and further spellings of those that hold everywhere', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pressroom-pack-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const pack = join(folder, 'lisboa.yaml');
  writeFileSync(
    pack,
    'lexicon:\n  places: [Terreiro do Paço | 宫殿广场, Alfama]\n  concepts: ["greve, paralisação, strike"]\n',
  );
  const ofSite = readLexicon(['local', pack]);
  const terms = (title: string) => [
    ...termsOf({ title, originalTitle: null, summary: null }, ofSite).terms.keys(),
  ];
  const strike = ['=strike', '=terreiro do paço'];
  expect(terms('Greve no Terreiro do Paço')).toEqual(expect.arrayContaining(strike));
  expect(terms('宫殿广场罢工')).toEqual(expect.arrayContaining(strike));
  expect(terms('Alfama após a paralisação')).toEqual(expect.arrayContaining(['=alfama', '=strike']));
  expect(terms('智利发生地震')).toContain('=earthquake');
});
