import { expect, test } from 'vitest';
import { canonicalUrl } from '../fields.ts';
import { articleSpellings, spellingsOf } from './entry-identity.ts';

test.each([
  'https://news.example/a/story',
  'http://m.news.example/a/story/?utm_source=x#top',
  'https://mobile.news.example/a/story',
  'https://amp.news.example/a/story',
  'https://news.example/a/story/amp/',
  'https://news-example.cdn.ampproject.org/c/s/news.example/a/story',
  'https://www.google.com/amp/s/news.example/a/story/amp',
  'https://www.news.example/a/story',
  'https://m.news.example/a/story/amp',
  'https://www.news.example/a/story?amp=1',
  'https://news.example/a/story?amp&utm_source=x',
])('%s is the article of the plain page', (address) => {
  expect(articleSpellings(address)[0]).toBe('news.example/a/story');
});

test.each([
  ['https://m.example/a', 'm.example/a'],
  ['https://amp.dev/', 'amp.dev'],
  ['https://news.example/amp', 'news.example/amp'],
  ['https://news.example/a?b=/amp', 'news.example/a?b=/amp'],
  ['https://example.org/c/s/x', 'example.org/c/s/x'],
  ['https://m.co.uk/a', 'm.co.uk/a'],
  ['https://m.github.io/a', 'm.github.io/a'],
  ['https://news.example/a?champ=1&id=2', 'news.example/a?champ=1&id=2'],
  ['https://news.example/a?amp=2', 'news.example/a?amp=2'],
  ['https://x.cdn.ampproject.org/c/s/a%20b.c/d', 'x.cdn.ampproject.org/c/s/a%20b.c/d'],
  ['https://127.0.0.1:8080/a', '127.0.0.1:8080/a'],
])('%s is nothing but itself', (address, plain) => {
  expect(articleSpellings(address)[0]).toBe(plain);
});

test.each([
  [
    'https://news.example/a/story',
    'https://www.news.example/a/story',
    'https://m.news.example/a/story',
    'https://m.news.example/a/story/amp',
    'https://amp.news.example/a/story?amp=1',
    'https://news-example.cdn.ampproject.org/c/s/news.example/a/story',
    'https://www-news-example.cdn.ampproject.org/c/s/www.news.example/a/story/amp',
    'https://www.google.com/amp/s/www.news.example/a/story/amp',
  ],
  ['https://en.wikipedia.org/wiki/Lantern', 'https://en.m.wikipedia.org/wiki/Lantern'],
  [
    'https://news.example/a?id=1',
    'https://www.news.example/a?id=1&amp=1',
    'https://m.news.example/a/amp?id=1',
  ],
  ['https://my-news.co.uk/a', 'https://my--news-co-uk.cdn.ampproject.org/c/s/my-news.co.uk/a'],
  ['https://news.example:8443/a', 'https://www.news.example:8443/a'],
])('spellings of one article are all found by each other: %s', (...addresses) => {
  for (const known of addresses) {
    for (const address of addresses) {
      expect(articleSpellings(address), `${known} by ${address}`).toContain(canonicalUrl(known));
    }
  }
});

test('an item from before the parameters of single sites were left out is found by its address', () => {
  const spellings = articleSpellings('https://m.nytimes.com/a/?smid=x#top');
  expect(spellings[0]).toBe('nytimes.com/a');
  expect(spellings).toContain('m.nytimes.com/a?smid=x');
  expect(spellings).toContain('www.nytimes.com/a?smid=x');
  expect(spellingsOf({ url: 'https://nytimes.com/a?smid=x', part: 'b' })).toEqual([
    'nytimes.com/a#b',
    'nytimes.com/a?smid=x#b',
  ]);
});

test.each([
  ['https://news.example/', 'https://news.example/amp'],
  ['https://news.example/a?id=1', 'https://news.example/a?id=2'],
  ['https://one.example/a', 'https://two.example/a'],
  ['https://en.wikipedia.org/wiki/A', 'https://de.m.wikipedia.org/wiki/A'],
])('%s is another article than %s', (one, other) => {
  const spellings = new Set(articleSpellings(one));
  expect(articleSpellings(other).filter((spelling) => spellings.has(spelling))).toEqual([]);
});
