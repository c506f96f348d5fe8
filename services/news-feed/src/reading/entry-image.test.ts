import { expect, test } from 'vitest';
import { parseFeed } from './parse-feed.ts';

const ADDRESS = 'https://feed.example/news/feed.xml';
const PICTURE = 'https://img.example/a.jpg';

const rss = (members: string, channel = '') =>
  `<rss version="2.0" xmlns:m="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
    xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>${channel}
    <item><title>T</title><link>https://source.example/1</link>${members}</item></channel></rss>`;
const atom = (members: string, attributes = '') =>
  `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/" ${attributes}>
    <entry><title>T</title><link href="https://source.example/1"/>${members}</entry></feed>`;
const json = (item: object, feed: object = {}) =>
  JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    ...feed,
    items: [{ id: '1', url: 'https://source.example/1', title: 'T', ...item }],
  });

function entryOf(feed: string) {
  const [entry] = parseFeed(feed, ADDRESS).entries;
  if (entry === undefined) throw new Error('it has no entry');
  return entry;
}

const pictures: [name: string, feed: string, image: object | null][] = [
  [
    'the largest of a group, with what describes it',
    rss(`<m:group><m:content url="https://img.example/s.jpg" width="140"/>
      <m:content url="${PICTURE}" medium="image" width="1200" height="630px"><m:description>A &amp;amp; B</m:description></m:content>
      </m:group><m:thumbnail url="https://img.example/t.jpg" width="2000"/>`),
    { url: PICTURE, width: 1200, height: 630, alt: 'A & B' },
  ],
  [
    'a thumbnail of a video',
    rss(
      `<m:content url="https://video.example/v.mp4" type="video/mp4"><m:thumbnail url="${PICTURE}"/></m:content>`,
    ),
    { url: PICTURE },
  ],
  ['an enclosure', rss(`<enclosure url="${PICTURE}" type="image/jpeg" length="1"/>`), { url: PICTURE }],
  ['the picture of an episode', rss(`<itunes:image href="${PICTURE}"/>`), { url: PICTURE }],
  [
    'an enclosure of Atom',
    atom(`<link rel="enclosure" type="image/png" href="${PICTURE}"/>`),
    { url: PICTURE },
  ],
  [
    'a relative address',
    atom('<media:thumbnail url="b c.png#top"/>', 'xml:base="https://img.example/x/"'),
    { url: 'https://img.example/x/b%20c.png' },
  ],
  ['JSON Feed', json({ image: PICTURE, banner_image: 'https://img.example/b.jpg' }), { url: PICTURE }],
  ['JSON Feed, a banner', json({ banner_image: PICTURE }), { url: PICTURE }],
  [
    'the first that can be shown',
    rss(`<m:content url="https://0.gravatar.com/avatar/1?s=96" medium="image"/>
      <m:content url="http://img.example/a.jpg" medium="image"/><m:content url="${PICTURE}" medium="image"/>`),
    { url: PICTURE },
  ],
  [
    'a pixel that counts readers',
    rss('<m:content url="https://img.example/b.gif" medium="image" width="1" height="1"/>'),
    null,
  ],
  [
    'the picture after a pixel',
    rss(
      `<m:content url="https://img.example/b.gif" medium="image" width="1"/><enclosure url="${PICTURE}" type="image/jpeg"/>`,
    ),
    { url: PICTURE },
  ],
  ['sound', rss('<enclosure url="https://img.example/a.mp3" type="audio/mpeg"/>'), null],
];

test.each(pictures)('the picture of an entry: %s', (_name, feed, image) => {
  expect(entryOf(feed).image).toEqual(image);
});

test.each([
  'http://img.example/a.jpg',
  '//user:pass@img.example/a.jpg',
  'https://10.0.0.1/a.jpg',
  'https://0x7f.1/a.jpg',
  'https://[::1]/a.jpg',
  'https://[::ffff:192.168.0.1]/a.jpg',
  'https://localhost./a.jpg',
  'https://printer.local/a.jpg',
  'https://intranet/a.jpg',
  'javascript:alert(1)',
  'data:image/png;base64,AA==',
  `https://img.example/${'a'.repeat(2048)}`,
])('no picture is at %s', (address) => {
  expect(entryOf(rss(`<m:content url="${address}" medium="image"/>`)).image).toBeNull();
});

test.each([
  ['the feed', rss('', '<language>EN_us</language>'), 'en-US'],
  ['the entry before its feed', rss('<dc:language>de</dc:language>', '<language>en</language>'), 'de'],
  ['xml:lang around it', atom('', 'xml:lang="zh-hant"'), 'zh-Hant'],
  ['xml:lang of its text', atom('<summary xml:lang="fr">x</summary>', 'xml:lang="en"'), 'fr'],
  ['an empty one says nothing', atom('', 'xml:lang=""'), null],
  ['a word is none', rss('', '<language>English</language>'), null],
  ['nor is what names no language', rss('', '<language>jp</language>'), null],
  ['nor what names many', rss('', '<language>mul</language>'), null],
  ['a former one has its new name', rss('', '<language>iw</language>'), 'he'],
  ['JSON Feed', json({ language: 'pt-br' }, { language: 'en' }), 'pt-BR'],
])('the language of an entry: %s', (_name, feed, language) => {
  expect(entryOf(feed).language).toBe(language);
});
