import { expect, test } from 'vitest';
import { hubLinks } from './feed.ts';

const URL = 'https://source.example/feed.xml';

test('the header comes before the feed, and a relative address is resolved', () => {
  const header = '<https://hub.example/>; rel="hub", </feed>; title="a, b"; rel=self';
  expect(hubLinks(header, [{ href: 'https://other.example/', rel: 'hub' }], URL)).toEqual({
    hub: 'https://hub.example/',
    topic: 'https://source.example/feed',
  });
});

test('without a self link, the topic is the address that answered', () => {
  expect(hubLinks(undefined, [{ href: 'https://hub.example/', rel: 'hub' }], URL)).toEqual({
    hub: 'https://hub.example/',
    topic: URL,
  });
});

test('without a topic of a length that can be kept, there is no subscription', () => {
  const hub = { href: 'https://hub.example/', rel: 'hub' };
  expect(hubLinks(undefined, [hub], `${URL}?${'x'.repeat(2048)}`)).toBeUndefined();
});

test('a hub that is not on the web is none', () => {
  expect(hubLinks('<file:///etc/passwd>; rel="hub"', [], URL)).toBeUndefined();
  expect(hubLinks('<https://hub.example/>; rel="hubs"', [], URL)).toBeUndefined();
});
