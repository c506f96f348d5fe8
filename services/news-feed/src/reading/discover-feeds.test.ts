import { expect, test } from 'vitest';
import { discoverFeeds } from './sitemap.ts';

const PAGE = 'https://news.example/section/page';

test('a page names its feeds in its own order, each once and absolute', () => {
  const html = `<!doctype html><head>
    <link rel="alternate stylesheet" href="/style.css" type="text/css">
    <LINK REL="Alternate" TYPE="application/rss+xml; charset=utf-8" HREF="rss?a=1&amp;b=2">
    <link rel="feed alternate" type=" Application/Atom+XML " href="/atom">
    <link rel="alternate" type="application/rss+xml" href="rss?a=1&b=2">
    <link rel="alternate" type="application/feed+json" href="https://other.example/feed.json">
    <link rel="alternate" type="application/rss+xml" href="https://[">
    <link rel="alternate" type="application/rss+xml">
    <!-- <link rel="alternate" type="application/rss+xml" href="/commented"> -->`;
  expect(discoverFeeds(html, PAGE)).toEqual([
    'https://news.example/section/rss?a=1&b=2',
    'https://news.example/atom',
    'https://other.example/feed.json',
  ]);
});

test('the addresses are those of the page’s base, if it has one', () => {
  const html = '<base href="/feeds/"><base href="/no/"><link rel=alternate type=application/rss+xml href=a>';
  expect(discoverFeeds(html, PAGE)).toEqual(['https://news.example/feeds/a']);
  expect(discoverFeeds(html.replace('/feeds/', 'https://['), PAGE)).toEqual([
    'https://news.example/section/a',
  ]);
});

test('a page that is nested without end is read from its beginning', () => {
  const link = '<link rel=alternate type=application/rss+xml href=/feed>';
  expect(discoverFeeds(`${link}${'<div>'.repeat(390_000)}`, PAGE)).toEqual(['https://news.example/feed']);
  expect(discoverFeeds(`${'<b><i>'.repeat(200_000)}${link}`, PAGE)).toEqual([]);
});
