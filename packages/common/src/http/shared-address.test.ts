import { expect, test } from 'vitest';
import { withoutTracking } from './request-reading.ts';

test.each([
  ['/feed.xml', undefined],
  ['/feed.xml?', undefined],
  ['/feed.xml?category=ai&limit=3&junk', undefined],
  ['/feed.xml?&', undefined],
  ['/feed.xml?fbclid=IwAR0', './feed.xml'],
  ['/a/feed.xml?utm_source=x&category=a%20b&gclid=/y', './feed.xml?category=a%20b'],
  ['/media/public/pier.jpg?w=320&q=90&format=webp&igsh', './pier.jpg?w=320&q=90&format=webp'],
  ['/feed.xml?%66bclid=1&%=2&UTM_Campaign=%ff', './feed.xml?%=2'],
  ['/?fbclid=a?b', './'],
  ['//evil.example?fbclid=x', './evil.example'],
  ['/a:b?ref=x', './a:b'],
])('%s leads to %s', (url, address) => {
  expect(withoutTracking(url)).toBe(address);
});
