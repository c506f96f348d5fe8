import { expect, test } from 'vitest';
import { PROVIDERS, providerOf } from './providers.ts';

/** The frame of a page; undefined for the page of no provider. */
function frameOf(address: string, html = ''): string | undefined {
  const page = new URL(address);
  return providerOf(page, PROVIDERS)?.frame(page, html);
}

test.each([
  [
    'https://www.youtube.com/watch?list=x&v=a-B_1&t=42s',
    'https://www.youtube-nocookie.com/embed/a-B_1?start=42',
  ],
  ['https://youtu.be/a-B_1?si=x&t=1m2s', 'https://www.youtube-nocookie.com/embed/a-B_1?start=62'],
  ['https://m.youtube.com/shorts/a-B_1', 'https://www.youtube-nocookie.com/embed/a-B_1'],
  [
    'https://vimeo.com/76979871/0123abcdef#t=1h2s',
    'https://player.vimeo.com/video/76979871?h=0123abcdef#t=3602s',
  ],
  [
    'https://www.bilibili.com/video/BV1xx411c7mD/?t=9',
    'https://player.bilibili.com/player.html?bvid=BV1xx411c7mD&t=9',
  ],
  ['https://www.dailymotion.com/video/x8abc', 'https://geo.dailymotion.com/player.html?video=x8abc'],
  ['https://open.spotify.com/intl-de/episode/3Zc?t=30', 'https://open.spotify.com/embed/episode/3Zc?t=30'],
  [
    'https://soundcloud.com/ada/the-tide#t=0:42',
    'https://w.soundcloud.com/player/?url=https%3A%2F%2Fsoundcloud.com%2Fada%2Fthe-tide%23t%3D42',
  ],
  ['https://mastodon.social/@ada@a.example/1092', undefined],
  ['https://mastodon.social/@ada/1092', 'https://mastodon.social/@ada/1092/embed'],
  ['https://x.com/ada/status/20?s=46', 'https://platform.twitter.com/embed/Tweet.html?dnt=true&id=20'],
  ['https://www.tiktok.com/@ada.l/video/70', 'https://www.tiktok.com/player/v1/70'],
  ['https://www.flickr.com/photos/ada@N00/52/in/dateposted/', 'https://embedr.flickr.com/photos/52'],
  ['https://codepen.io/ada/pen/XyZ', 'https://codepen.io/ada/embed/XyZ?default-tab=result'],
  ['https://www.youtube.com/@ada', undefined],
  ['https://www.youtube.com/watch?v=x%22%3E%3Cscript%3E', undefined],
])('the frame of %s', (address, frame) => {
  expect(frameOf(address)).toBe(frame);
});

test('a post of Bluesky is framed by the identifier that its oEmbed gives, if it is that of the post', () => {
  const html = (post: string) =>
    `<blockquote data-bluesky-uri="at://did:plc:z72i/app.bsky.feed.post/${post}">`;
  const page = 'https://bsky.app/profile/ada.example/post/3kq';
  expect(frameOf(page, html('3kq'))).toBe('https://embed.bsky.app/embed/did:plc:z72i/app.bsky.feed.post/3kq');
  expect(frameOf(page, html('other'))).toBeUndefined();
  expect(frameOf(page, '<iframe src="https://evil.example/">')).toBeUndefined();
});

test.each([
  'https://youtube.com.evil.example/watch?v=1',
  'https://evil.example/youtube.com/watch?v=1',
  'https://notyoutube.com/watch?v=1',
  'https://www.youtube.com:8443/watch?v=1',
  'https://www.yоutube.com/watch?v=1',
  'https://youtube.com./watch?v=1',
])('%s only looks like a page of a provider', (address) => {
  expect(providerOf(new URL(address), PROVIDERS)).toBeUndefined();
});
