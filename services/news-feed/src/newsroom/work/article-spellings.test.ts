import { expect, test } from 'vitest';
import { articleSpellings } from './article-spellings.ts';

test.each([
  'https://news.example/a/story',
  'http://m.news.example/a/story/?utm_source=x#top',
  'https://mobile.news.example/a/story',
  'https://amp.news.example/a/story',
  'https://news.example/a/story/amp/',
  'https://news-example.cdn.ampproject.org/c/s/news.example/a/story',
  'https://www.google.com/amp/s/news.example/a/story/amp',
])('%s is the article of the plain page', (address) => {
  expect(articleSpellings(address)[0]).toBe('news.example/a/story');
});

test.each([
  ['https://m.example/a', 'm.example/a'],
  ['https://amp.dev/', 'amp.dev'],
  ['https://news.example/amp', 'news.example/amp'],
  ['https://news.example/a?b=/amp', 'news.example/a?b=/amp'],
  ['https://example.org/c/s/x', 'example.org/c/s/x'],
])('%s is nothing but itself', (address, plain) => {
  expect(articleSpellings(address)[0]).toBe(plain);
});
