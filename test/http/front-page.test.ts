import { readVocabulary } from '@pressroom/news-feed/config';
import { addSample } from '@pressroom/news-feed/editing/sample';
import { expect, onTestFinished, test } from 'vitest';
import { contentFixture } from '../support/content.ts';
import { newsFeedFixture } from '../support/news-feed.ts';

const VOCABULARY = readVocabulary({ NEWS_CATEGORIES: 'technology' });

async function read(url: string): Promise<{ status: number; type: string; text: string }> {
  const response = await fetch(url);
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: await response.text(),
  };
}

const HTML = 'text/html; charset=utf-8';

test.each([
  ['content', contentFixture, 'Pressroom content'],
  ['news-feed', newsFeedFixture, 'Pressroom news feed'],
] as const)(
  'the front page of %s says what it is, and its links lead somewhere',
  async (_name, fixture, title) => {
    const { url, close } = await fixture();
    onTestFinished(close);
    const { status, type, text } = await read(`${url}/`);
    expect([status, type]).toEqual([200, HTML]);
    expect(text).toContain(`<h1>${title}</h1>`);
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, path]) => path);
    expect(links).toContain('/docs');
    for (const path of links) expect([path, (await read(`${url}${path}`)).status]).toEqual([path, 200]);
  },
);

test.each([
  [{}, ['dailies', 'items', 'stories']],
  [
    {
      SITE_ITEM_PATH: '/read/{id}.html',
      SITE_STORY_PATH: '/story/{id}',
      SITE_DAILY_PATH: '/report/{date}',
      SITE_WEEKLY_PATH: '/report/{date}',
    },
    ['read', 'report', 'story'],
  ],
])(
  'without a site, the links of items, stories and reports lead to a page that says so: %j',
  async (paths, expected) => {
    const feed = await newsFeedFixture({ SITE_URL: 'http://localhost:0', ...paths });
    onTestFinished(feed.close);
    await addSample(feed.db, VOCABULARY, new Date());
    const { text: items } = await read(`${feed.url}/api/v1/items?mode=all`);
    const { text: dailies } = await read(`${feed.url}/api/v1/dailies`);
    const { text: topics } = await read(`${feed.url}/api/v1/hot-topics`);
    const addresses = `${items}${dailies}${topics}`.match(/http:\/\/localhost:\d+\/(?!api)[^"]*/g) ?? [];
    const kinds = new Set(addresses.map((address) => new URL(address).pathname.split('/')[1]));
    expect([...kinds].sort()).toEqual(expected);
    for (const address of new Set(addresses)) {
      const page = await read(`${feed.url}${new URL(address).pathname}`);
      expect([address, page.status, page.type]).toEqual([address, 200, HTML]);
      expect(page.text).toContain('SITE_URL');
    }
  },
);

test('with a site, its pages are there and not here', async () => {
  const feed = await newsFeedFixture({ SITE_URL: 'https://news.example' });
  onTestFinished(feed.close);
  expect((await read(`${feed.url}/items/x`)).status).toBe(404);
  expect((await read(`${feed.url}/`)).text).not.toContain('SITE_URL');
});
