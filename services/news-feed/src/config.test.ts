import { expect, test } from 'vitest';
import { readNewsFeedConfig, readVocabulary } from './config.ts';

const DATABASE_URL = 'postgres://localhost/db';

test('links point to the port of the service unless SITE_URL names a site', () => {
  expect(readNewsFeedConfig({ DATABASE_URL }).SITE_URL).toBe('http://localhost:4001');
  expect(readNewsFeedConfig({ DATABASE_URL, NEWS_FEED_PORT: '5001' }).SITE_URL).toBe('http://localhost:5001');
  const named = { DATABASE_URL, NEWS_FEED_PORT: '5001', SITE_URL: 'https://news.example/' };
  expect(readNewsFeedConfig(named).SITE_URL).toBe('https://news.example');
});

test('a category is called in words, or as its label says, in any script', () => {
  const { categories, labels } = readVocabulary({
    NEWS_CATEGORIES: 'policy-standard, ai-models=AI models,finance=财经 · 市场',
    NEWS_DIRECTIONS: 'domestic=国内,overseas',
  });
  expect(categories).toEqual(['policy-standard', 'ai-models', 'finance']);
  expect([...labels.category.values()]).toEqual(['Policy standard', 'AI models', '财经 · 市场']);
  expect([...labels.direction.values()]).toEqual(['国内', 'Overseas']);
  for (const NEWS_CATEGORIES of ['a=', 'a=b=c', 'a=A,a=B', 'A=a', 'a=\u202eb']) {
    expect(() => readVocabulary({ NEWS_CATEGORIES })).toThrow('NEWS_CATEGORIES');
  }
});

test('days are those of a zone with its summer time, not of an offset or an unknown name', () => {
  expect(readVocabulary({ NEWS_REPORT_TIMEZONE: 'Europe/Lisbon' }).calendar.zone).toBe('Europe/Lisbon');
  const SITE_TIMEZONE = 'Asia/Tokyo';
  expect(readVocabulary({ SITE_TIMEZONE }).calendar.zone).toBe(SITE_TIMEZONE);
  expect(readVocabulary({ SITE_TIMEZONE, NEWS_REPORT_TIMEZONE: 'Etc/UTC' }).calendar.zone).toBe('Etc/UTC');
  expect(readVocabulary({}).calendar.zone).toBe('Asia/Shanghai');
  for (const NEWS_REPORT_TIMEZONE of ['+01:00', 'Europe/Lisboa', 'Europe/Lisbon ']) {
    expect(() => readVocabulary({ NEWS_REPORT_TIMEZONE }), NEWS_REPORT_TIMEZONE).toThrow(
      'NEWS_REPORT_TIMEZONE',
    );
  }
  expect(() => readVocabulary({ NEWS_REPORT_HOUR: '24' })).toThrow('NEWS_REPORT_HOUR');
});

test('paths of pages on the site name what they show, and those of stories end in the id', () => {
  const read = (settings: Record<string, string>) => readNewsFeedConfig({ DATABASE_URL, ...settings });
  expect(read({ SITE_STORY_PATH: '/story/{id}', SITE_DAILY_PATH: '/daily/{date}/' })).toMatchObject({
    SITE_ITEM_PATH: '/items/{id}',
    SITE_STORY_PATH: '/story/{id}',
    SITE_DAILY_PATH: '/daily/{date}/',
    SITE_WEEKLY_PATH: '/weeklies/{date}',
  });
  expect(() => read({ SITE_ITEM_PATH: '/items/{slug}' })).toThrow('a path with {id}, such as /news/{id}');
  expect(() => read({ SITE_STORY_PATH: '/story/{id}.html' })).toThrow('ends in /{id}');
  expect(() => read({ SITE_MONTHLY_PATH: 'month/{date}' })).toThrow('a path with {date}');
});
