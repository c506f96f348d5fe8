import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeDocument } from '@pressroom/common/html/decode';
import { canonicalUrl } from '@pressroom/news-feed/fields';
import { readPage } from '@pressroom/news-feed/reading/page';
import { parseFeed } from '@pressroom/news-feed/reading/parse-feed';
import { partsOf } from '@pressroom/news-feed/work/entries';
import { expect, test } from 'vitest';
import { realFile } from '../../support/real-data.ts';

/** A feed whose HTML is escaped twice, so that its tags are words. */
const TWICE = 'reddit-atom.rss';

/** A page that is not a feed. */
const REASONS: Record<string, RegExp> = { 'unrecognized.rss': /not a feed/ };

test('every real feed parses, or fails with its reason', () => {
  const folder = realFile('feeds');
  const files = readdirSync(folder);
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const read = () =>
      parseFeed(decodeDocument(readFileSync(join(folder, file)), undefined), 'https://feed.example/');
    const reason = REASONS[file];
    if (reason !== undefined) {
      expect(read, file).toThrow(reason);
      continue;
    }
    const { entries, unusable } = read();
    expect(entries.length + unusable > 0, file).toBe(true);
    if (file === TWICE) continue;
    for (const { title, summary, url } of entries) {
      expect(`${title}${summary ?? ''}`, file).not.toMatch(
        /<\/?(p|a|div|br|img|b|i)\b|&(amp|lt|nbsp|#\d+);|\ufffd/i,
      );
      expect(url, file).toMatch(/^https?:\/\//);
    }
  }
});

/** Reads a feed that strangers have given the newsroom. */
function strangersFeed(name: string) {
  const bytes = readFileSync(realFile('cases', 'news', name));
  return parseFeed(decodeDocument(bytes, undefined), 'https://feed.example/').entries;
}

test('sentences do not end after abbreviations, and summaries say nothing but what is reported', () => {
  for (const { title, summary } of strangersFeed('06-titleless-abbreviations.xml')) {
    expect([...title.matchAll(/\S{3,}/g)].length, title).toBeGreaterThan(2);
    expect(summary?.startsWith(`${title} `), title).toBe(true);
  }
  expect(strangersFeed('09-read-more-boilerplate.xml').map(({ summary }) => summary)).toEqual([
    'The bridge will open in May.',
    'The tram line was approved on Monday…',
    'Short lead.',
    null,
    null,
    'Lead sentence here.',
    '新桥今日通车。',
    'Die Brücke öffnet im Mai.',
    'Mr. Smith of the U.S. Dept. of Tides met Dr. No. They spoke. It was long.',
  ]);
  const page = {
    body: readFileSync(realFile('cases', 'news', '11-consent-page.html')),
    contentType: undefined,
  };
  const read = readPage({ ...page, url: 'https://paper.example/bridge' });
  expect(read?.summary).toMatch(/^(?:Bridge )?The council of Tavira voted/);
  expect(read?.text).not.toMatch(/privacy|partners|cookies/);
});

test('dates of every usual form are read, and pixels are no pictures', () => {
  const undated = strangersFeed('08-dates.xml').filter(({ publishedAt }) => publishedAt === null);
  expect(undated.map(({ title }) => title.replace('Date form ', ''))).toEqual([
    'zero',
    'neg',
    'missing',
    'empty',
  ]);
  const pictures = strangersFeed('13-images-pixel.xml').flatMap(({ image }) => image?.url ?? []);
  expect(pictures).toEqual(['https://im.example/e.jpg', 'https://im.example/img/a.webp']);
});

test('addresses with and without what feeds add to them are one', () => {
  const urlsOf = (name: string) => strangersFeed(name).map(({ url }) => canonicalUrl(url));
  expect(urlsOf('14-tracking-a.xml')).toEqual(urlsOf('14-tracking-b.xml'));
});

test('entries that share a page or an id stay apart', () => {
  expect(partsOf(strangersFeed('03-anchor-links.atom.xml'), 'https://feed.example/').size).toBe(2);
  const keys = strangersFeed('05-same-guid.xml').map(({ key }) => key);
  expect(new Set(keys).size).toBe(10);
});
