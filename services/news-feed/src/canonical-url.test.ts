import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalUrl, canonicalUrls } from './fields.ts';

const SAME = [
  'https://example.com/news/a-b?id=1',
  'http://example.com/news/a-b?id=1',
  'HTTPS://EXAMPLE.com:443/news/a-b?id=1',
  'https://example.com/news/a-b/?id=1',
  'https://example.com/news/a-b?id=1#comments',
  'https://example.com/news/a-b?utm_source=feed&id=1&UTM_Medium=rss&fbclid=x',
  'https://example.com/news/a-b?id=1&partner=rss&emc=rss&CMP=rss_feed&traffic_source=feed&rss=1&af=R',
  'https://example.com/news/%61%2Db?id=1',
  'https://example.com/x/../news/./a-b?id=1',
];

test.each(SAME)('%s is the same article', (address) => {
  expect(canonicalUrl(address)).toBe('example.com/news/a-b?id=1');
});

test.each([
  ['https://example.com/news/a-b?id=2', 'another parameter'],
  ['https://example.com/news/A-b?id=1', 'another letter in the path'],
  ['https://example.com:8443/news/a-b?id=1', 'another port'],
  ['https://www.example.com/news/a-b?id=1', 'another host'],
  ['https://example.com/news/a-b?id=1&q=rss', 'what is searched for'],
  ['https://example.com/news/a-b?id=1&lang=R', 'a letter that says something'],
  ['https://example.com/news/a-b?id=1#!/2', 'a fragment that names a page'],
  ['https://example.com/news/a%2Fb?id=1', 'an escaped slash'],
])('%s is another article: %s', (address) => {
  expect(canonicalUrl(address)).not.toBe(canonicalUrl(SAME[0] as string));
});

test.each([
  'https://www.nytimes.com/a?smid=url-share&smtyp=cur&unlocked_article_code=1.x',
  'https://www.theguardian.com/a?CMP=share_btn_url',
  'https://www.dailymail.co.uk/a?ito=native_share_article-bottom',
  'https://news.cnet.com/a?ftag=COS-05',
  'https://x.com/a?s=20&t=x',
])('%s is the article that a reader has shared', (address) => {
  const { host, pathname } = new URL(address);
  expect(canonicalUrl(address)).toBe(`${host}${pathname}`);
  expect(canonicalUrl(`${address}&id=1`)).toBe(`${host}${pathname}?id=1`);
});

test.each([
  'https://example.com/a?smid=1&ito=2&CMP=3&s=4',
  'https://nytimes.com.example/a?smid=1',
  'https://mynytimes.com/a?smid=1',
])('%s keeps what only another site adds to what is shared', (address) => {
  expect(`https://${canonicalUrl(address)}`).toBe(address);
  expect(canonicalUrls(address)).toHaveLength(1);
});

test('removing a parameter leaves the spelling of the others', () => {
  const address = 'https://example.com/a?path=/b c&q=%E6%96%B0&x';
  expect(canonicalUrl(`${address}&utm_source=feed`)).toBe(canonicalUrl(address));
});

test('a text in any script has one spelling', () => {
  expect(canonicalUrl('https://例子.中国/新闻')).toBe(
    canonicalUrl('https://xn--fsqu00a.xn--fiqs8s/%e6%96%b0%e9%97%bb'),
  );
});

test('the canonical spelling of a canonical spelling is itself', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (address) => {
      const canonical = canonicalUrl(address);
      expect(canonicalUrl(`https://${canonical}`)).toBe(canonical);
    }),
    { examples: [['https://example.com/???']] },
  );
});
