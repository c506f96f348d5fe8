import { expect, test } from 'vitest';
import { readNewsFeedConfig } from './config.ts';

const DATABASE_URL = 'postgres://localhost/db';

test('links point to the port of the service unless SITE_URL names a site', () => {
  expect(readNewsFeedConfig({ DATABASE_URL }).SITE_URL).toBe('http://localhost:4001');
  expect(readNewsFeedConfig({ DATABASE_URL, NEWS_FEED_PORT: '5001' }).SITE_URL).toBe('http://localhost:5001');
  const named = { DATABASE_URL, NEWS_FEED_PORT: '5001', SITE_URL: 'https://news.example/' };
  expect(readNewsFeedConfig(named).SITE_URL).toBe('https://news.example');
});
